"""Strings of values in keys and paths, at the edges of Java's forms, and when types change. Rules KEY-7, KEY-1541."""

from __future__ import annotations

from decimal import Decimal

import pytest

from hudi_core.keys.generator import BareKey, Generator
from hudi_core.keys.strings import Micros, SqlTimestamp, decimal_text, keeps_key_text, key_text
from hudi_core.keys.zones import UTC
from hudi_core.options import KeyGeneratorType as Kind
from hudi_core.types import nodes as t
from hudi_core.values.cast import cast
from hudi_plain.values import PlainValues
from tests.support.promotions import PAIRS, values_at_the_ends


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0.0000010", "0.0000010"),
        ("-0.0000010", "-0.0000010"),
        ("0.0000001", "1E-7"),
        ("0.0000009", "9E-7"),
        ("0.00000010", "1.0E-7"),
        ("0.00000100", "0.00000100"),
        ("0.0000000", "0E-7"),
        ("0.00000099", "9.9E-7"),
        ("1.0000000", "1.0000000"),
    ],
)
def test_an_exponent_begins_below_a_millionth(value: str, text: str) -> None:
    """KEY-7: as Java's `BigDecimal.toString`, whatever digits follow."""
    assert decimal_text(Decimal(value)) == text


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (1_999, "1970-01-01 00:00:00.001"),
        (999, "1970-01-01 00:00:00.0"),
        (0, "1970-01-01 00:00:00.0"),
        (-1, "1970-01-01 00:00:00.0"),
        (-999, "1970-01-01 00:00:00.0"),
        (-1_000, "1969-12-31 23:59:59.999"),
        (-1_999, "1969-12-31 23:59:59.999"),
        (-2_000, "1969-12-31 23:59:59.998"),
    ],
)
def test_microseconds_are_cut_to_milliseconds_towards_1970(micros: int, text: str) -> None:
    """KEY-7: before 1970 too."""
    assert SqlTimestamp(t.Unit.MICROS.value, t.Unit.MILLIS.value, UTC)(micros) == text


def test_a_unit_is_counted_in_microseconds_towards_the_past() -> None:
    """KEY-7."""
    assert [Micros(t.Unit.NANOS.value)(ticks) for ticks in (1_999, -1, -1_000, -1_001)] == ["1", "-1", "-1", "-2"]
    assert Micros(t.Unit.MILLIS.value)(-1) == "-1000"


KEPT = [pair for pairs in PAIRS.values() for pair in pairs if keeps_key_text(*pair)]


@pytest.mark.parametrize(("source", "to"), KEPT, ids=str)
def test_what_is_said_to_keep_its_string_keeps_it(source: t.Type, to: t.Type) -> None:
    """KEY-1541."""
    generator = Generator(Kind.SIMPLE, BareKey("id"))

    def string(value: object, kind: t.Type) -> object:
        return key_text(PlainValues(), value, kind, "id", generator)

    for value in values_at_the_ends(source):
        assert string(cast(source, to)(value), to) == string(value, source), value


@pytest.mark.parametrize(
    ("source", "to", "kept"),
    [
        (t.Int(), t.Long(), True),
        (t.Int(), t.String(), True),
        (t.Float(), t.Double(), True),
        (t.Date(), t.String(), True),
        (t.Decimal(6, 2), t.Decimal(9, 2), True),
        (t.Enumeration(("a",)), t.String(), True),
        (t.Int(), t.Double(), False),
        (t.Long(), t.Float(), False),
        (t.Int(), t.Decimal(12, 2), False),
        (t.Decimal(6, 2), t.Decimal(9, 4), False),
        (t.Decimal(18, 8), t.String(), False),
        (t.String(), t.Date(), False),
        (t.String(), t.Binary(), False),
        (t.Long(), t.Timestamp(), False),
        (t.Long(), t.Int(), False),
    ],
)
def test_which_changes_of_type_keep_all_strings(source: t.Type, to: t.Type, kept: bool) -> None:
    assert keeps_key_text(source, to) == kept
