"""What keys an engine makes of rows: those that Apache Hudi made of them, by each of its writing paths.

Also covers: `keys/bound.py`, `keys/clock.py`, `keys/generator.py`, `keys/times.py`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

import pytest

from hudi_core.errors import RowError, UnknownColumnError
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.choose import choose
from hudi_core.keys.generator import WritePath
from hudi_core.keys.strings import TEXT
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.conformance.deviations.keys import DEVIATIONS
from tests.contract.harness import Columns
from tests.support.conformance import vectors
from tests.support.ledger import REFUSED, Ledger, attempt
from tests.support.vector_keys import KeyQuestion, requested_auto_keys, requested_keys

WRITE = "hoodie.datasource.write."
_BETWEEN = "\0"


class KeysContract:
    """Give a fixture `engine` of `tests.contract.harness.Columns`."""

    kind: Callable[[KeyQuestion], object] = staticmethod(lambda requested: group_of(requested))
    """Of generators of one kind that with the most rows is asked about: all of them, unless an engine takes long for each."""

    def test_keys_are_those_of_each_path_of_writing(self, engine: Columns) -> None:
        """KEY-2, KEY-11, KEY-12, KEY-14 to KEY-18."""
        ledger = Ledger("keys", DEVIATIONS)
        for requested, ours in answered(engine, requested_keys(vectors("key_generators")), self.kind):
            ledger.settle(requested.case, requested.question, ours, requested.theirs)
        ledger.close()

    def test_generated_keys_count_rows(self, engine: Columns) -> None:
        """KEY-4."""
        ledger = Ledger("keys", DEVIATIONS)
        for requested in requested_auto_keys(vectors("key_generators")):
            rows = range(len(requested.rows))
            ours = attempt(
                lambda requested=requested, rows=rows: [keys_of(engine, requested, [at], at)[0] for at in rows]
            )  # type: ignore[misc]
            ledger.settle(requested.case, {**requested.question, "ask": "auto"}, ours, requested.theirs)
        ledger.close()

    def test_a_row_without_a_key_is_named(self, engine: Columns) -> None:
        """KEY-10."""
        maker = made({"recordkey.field": "a", "partitionpath.field": "b"}, engine, a=t.String(), b=t.String())
        with pytest.raises(RowError, match="expected a record key in a, found null or an empty text"):
            keys(engine, maker, [("k", "p"), ("", "p")])

    def test_a_field_that_is_not_there_is_refused_before_any_row(self, engine: Columns) -> None:
        """KEY-5."""
        with pytest.raises(UnknownColumnError, match="did you mean city"):
            made({"recordkey.field": "city", "partitionpath.field": "cit"}, engine, city=t.String())

    @pytest.mark.parametrize(
        "style", [{}, {"hive_style_partitioning": "true"}, {"partitionpath.urlencode": "true"}], ids=str
    )
    def test_no_path_leads_out_of_the_table(self, engine: Columns, style: dict[str, str]) -> None:
        """KEY-11."""
        answer = {"recordkey.field": "a", "partitionpath.field": "b,c", "keygenerator.type": "COMPLEX"}
        maker = made(answer | style, engine, a=t.String(), b=t.String(), c=t.String())
        fine = ["...", "..a", "a..", ".", "x/y", None, ""]
        found = [path for _, path in keys(engine, maker, [("k", value, "z") for value in fine])]
        assert not any(".." in path.split("/") for path in found)
        refused = [] if "partitionpath.urlencode" in style else ["a/..", "a/../b"]
        refused += [] if "hive_style_partitioning" in style else [".."]
        refused += [] if style else ["../a"]
        for value in refused:
            for row in (("k", value, "z"), ("k", "z", value)):
                with pytest.raises(RowError, match="expected a partition path below the table"):
                    keys(engine, maker, [("k", "z", "z"), row])

    def test_times_are_printed_before_and_after_every_change_of_clocks(self, engine: Columns) -> None:
        answer = {
            "keygenerator.type": "TIMESTAMP",
            "recordkey.field": "k",
            "partitionpath.field": "at",
            "hoodie.keygen.timebased.timestamp.type": "UNIX_TIMESTAMP",
            "hoodie.keygen.timebased.output.dateformat": "yyyy-MM-dd HH",
            "hoodie.keygen.timebased.output.timezone": "America/New_York",
        }
        maker = made(answer, engine, k=t.String(), at=t.Long())
        times = {
            1_710_053_999: "2024-03-10 01",
            1_710_054_000: "2024-03-10 03",
            1_730_611_800: "2024-11-03 01",
            1_730_615_400: "2024-11-03 01",
            -2_717_650_801: "1883-11-18 12",
        }
        found = keys(engine, maker, [("k", time) for time in times])
        assert [path for _, path in found] == list(times.values())

    @pytest.mark.parametrize(
        ("kind", "writer", "of", "value", "key"),
        [
            ("SIMPLE", WritePath.AVRO, t.Fixed(2, "f"), b"\x0a\xff", "[10, -1]"),
            ("SIMPLE", WritePath.AVRO, t.Binary(), b"\x0a\xff", "0aff"),
            ("SIMPLE", WritePath.INTERNAL_ROW, t.Fixed(2, "f"), b"\x0a\xff", "0aff"),
            ("CUSTOM", WritePath.INTERNAL_ROW, t.Fixed(2, "f"), b"\x0a\xff", "0aff"),
            ("SIMPLE", WritePath.INTERNAL_ROW, t.Timestamp(t.Unit.MILLIS, zoned=False), -1, "-1000"),
            ("SIMPLE", WritePath.INTERNAL_ROW, t.Timestamp(t.Unit.MICROS, zoned=False), -1, "-1"),
            ("SIMPLE", WritePath.AVRO, t.Timestamp(t.Unit.MILLIS, zoned=False), -1, "-1"),
            ("SIMPLE", WritePath.INTERNAL_ROW, t.Timestamp(t.Unit.MILLIS), 1, "1970-01-01 00:00:00.001"),
            ("CUSTOM", WritePath.INTERNAL_ROW, t.Timestamp(t.Unit.MILLIS), 1, "1000"),
            ("CUSTOM", WritePath.INTERNAL_ROW, t.Timestamp(t.Unit.MILLIS, zoned=False), 1, "1000"),
            ("CUSTOM", WritePath.ROW, t.Timestamp(t.Unit.MILLIS), 1, "1970-01-01 00:00:00.001"),
        ],
    )
    def test_strings_of_keys_are_those_of_the_path_of_writing(
        self, engine: Columns, kind: str, writer: WritePath, of: t.Type, value: Any, key: str
    ) -> None:
        """KEY-7."""
        parts = "p:simple" if kind == "CUSTOM" else "p"
        answer = {"recordkey.field": "k", "partitionpath.field": parts, "keygenerator.type": kind}
        maker = made(answer, engine, writer, k=of, p=t.String())
        assert keys(engine, maker, [(value, "x")]) == [(key, "x")]

    def test_times_without_a_zone_count_microseconds_by_internal_rows(self, engine: Columns) -> None:
        """KEY-7."""
        answer = {
            "recordkey.field": "k",
            "partitionpath.field": "at",
            "keygenerator.type": "TIMESTAMP",
            "hoodie.keygen.timebased.timestamp.type": "EPOCHMICROSECONDS",
            "hoodie.keygen.timebased.output.dateformat": "yyyyMMdd",
        }
        day = 86_400_000
        maker = made(answer, engine, WritePath.INTERNAL_ROW, k=t.String(), at=t.Timestamp(t.Unit.MILLIS, zoned=False))
        assert keys(engine, maker, [("a", day), ("b", 2 * day - 1)]) == [("a", "19700102"), ("b", "19700102")]

    def test_own_generators_see_rows_by_name(self, engine: Columns) -> None:
        """KEY-6."""
        maker: Any = KeyGenerator(Own(), schema_of(a=t.String(), b=t.Int()), engine.values)
        assert keys(engine, maker, [("x", 7), ("y", None)]) == [("x!", "n=7"), ("y!", "n=None")]

    def test_own_generators_see_values_in_the_form_of_the_core(self, engine: Columns) -> None:
        texts = t.Map(t.Field(0, "key", t.String(), False), t.Field(0, "value", t.Date()))
        inner = t.Record((t.Field(0, "d", t.Date()), t.Field(0, "x", t.Decimal(9, 2))))
        types = {"a": inner, "b": t.Array(t.Field(0, "element", t.Timestamp(t.Unit.MICROS, True))), "c": texts}
        maker: Any = KeyGenerator(Shown(), schema_of(**types), engine.values)
        rows = [
            ((19_724, Decimal("1.50")), (None, 5), (("k", 3), ("l", None))),
            (None, (), ()),
            ((None, None), None, None),
        ]
        assert [json.loads(path) for _, path in keys(engine, maker, rows)] == [
            [[19_724, "1.50"], [None, 5], [["k", 3], ["l", None]]],
            [None, [], []],
            [[None, None], None, None],
        ]


class Own:
    """A generator of a user's."""

    def record_key(self, row: Any) -> str:
        return f"{row['a']}!"

    def partition_path(self, row: Any) -> str:
        return f"n={row['b']}"


class Shown:
    """Another, whose partitions show the rows."""

    def record_key(self, row: Any) -> str:
        return "k"

    def partition_path(self, row: Any) -> str:
        return json.dumps(list(row.values()), default=str)


def schema_of(**types: t.Type) -> Schema:
    return Schema(record_with_ids(t.Record(tuple(t.Field(0, name, of) for name, of in types.items()))))


def made(
    answer: dict[str, str], engine: Columns, writer: WritePath = WritePath.ROW, **types: t.Type
) -> KeyGenerator[Any, Any]:
    """A generator of options, those of writing without their prefix."""
    properties = {key if key.startswith("hoodie") else f"{WRITE}{key}": text for key, text in answer.items()}
    return KeyGenerator(choose(properties, writer=writer), schema_of(**types), engine.values)


def keys(engine: Columns, maker: KeyGenerator[Any, Any], rows: Sequence[Any], first: int = 0) -> list[tuple[str, ...]]:
    """Record keys and partition paths of rows, in one question to the engine."""

    def joined(root: Any) -> Any:
        found = maker.keys(root, first)
        return engine.values.join([found.record_key, _BETWEEN, found.partition_path])

    return [tuple(text.split(_BETWEEN)) for text in engine.column(joined, TEXT, (rows, maker.schema.record))]


def keys_of(
    engine: Columns, requested: KeyQuestion, places: Sequence[int] = (0,), first: int = 0
) -> list[tuple[str, ...]]:
    """The keys that an engine makes of rows of a question."""
    generator = choose(requested.properties, writer=requested.writer, machine=requested.machine)
    maker: KeyGenerator[Any, Any] = KeyGenerator(generator, requested.schema, engine.values)
    return keys(engine, maker, [requested.rows[at] for at in places], first)


def group_of(requested: KeyQuestion) -> object:
    """The generator of a question: what it is made of."""
    return (*sorted(requested.properties.items()), requested.writer, requested.machine)


def answered(
    engine: Columns, questions: Iterable[KeyQuestion], kind: Callable[[KeyQuestion], object]
) -> Iterable[tuple[KeyQuestion, object]]:
    """Questions and our answers, of one generator of each kind. Those of one generator are put to the engine at once."""
    alike: dict[object, list[KeyQuestion]] = defaultdict(list)
    for requested in questions:
        alike[group_of(requested)].append(requested)
    chosen: dict[object, list[KeyQuestion]] = {}
    for group in sorted(alike.values(), key=len):
        chosen[kind(group[0])] = group
    for group in chosen.values():
        yield from zip(group, _answers(engine, group), strict=True)


def _answers(engine: Columns, group: Sequence[KeyQuestion]) -> Sequence[object]:
    """The answers to questions of one generator: rows that Apache Hudi refuses are asked about one by one, others at once."""
    expected = [at for at, requested in enumerate(group) if requested.theirs != REFUSED]
    answers: dict[int, object] = dict(zip(expected, _together(engine, [group[at] for at in expected]), strict=True))
    return [answers[at] if at in answers else _together(engine, [requested])[0] for at, requested in enumerate(group)]


def _together(engine: Columns, group: Sequence[KeyQuestion]) -> Sequence[object]:
    """The answers to questions of one generator: to each half of them where a row is refused."""
    if not group:
        return []
    together = KeyQuestion(**{**vars(group[0]), "rows": tuple(requested.rows[0] for requested in group)})
    found: Any = attempt(lambda: keys_of(engine, together, range(len(group))))
    if found != REFUSED:
        return list(found)
    half = len(group) // 2
    return [*_together(engine, group[:half]), *_together(engine, group[half:])] if half else [REFUSED]
