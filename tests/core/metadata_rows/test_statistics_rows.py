"""META-60 to META-67: bounds that are recorded cover their values, whatever is known of them, in the form that readers expect.

Also covers: `metadata_rows/bounds.py`.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.int128 import from_bytes, to_integers
from hudi_core.columns.nodes import StructColumn, to_list
from hudi_core.columns.strings import string_column
from hudi_core.commit.statuses import ColumnRange
from hudi_core.formats.avro.columns import decode
from hudi_core.metadata.trust import Origin, trust_statistics
from hudi_core.metadata.typed_by_file import as_stored
from hudi_core.metadata_rows.bounds import HIGHEST_STRING, record_bounds
from hudi_core.metadata_rows.record_schema import STORED_SCHEMA
from hudi_core.metadata_rows.rows import IndexRows
from hudi_core.metadata_rows.rows_of_statistics import columns_with_statistics, statistics_of
from hudi_core.metadata_rows.statistics_rows import V1, V2, Sizes, file_statistics_rows, form_of
from hudi_core.pruning.statistics import ColumnStatistics
from hudi_core.schema.schema import schema_at_place
from hudi_core.types import nodes as t


def stored(of: t.Type, ranges: Sequence[ColumnRange | None], version: str = V2) -> list[dict[str, Any]]:
    """The payloads of the records of a column."""
    count = len(ranges)
    keys = np.array([b"%036d" % number for number in range(count)], "S36")
    zeros = np.zeros(count, np.int64)
    names = string_column([f"file {number}" for number in range(count)])
    rows = file_statistics_rows("c", keys, names, statistics_of(ranges, of), Sizes(zeros, zeros), version)
    return payloads_of(rows)


def payloads_of(rows: IndexRows) -> list[dict[str, Any]]:
    values = rows.values
    found = decode(STORED_SCHEMA, values.data, values.offsets[:-1], np.diff(values.offsets), "test")
    assert isinstance(found, StructColumn)
    return to_list(found.fields["ColumnStatsMetadata"])


def bounds(of: t.Type, one: ColumnRange | None, version: str = V2) -> tuple[Any, Any]:
    (payload,) = stored(of, [one], version)
    low, high = payload["minValue"], payload["maxValue"]
    return (None if low is None else low["value"], None if high is None else high["value"])


def known(lower: object, upper: object, nulls: int = 0, values: int = 5, *, nan: bool = False) -> ColumnRange:
    return ColumnRange(lower, upper, nulls, values, nan=nan)


@pytest.mark.parametrize(
    ("of", "lower", "upper"),
    [
        (t.Boolean(), False, True),
        (t.Int(), -(1 << 31), 7),
        (t.Long(), -(1 << 63), (1 << 63) - 1),
        (t.Float(), -1.5, 2.25),
        (t.Double(), -1e300, math.inf),
        (t.String(), "", "\U0001f600" * 3000),
        (t.String(), "\U0001f600", "\U0001f600"),
        (t.Date(), -5, 20_000),
        (t.Time(t.Unit.MILLIS), 0, 86_399_999),
        (t.Time(t.Unit.MICROS), 0, 5),
        (t.Timestamp(t.Unit.MICROS), -1, 5),
        (t.Timestamp(t.Unit.MILLIS, zoned=False), -1, 5),
        (t.Binary(), b"", b"\xff\x00"),
        (t.Fixed(2), b"\x00\x80", b"\xff\x00"),
    ],
)
def test_bounds_that_are_known_are_stored_as_they_are(of: t.Type, lower: object, upper: object) -> None:
    assert bounds(of, known(lower, upper)) == (lower, upper)


ORDINALS = [
    (t.Boolean(), 2), (t.Int(), 3), (t.Long(), 4), (t.Float(), 5), (t.Double(), 6), (t.String(), 7), (t.Binary(), 8),
    (t.Fixed(3), 9), (t.Decimal(10, 2), 10), (t.Uuid(), 11), (t.Date(), 12), (t.Time(t.Unit.MILLIS), 13),
    (t.Time(t.Unit.MICROS), 14), (t.Timestamp(t.Unit.MILLIS), 15), (t.Timestamp(t.Unit.MICROS), 16),
    (t.Timestamp(t.Unit.NANOS), 17), (t.Timestamp(t.Unit.MILLIS, zoned=False), 18),
    (t.Timestamp(t.Unit.MICROS, zoned=False), 19), (t.Timestamp(t.Unit.NANOS, zoned=False), 20),
]  # fmt: skip


@pytest.mark.parametrize(("of", "ordinal"), ORDINALS)
def test_records_state_their_type_in_version_2_alone(of: t.Type, ordinal: int) -> None:
    (payload,) = stored(of, [known(None, None)])
    details = "10,2" if ordinal == 10 else None
    assert payload["valueType"] == {"typeOrdinal": ordinal, "additionalInfo": details}
    if form_of(of, V1) is not None:
        assert stored(of, [known(None, None)], V1)[0]["valueType"] is None


@pytest.mark.parametrize("precision", [1, 9, 18, 19, 38])
@given(data=st.data())
def test_decimals_are_as_few_bytes_as_hold_them(precision: int, data: st.DataObject) -> None:
    most = 10**precision - 1
    numbers = data.draw(st.lists(st.integers(-most, most), min_size=1, max_size=5))
    scaled = [Decimal(number).scaleb(-1, decimal.Context(prec=50)) for number in numbers]
    payloads = stored(t.Decimal(precision, 1), [known(number, number) for number in scaled])
    for number, payload in zip(numbers, payloads, strict=True):
        value = payload["minValue"]["value"]
        assert int.from_bytes(value, "big", signed=True) == number
        assert len(value) == max((number + (number < 0)).bit_length() // 8 + 1, 1)


def test_decimals_of_version_1_have_15_digits_after_the_point() -> None:
    low, high = bounds(t.Decimal(10, 2), known(Decimal("-1.25"), Decimal("0.01")), V1)
    numbers, there = from_bytes(ByteStrings.from_list([low, high]))
    assert there.all()
    assert to_integers(numbers)[0].tolist() == [-125 * 10**13, 10**13]


@pytest.mark.parametrize(
    ("of", "lower", "upper"),
    [
        (t.Boolean(), False, True),
        (t.Int(), -(1 << 31), (1 << 31) - 1),
        (t.Date(), -(1 << 30), (1 << 31) - 1),
        (t.Long(), -(1 << 63), (1 << 63) - 1),
        (t.Timestamp(t.Unit.MICROS), -(1 << 62), (1 << 63) - 1),
        (t.Timestamp(t.Unit.MILLIS, zoned=False), -(1 << 52), 9_223_372_036_854_775),
        (t.String(), "", HIGHEST_STRING),
        (t.Binary(), b"", b"\xff" * 1024),
        (t.Decimal(3, 1), b"\xfc\x19", b"\x03\xe7"),
        (t.Decimal(20, 0), (1 - 10**20).to_bytes(9, "big", signed=True), (10**20 - 1).to_bytes(9, "big", signed=True)),
    ],
)
@pytest.mark.parametrize("one", [None, known(None, None, 1)], ids=["nothing known", "bounds not known"])
def test_bounds_that_are_not_known_are_the_widest(
    of: t.Type, lower: object, upper: object, one: ColumnRange | None
) -> None:
    assert bounds(of, one) == (lower, upper)


def test_days_that_are_not_known_begin_with_the_year_1_where_no_type_is_stated() -> None:
    """META-1587: Apache Hudi takes earlier ones for later ones."""
    assert bounds(t.Date(), None, V1) == (-719_162, (1 << 31) - 1)
    assert bounds(t.Timestamp(t.Unit.MICROS), None, V1) == (-(1 << 62), (1 << 63) - 1)


@pytest.mark.parametrize("version", [V1, V2])
@pytest.mark.parametrize("unit", [None, t.Unit.MILLIS, t.Unit.MICROS])
@pytest.mark.parametrize("zoned", [True, False])
def test_the_widest_days_and_timestamps_are_read_as_unknown(version: str, unit: t.Unit | None, *, zoned: bool) -> None:
    """META-1587: there may be values beyond them."""
    of = t.Date() if unit is None else t.Timestamp(unit, zoned=zoned)
    lower, upper = bounds(of, None, version)
    rows = np.array([5])
    stated = statistics_of([known(lower, 7), known(3, upper), known(3, 7)], of)
    origin = Origin(np.repeat(rows, 3), np.repeat(rows, 3), of_files=True)
    found = trust_statistics(stated, origin)
    assert (found.lower_known.tolist(), found.upper_known.tolist()) == ([False, True, True], [True, False, True])
    of_integers = replace(stated, type=t.Int() if unit is None else t.Long())
    as_of = as_stored(of_integers, of)
    assert as_of is not None
    assert as_of.lower_known.tolist() == [False, True, True]


def test_one_bound_that_is_known_stays() -> None:
    assert bounds(t.Int(), known(5, None)) == (5, (1 << 31) - 1)
    assert bounds(t.String(), known(None, "b")) == ("", "b")


@pytest.mark.parametrize("of", [t.Float(), t.Double()])
def test_nan_is_the_upper_bound_and_never_the_lower_one(of: t.Type) -> None:
    low, high = bounds(of, known(1.0, 2.0, nan=True))
    assert low == 1.0
    assert math.isnan(high)
    low, high = bounds(of, known(None, None, nan=True))
    assert low == -math.inf
    assert math.isnan(high)
    assert bounds(of, known(math.nan, math.nan, nan=True))[0] == -math.inf
    assert math.isnan(bounds(of, None)[1])


@pytest.mark.parametrize("zeros", [(0.0, 0.0), (-0.0, -0.0), (0.0, -0.0)])
def test_both_zeros_cover_each_other(zeros: tuple[float, float]) -> None:
    low, high = bounds(t.Double(), known(*zeros))
    assert (math.copysign(1, low), math.copysign(1, high)) == (-1, 1)


@pytest.mark.parametrize("version", [V1, V2])
@given(strings=st.lists(st.text(st.sampled_from("aké\u20ac\U0001f600"), max_size=3), min_size=1, max_size=4))
def test_no_beginning_of_a_string_lies_outside_its_bounds(version: str, strings: list[str]) -> None:
    """META-67: so a reader that compares the beginning itself loses no file."""
    ordered = sorted(strings, key=str.encode)
    low, high = bounds(t.String(), known(ordered[0], ordered[-1]), version)
    for value in strings:
        for size in range(1, len(value) + 1):
            assert low.encode() <= value[:size].encode()
        assert low.encode() <= value.encode() <= high.encode()


def test_whole_lower_bounds_of_strings_stand_beside_their_type() -> None:
    """META-67."""
    ranges = [known("kéa", "z"), None, known(None, None, 5, 5)]
    payloads = stored(t.String(), ranges)
    assert [one["valueType"]["additionalInfo"] for one in payloads] == ["kéa", None, None]
    assert payloads[0]["minValue"]["value"] == "k"


def test_keys_are_located_by_whole_bounds_in_version_1_too() -> None:
    """META-67."""
    keys, names, zeros = np.array([b"%036d" % 0], "S36"), string_column(["file"]), np.zeros(1, np.int64)
    statistics = statistics_of([known("k10", "k20")], t.String())
    for version, lower in ((V1, "k10"), (V2, "k")):
        rows = file_statistics_rows("_hoodie_record_key", keys, names, statistics, Sizes(zeros, zeros), version)
        assert payloads_of(rows)[0]["minValue"]["value"] == lower


def test_a_column_without_a_value_has_counts_and_no_bounds() -> None:
    nothing, unknown, deletes = stored(t.Long(), [known(1, 2, 4, 4), None, known(None, None, 0, 0)])
    assert (nothing["minValue"], nothing["maxValue"], nothing["nullCount"], nothing["valueCount"]) == (None, None, 4, 4)
    assert 0 < unknown["nullCount"] < unknown["valueCount"]
    assert (deletes["minValue"], deletes["nullCount"], deletes["valueCount"]) == (None, 0, 0)


@given(
    st.lists(st.floats(width=32) | st.none(), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_whatever_is_known_no_value_lies_outside(values: list[float | None], low_known: bool, high_known: bool) -> None:
    numbers = [value for value in values if value is not None and value == value]
    one = ColumnRange(
        min(numbers) if numbers and low_known else None,
        max(numbers) if numbers and high_known else None,
        values.count(None),
        len(values),
        nan=any(value != value for value in values),
    )
    kept: ColumnStatistics = record_bounds(statistics_of([one], t.Double()))
    low, high = float(np.asarray(kept.lower)[0]), float(np.asarray(kept.upper)[0])
    for value in values:
        if value is not None:
            assert bool(kept.lower_known[0] and kept.upper_known[0])
            assert value != value or low <= value
            assert math.isnan(high) or value <= high


def test_columns_without_a_form_are_not_indexed() -> None:
    fields = (
        t.Field(0, "n", t.Long()),
        t.Field(1, "b", t.Binary()),
        t.Field(2, "d", t.Decimal(30, 2)),
        t.Field(3, "r", t.Record((t.Field(4, "x", t.Int()),))),
    )
    schema = schema_at_place("test", t.Record(fields))
    names = ["_hoodie_record_key", "n", "b", "d", "r", "r.x", "gone"]
    assert list(columns_with_statistics(names, schema, V2)) == ["_hoodie_record_key", "n", "b", "d", "r.x"]
    assert list(columns_with_statistics(names, schema, V1)) == ["_hoodie_record_key", "n", "r.x"]
