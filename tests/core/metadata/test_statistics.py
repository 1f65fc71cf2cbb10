"""Recorded statistics of columns: which records count, how they merge, and in what form they come.

Also covers: `metadata/live_records.py`, `metadata/merged.py`, `metadata/recorded.py`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.hashes import column_stats_key, md5_id, partition_id, xxh64_id
from hudi_core.errors import CorruptFileError
from hudi_core.metadata import live_records as live
from hudi_core.metadata import statistics as module
from hudi_core.metadata.records import MetadataDeletes, MetadataRecords, Piece, RecordBatch
from hudi_core.metadata.statistics import FILE_KEY, PARTITION_KEY, RecordedStatistics, extend, read_statistics
from hudi_core.pruning.statistics import WIDE_OFFSET, ColumnStatistics
from hudi_core.types import nodes as t
from tests.support.conformance import TableEntry, each_table
from tests.support.drawing import cases
from tests.support.metadata_records import OLDEST, batch, files, statistics
from tests.support.tables import metadata_of


def key(file: str, column: str = "c", partition: str = "p") -> bytes:
    return column_stats_key(column, partition, file).encode()


def suffix(file: str, partition: str = "p") -> bytes:
    return (partition_id(partition) + md5_id(file)).encode()


def ints(lower: int, upper: int, **answer: Any) -> dict[str, Any]:
    return statistics(("IntWrapper", lower), ("IntWrapper", upper), ordinal=3, **answer)


def reported(records: MetadataRecords, column: str = "c", pieces: Sequence[Piece] = ()) -> dict[bytes, tuple[Any, ...]]:
    """Key suffix → type, bounds (None: unknown), nulls, rows."""
    return statistics_by_key(read_statistics(records, [column], FILE_KEY, pieces)[column])


def statistics_by_key(groups: Sequence[RecordedStatistics]) -> dict[bytes, tuple[Any, ...]]:
    found: dict[bytes, tuple[Any, ...]] = {}
    for element in groups:
        for row in range(len(element)):
            suffix_ = element.keys[row].tobytes()
            assert suffix_ not in found
            of = element.statistics
            lower, upper = bound(of, row, lower=True), bound(of, row, lower=False)
            found[suffix_] = (type(of.type).__name__, lower, upper, int(of.nulls[row]), int(of.rows[row]))
    return found


def bound(of: ColumnStatistics, row: int, *, lower: bool) -> object:
    if not (of.lower_known if lower else of.upper_known)[row]:
        return None
    value = (of.lower if lower else of.upper)[row]
    if isinstance(of.type, t.Decimal):
        unscaled = int.from_bytes(value, "big") - WIDE_OFFSET if isinstance(value, bytes) else int(value)
        return Decimal(unscaled).scaleb(-of.type.scale)
    return value if isinstance(value, bytes) else value.item()


def cut(base: RecordBatch) -> list[Piece]:
    """A base file's records one by one, and a piece without records."""
    rows = [np.array([row]) for row in range(len(base.cells))] + [np.array([], np.int64)]
    return [partial(replace, base, cells=base.cells.take(row)) for row in rows]


def test_some_pieces_may_state_types_and_others_not() -> None:
    base = batch(
        {
            key("f"): ints(1, 2),
            key("g"): statistics(("StringWrapper", "a"), ("StringWrapper", "b"), ordinal=7),
            key("h"): statistics(None, None),
        }
    )
    whole = reported(MetadataRecords([base], []))
    assert {answer[0] for answer in whole.values()} == {"Int", "String", "Binary"}
    assert (
        reported(MetadataRecords([], []), pieces=cut(base))
        == reported(MetadataRecords([], []), pieces=cut(base)[::-1])
        == whole
    )


def test_columns_are_kept_apart_and_missing_ones_are_empty() -> None:
    records = MetadataRecords([batch({key("f", "c"): ints(1, 2), key("f", "d"): ints(3, 4)})], [])
    found = read_statistics(records, ["c", "d", "e"], FILE_KEY)
    assert [len(found[column]) for column in ("c", "d", "e")] == [1, 1, 0]
    assert found["c"][0].keys[0].tobytes() == suffix("f")
    assert bound(found["d"][0].statistics, 0, lower=True) == 3


def test_names_of_columns_in_keys_are_compared_in_whole() -> None:
    """META-10."""
    alike = [key("f")[:8] + other + key("f")[12:] for other in (bytes(4), b"\xff" * 4)]
    records = MetadataRecords([batch({alike[0]: ints(3, 4), key("f"): ints(1, 2), alike[1]: ints(5, 6)})], [])
    assert reported(records) == {suffix("f"): ("Int", 1, 2, 0, 1)}


def test_no_records_at_all() -> None:
    assert read_statistics(MetadataRecords([], []), ["c"], FILE_KEY) == {"c": ()}


def test_records_of_one_key_merge_by_the_widest_bounds_and_added_counts() -> None:
    """META-11."""
    base = batch({key("f"): ints(5, 9, nulls=1, rows=4), key("g"): ints(0, 0)})
    log = batch({key("f"): ints(2, 7, nulls=0, rows=3)}, 1)
    assert reported(MetadataRecords([base, log], [])) == {
        suffix("f"): ("Int", 2, 9, 1, 7),
        suffix("g"): ("Int", 0, 0, 0, 1),
    }


def test_a_tight_record_replaces_earlier_ones() -> None:
    """META-11."""
    base, log = batch({key("f"): ints(5, 9)}), batch({key("f"): ints(6, 7, tight=True, rows=3)}, 1)
    assert reported(MetadataRecords([base, log], [])) == {suffix("f"): ("Int", 6, 7, 0, 3)}


def test_deleted_records_and_keys_are_absent_until_written_again() -> None:
    """META-11."""
    base = batch({key(file): ints(1, 2) for file in "abcd"})
    log = batch({key("a"): statistics(deleted=True), key("b"): statistics(deleted=True)}, 1)
    again = batch({key("b"): ints(7, 8), key("d"): ints(7, 8)}, 3)
    deleted = [MetadataDeletes([key("c"), key("d"), b"other"], 2)]
    found = reported(MetadataRecords([base, log, again], deleted))
    assert found == {suffix("b"): ("Int", 7, 8, 0, 1), suffix("d"): ("Int", 7, 8, 0, 1)}


def test_unknown_bound_or_count_of_a_part_is_unknown_in_the_whole() -> None:
    """META-11."""
    base = batch({key("f"): ints(1, 2), key("g"): ints(1, 2), key("h"): ints(1, 2, nulls=None)})
    log = batch(
        {
            key("f"): statistics(None, ("IntWrapper", 5), ordinal=3),
            key("g"): statistics(None, None, ordinal=3, nulls=1, rows=1),
            key("h"): ints(3, 4),
        },
        1,
    )
    assert reported(MetadataRecords([base, log], [])) == {
        suffix("f"): ("Int", None, 5, 0, 2),
        suffix("g"): ("Int", 1, 2, 1, 2),
        suffix("h"): ("Int", 1, 4, -1, 2),
    }


def test_records_of_one_key_without_values_have_no_bounds_together() -> None:
    """META-11."""
    empty = {key("f"): statistics(None, None, ordinal=3, nulls=2, rows=2)}
    found = reported(MetadataRecords([batch(empty), batch(empty, 1)], []))
    assert found == {suffix("f"): ("Int", None, None, 4, 4)}


def test_known_and_unknown_counts_are_not_added() -> None:
    base = batch({key("f"): ints(1, 2, nulls=None, rows=9), key("g"): ints(1, 2, nulls=3, rows=9)})
    log = batch({key("f"): ints(3, 4, nulls=2, rows=5), key("g"): ints(3, 4, nulls=None, rows=5)}, 1)
    found = reported(MetadataRecords([base, log], []))
    assert found == {suffix("f"): ("Int", 1, 4, -1, 14), suffix("g"): ("Int", 1, 4, -1, 14)}
    unknown = batch({key("f"): ints(3, 4, nulls=2, rows=None)}, 1)
    assert reported(MetadataRecords([batch({key("f"): ints(1, 2, rows=9)}), unknown], []))[suffix("f")][3:] == (-1, -1)


def test_nan_that_one_of_several_records_may_hide_is_not_forgotten() -> None:
    def doubles(lower: float, upper: float) -> dict[str, Any]:
        return statistics(("DoubleWrapper", lower), ("DoubleWrapper", upper), ordinal=6)

    base = batch({key("f"): doubles(0.0, 0.0), key("g"): doubles(1.0, 2.0), key("h"): doubles(1.0, 2.0)})
    log = batch({key("f"): doubles(3.0, 4.0), key("g"): doubles(0.0, 0.0), key("h"): doubles(3.0, 4.0)}, 1)
    (found,) = read_statistics(MetadataRecords([base, log], []), ["c"], FILE_KEY)["c"]
    assert found.statistics.nans is not None
    nans = {row.tobytes(): nan for row, nan in zip(found.keys, found.statistics.nans.tolist(), strict=True)}
    assert nans == {suffix("f"): True, suffix("g"): True, suffix("h"): False}


def test_a_record_of_a_deleted_file_is_none_whether_others_have_its_key_or_not() -> None:
    alone = batch({key("f"): ints(1, 2), key("g"): statistics(deleted=True)})
    assert reported(MetadataRecords([alone], [])) == {suffix("f"): ("Int", 1, 2, 0, 1)}
    log = batch({key("f"): ints(3, 4), key("h"): statistics(deleted=True)}, 1)
    assert reported(MetadataRecords([alone, log], [])) == {suffix("f"): ("Int", 1, 4, 0, 2)}


@pytest.mark.parametrize("together", [False, True], ids=["alone", "beside-another"])
def test_a_record_without_statistics_is_none(together: bool) -> None:
    """META-231: nothing is known of its file, and nothing of what was known before."""
    blank = batch({key("f"): files(x=1), key("g"): ints(3, 4)}, 1)
    before = [batch({key("f"): ints(1, 2)})] if together else []
    assert reported(MetadataRecords([*before, blank], [])) == {suffix("g"): ("Int", 3, 4, 0, 1)}


@pytest.mark.parametrize(
    ("one", "other", "of"), [(16, 15, "Timestamp"), (15, 16, "Timestamp"), (4, 16, "Timestamp"), (3, 12, "Date")]
)
def test_bounds_of_two_types_that_are_stored_alike_are_void(one: int, other: int, of: str) -> None:
    """Such as a column of microseconds that was milliseconds: the numbers do not compare."""
    wrapper = "IntWrapper" if of == "Date" else "LongWrapper"
    base = batch({key("f"): statistics((wrapper, 5_000), (wrapper, 6_000), ordinal=one)})
    log = batch({key("f"): statistics((wrapper, 7), (wrapper, 8), ordinal=other)}, 1)
    assert reported(MetadataRecords([base, log], [])) == {suffix("f"): (of, None, None, 0, 2)}


def test_record_without_bounds_and_type_merges_into_one_that_has_them() -> None:
    base = batch({key("f"): statistics(("LongWrapper", 5), ("LongWrapper", 6))}, 0, OLDEST)
    log = batch({key("f"): statistics(nulls=2, rows=2), key("g"): statistics(nulls=2, rows=2)}, 1, OLDEST)
    found = reported(MetadataRecords([base, log], []))
    assert found == {suffix("f"): ("Long", 5, 6, 2, 3), suffix("g"): ("Binary", None, None, 2, 2)}


def test_bounds_of_two_types_under_one_key_are_void_but_counts_add() -> None:
    """META-13."""
    base = batch({key("f"): ints(5, 6, rows=3)})
    log = batch({key("f"): statistics(("StringWrapper", "a"), ("StringWrapper", "b"), ordinal=7)}, 1)
    assert reported(MetadataRecords([base, log], [])) == {suffix("f"): ("String", None, None, 0, 4)}


def test_one_column_comes_apart_by_the_types_it_was_stored_with() -> None:
    records = {
        key("a"): ints(1, 2),
        key("b"): statistics(("LongWrapper", 1), ("LongWrapper", 2), ordinal=4),
        key("c"): statistics(("BytesWrapper", b"\x01"), ("BytesWrapper", b"\xff\x01"), ordinal=10, detail="10,2"),
        key("d"): statistics(("BytesWrapper", b"\x80"), ("BytesWrapper", b"\x7f"), ordinal=10, detail="12,2"),
        key("e"): statistics(("BytesWrapper", b"\xff"), ("BytesWrapper", bytes(15)), ordinal=10, detail="38,4"),
        key("f"): statistics(("BytesWrapper", b"\x01"), ("BytesWrapper", b"\x02"), ordinal=10, detail="30,15"),
    }
    assert reported(MetadataRecords([batch(records)], [])) == {
        suffix("a"): ("Int", 1, 2, 0, 1),
        suffix("b"): ("Long", 1, 2, 0, 1),
        suffix("c"): ("Decimal", Decimal("0.01"), Decimal("-2.55"), 0, 1),
        suffix("d"): ("Decimal", Decimal("-1.28"), Decimal("1.27"), 0, 1),
        suffix("e"): ("Decimal", Decimal("-0.0001"), Decimal("0.0000"), 0, 1),
        suffix("f"): ("Decimal", Decimal("1E-15"), Decimal("2E-15"), 0, 1),
    }


WRAPPED: list[tuple[str, object, t.Type]] = [
    ("BooleanWrapper", True, t.Boolean()),
    ("IntWrapper", -3, t.Int()),
    ("LongWrapper", 2**40, t.Long()),
    ("FloatWrapper", 1.5, t.Float()),
    ("DoubleWrapper", -2.5, t.Double()),
    ("BytesWrapper", b"\x80", t.Binary()),
    ("StringWrapper", "é", t.String()),
    ("DateWrapper", 7, t.Date()),
    ("DecimalWrapper", b"\x01", t.Decimal(30, 15)),
    ("TimeMicrosWrapper", 5, t.Time()),
    ("TimestampMicrosWrapper", 5, t.Timestamp()),
    ("LocalDateWrapper", -7, t.Date()),
]


@pytest.mark.parametrize(("wrapper", "value", "of"), WRAPPED, ids=lambda part: str(part)[:20])
def test_records_without_a_type_have_that_of_their_wrapper(wrapper: str, value: object, of: t.Type) -> None:
    records = MetadataRecords([batch({key("f"): statistics((wrapper, value), (wrapper, value))}, 0, OLDEST)], [])
    (found,) = read_statistics(records, ["c"], FILE_KEY)["c"]
    assert (found.statistics.type, found.typed) == (of, False)
    assert found.statistics.lower_known.tolist() == found.statistics.upper_known.tolist() == [True]


def test_type_that_is_not_known_gives_counts_only() -> None:
    """META-12."""
    answer = statistics(("LongWrapper", 1), ("LongWrapper", 2), ordinal=99, nulls=0, rows=3)
    assert reported(MetadataRecords([batch({key("f"): answer})], [])) == {suffix("f"): ("Binary", None, None, 0, 3)}


def test_bounds_of_another_form_than_the_type_are_unknown() -> None:
    answer = statistics(("StringWrapper", "1"), ("LongWrapper", 2), ordinal=4)
    assert reported(MetadataRecords([batch({key("f"): answer})], [])) == {suffix("f"): ("Long", None, 2, 0, 1)}


def test_key_of_another_size_is_damage() -> None:
    """META-10."""
    with pytest.raises(CorruptFileError, match="source 0: expected keys of 48 bytes, found one of 24"):
        read_statistics(MetadataRecords([batch({b"k" * 24: ints(1, 2)})], []), ["c"], FILE_KEY)


def test_schema_of_something_else_is_damage() -> None:
    made = batch({key("f"): ints(1, 2)})
    other = json.dumps({"type": "record", "name": "r", "fields": [{"name": "x", "type": "bytes"}]})
    with pytest.raises(CorruptFileError, match="source 0"):
        read_statistics(MetadataRecords([type(made)(made.cells, other, 0, made.where)], []), ["c"], FILE_KEY)


answer = st.builds(
    lambda lower, width, nulls, more, flags: (lower, lower + width, nulls, nulls + more, *flags),
    st.integers(-5, 5),
    st.integers(0, 5),
    st.integers(0, 3),
    st.integers(1, 3),
    st.sampled_from([(False, False)] * 4 + [(True, False), (False, True)]),
)
sources = st.lists(st.dictionaries(st.sampled_from("abc"), answer | st.none(), max_size=3), max_size=5)


@settings(max_examples=cases(150))
@given(sources, st.booleans(), st.integers(0, 5))
def test_merging_is_that_of_applying_record_after_record(
    events: list[dict[str, Any]], collide: bool, first: int
) -> None:
    state: dict[str, Any] = {}
    batches, deletes = [], []
    for order, event in enumerate(events):
        for file, record in sorted(event.items()):
            before = state.pop(file, None)
            if record is None:
                continue
            lower, upper, nulls, rows, deleted, tight = record
            if before is not None and not (before[4] or deleted or tight):
                lower, upper = min(lower, before[0]), max(upper, before[1])
                nulls, rows = nulls + before[2], rows + before[3]
            state[file] = (lower, upper, nulls, rows, deleted)
        there = {
            key(file): ints(record[0], record[1], nulls=record[2], rows=record[3], deleted=record[4], tight=record[5])
            for file, record in sorted(event.items())
            if record is not None
        }
        batches.append(batch(there, order))
        deletes.append(MetadataDeletes([key(file) for file, record in event.items() if record is None], order))
    records = MetadataRecords(batches, [element for element in deletes if element.keys])
    mixers = live._MIXERS
    try:
        if collide:
            live._MIXERS = np.zeros_like(mixers)
        found = reported(records)
        in_pieces = reported(replace(records, batches=batches[1:]), pieces=cut(batches[0])) if batches else found
    finally:
        live._MIXERS = mixers
    assert in_pieces == found
    kept = read_statistics(
        MetadataRecords(batches[:first], [element for element in deletes[:first] if element.keys]), ["c"], FILE_KEY
    )["c"]
    if kept:
        later = MetadataRecords(batches[first:], [element for element in deletes[first:] if element.keys])
        grown = extend(kept, later, "c", FILE_KEY)
        assert grown is not None
        assert statistics_by_key(grown) == found
    assert found == {suffix(file): ("Int", *kept[:4]) for file, kept in state.items() if not kept[4]}


@each_table(every=3)
def test_records_of_every_table_are_as_recorded(entry: TableEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    _, config, _, metadata = metadata_of(entry)
    if metadata is None or not {"column_stats", "partition_stats"} & metadata.partitions:
        pytest.skip("the table has no column statistics")
    monkeypatch.setattr(module, "trust_statistics", lambda recorded, *_, **__: recorded)
    expressions = {
        metadata_key.tobytes()
        for partition in config.metadata_partitions
        if partition.startswith("expr_index_")
        for element in metadata.records(partition).batches
        for metadata_key in _keys_of(element)
    }
    sizes = {"column_stats": FILE_KEY, "partition_stats": PARTITION_KEY}
    recorded = {partition: _live_of(entry, partition) for partition in sizes if partition in metadata.partitions}
    if not any(recorded.values()):
        pytest.skip("records of its column statistics are not recorded")
    for partition, known in recorded.items():
        if known is None:
            continue
        columns = sorted({column for column, _ in known.values()})
        read = metadata.column_stats if sizes[partition] == FILE_KEY else metadata.partition_stats
        found = {
            xxh64_id(column).encode() + element.keys[row].tobytes(): (element, row)
            for column, groups in read(columns).items()
            for element in groups
            for row in range(len(element))
        }
        # The record of a table with expression indexes has their statistics under the same keys.
        assert set(found) - expressions == set(known) - expressions
        for at, (_, stats) in known.items():
            if stats is not None and at not in expressions:
                # As text: NaN equals NaN, and -0.0 does not equal 0.0.
                assert repr(_as_recorded(*found[at])) == repr(_recorded(stats, found[at][0].statistics.type))


def _keys_of(element: Any) -> list[Any]:
    cells = element.cells
    return [cells.data[at : at + n] for at, n in zip(cells.key_offsets, cells.key_lengths, strict=True)]


def _live_of(entry: TableEntry, partition: str) -> dict[bytes, tuple[str, Any]] | None:
    """The recorded live view: key → column and statistics (None where only keys were recorded)."""
    recorded = entry.expected.get("metadata_table") or {}
    if isinstance(recorded.get(partition), list):
        return {
            element["key"].encode(): (element["stats"]["columnName"], element["stats"])
            for element in recorded[partition]
        }
    of_corpus = recorded.get("partitions", {}).get(partition)
    if of_corpus is None:
        return None
    paths = _partition_paths(recorded)
    if partition == "partition_stats":
        return {(xxh64_id(column) + partition_id(path)).encode(): (column, None) for path, column in of_corpus["live"]}
    return {column_stats_key(column, paths[file], file).encode(): (column, None) for file, column in of_corpus["live"]}


def _partition_paths(recorded: Any) -> dict[str, str]:
    listed = recorded["partitions"]["files"]["live"]
    return {file: path for path, files in listed.items() if path != "__all_partitions__" for file in files}


def _as_recorded(element: RecordedStatistics, row: int) -> tuple[Any, ...]:
    of = element.statistics
    return bound(of, row, lower=True), bound(of, row, lower=False), int(of.nulls[row]), int(of.rows[row])


def _recorded(stats: dict[str, Any], of: t.Type) -> tuple[Any, ...]:
    return (
        _value(stats["minValue"], of),
        _value(stats["maxValue"], of),
        -1 if stats["nullCount"] is None else stats["nullCount"],
        -1 if stats["valueCount"] is None else stats["valueCount"],
    )


def _value(wrapped: dict[str, Any] | None, of: t.Type) -> object:
    match None if wrapped is None else wrapped["value"]:
        case None:
            return None
        case {"base64": text}:
            data = base64.b64decode(text)
            if isinstance(of, t.Decimal):
                return Decimal(int.from_bytes(data, "big", signed=True)).scaleb(-of.scale)
            return data
        case {"float": text}:
            return float(text.replace("Infinity", "inf"))
        case bool(flag):
            return int(flag)
        case str(text):
            return Decimal(text) if isinstance(of, t.Decimal) else text.encode()
        case number:
            return number


def test_a_mixture_with_all_bits_set_is_looked_up_like_others() -> None:
    mixed, others = np.array([2**64 - 1, 0, 5], np.uint64), np.array([2**64 - 1, 5], np.uint64)
    assert live._may_be_among(mixed, others).tolist() == [True, False, True]
