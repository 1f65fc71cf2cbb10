"""Which blocks of which kinds a slice is made of, seen through its rows.

Also covers: `reading/log_records.py`, `reading/slice_merge.py`.
"""

from __future__ import annotations

import gc
import io
import json
import re
import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.files.parquet import OpenedParquet
from hudi_core.errors import CorruptFileError, HudiError, SchemaError, UnsupportedError
from hudi_core.formats.avro.block import join_records
from hudi_core.formats.log import LogBlock
from hudi_core.merge.rules import PAYLOADS
from hudi_core.reading import base_files, log_records
from hudi_core.reading.block_files import OneFileStorage
from tests.support.hfiles import build
from tests.support.logged_tables import (
    BASE_INSTANT,
    COLUMNS,
    FILE_ID,
    Block,
    LoggedTable,
    frame,
    log_bytes,
    schema_of,
    with_meta,
)

BASE = [{"id": f"key-{number}", "ts": 1, "v": "base", "n": number} for number in range(4)]
LOGGED = {"id": "key-1", "ts": 2, "v": "log", "n": 11}
FIRST, SECOND, THIRD = (f"202401010000{number:05}" for number in (1, 2, 3))


def table(*blocks: Block, **properties: str) -> LoggedTable:
    made = LoggedTable(BASE, blocks, {f"hoodie.{key.replace('__', '.')}": value for key, value in properties.items()})
    made.open()
    return made


def values(made: LoggedTable, **requested: Any) -> dict[str, Any]:
    return {row["id"]: row["v"] for row in made.open().scan(**requested).to_json_rows()}


def with_content(made: LoggedTable, content: bytes) -> LoggedTable:
    """The table with other bytes as its last log file."""
    made.memory.files[made.logs[-1]] = content
    return made


UNTOUCHED = {row["id"]: "base" for row in BASE}


def test_blocks_of_hfiles_are_read() -> None:
    """LOG-9."""
    schema = schema_of(COLUMNS)
    encoded = log_bytes(Block([LOGGED]), FIRST)
    record = encoded[encoded.index(struct.pack(">ii", 3, 1)) + 12 : -12]
    content = frame(4, {0: FIRST, 2: json.dumps(schema)}, build([(b"key-1", record)]))
    assert values(with_content(table(Block([LOGGED])), content)) == UNTOUCHED | {"key-1": "log"}


def test_blocks_of_parquet_are_read() -> None:
    """LOG-9."""
    out = io.BytesIO()
    row = {**with_meta(LOGGED), "n": pa.scalar(LOGGED["n"], pa.int32())}
    pq.write_table(pa.table({name: pa.array([value]) for name, value in row.items()}), out)
    content = frame(5, {0: FIRST, 2: json.dumps(schema_of(COLUMNS))}, out.getvalue())
    assert values(with_content(table(Block([LOGGED])), content)) == UNTOUCHED | {"key-1": "log"}


def test_no_contents_of_blocks_are_kept() -> None:
    test_blocks_of_parquet_are_read()
    kept = [item for item in gc.get_objects() if isinstance(item, OneFileStorage)]
    assert not any(item.content.data for item in kept)


def test_blocks_of_changes_are_passed_over() -> None:
    content = log_bytes(Block([LOGGED]), FIRST)
    changes = frame(6, {0: FIRST, 2: json.dumps(schema_of(COLUMNS))}, struct.pack(">ii", 3, 0))
    assert values(with_content(table(Block([LOGGED])), changes + content)) == UNTOUCHED | {"key-1": "log"}


def test_corrupt_regions_hold_no_rows() -> None:
    content = log_bytes(Block([LOGGED]), FIRST)
    assert values(with_content(table(Block([LOGGED])), content + b"#HUDI# and no more")) == UNTOUCHED | {"key-1": "log"}
    assert values(with_content(table(Block([LOGGED])), b"no block at all")) == UNTOUCHED


def test_rolled_back_blocks_do_not_count() -> None:
    command = frame(0, {0: SECOND, 1: FIRST, 3: "0"}, b"")
    made = table(Block([LOGGED]), Block([{**LOGGED, "id": "key-2"}]))
    made.memory.files[made.logs[-1]] += command
    assert values(made) == UNTOUCHED | {"key-2": "log"}


def test_logs_of_failed_writes_are_in_a_slice_of_layout_1_and_their_blocks_do_not_count() -> None:
    """Their names tell the slice alone; which write left a block, only the block does."""
    made = table(Block([LOGGED]), Block([{**LOGGED, "ts": 3, "v": "failed"}]))
    files, logs = made.memory.files, made.logs
    for number, path in enumerate(logs, start=1):
        files[f".{FILE_ID}_{BASE_INSTANT}.log.{number}_0-1-1"] = files.pop(path)
    for path in [path for path in files if path.startswith(".hoodie/timeline/")]:
        instant, _, action = path.rpartition("/")[2].partition(".")
        name = f"{instant.partition('_')[0]}.{action}{'.inflight' if instant.startswith(SECOND) else ''}"
        files[f".hoodie/{name}"] = files.pop(path)
    made.properties = {"hoodie.table.version": "6", "hoodie.timeline.layout.version": "1"}
    (only,) = made.open().slices()
    assert len(only.logs) == 2
    assert values(made) == {**UNTOUCHED, "key-1": "log"}


def test_log_compacted_blocks_stand_for_others() -> None:
    made = table(Block([LOGGED]), Block(deletes=[("key-3", None)]), Block([{**LOGGED, "v": "compacted"}]))
    schema = {2: json.dumps(schema_of(COLUMNS)), 4: f"{FIRST},{SECOND}"}
    plain = made.memory.files[made.logs[-1]]
    content = plain[plain.index(struct.pack(">ii", 3, 1)) : -12]
    assert values(with_content(made, frame(3, {0: THIRD, **schema}, content))) == UNTOUCHED | {"key-1": "compacted"}


def test_a_query_of_a_time_sees_the_blocks_until_then() -> None:
    """QUERY-1."""
    made = table(Block([LOGGED]), Block([{**LOGGED, "ts": 3, "v": "later"}]))
    assert values(made)["key-1"] == "later"
    assert values(made, as_of=FIRST)["key-1"] == "log"


def test_a_slice_of_logs_alone_has_their_rows() -> None:
    made = LoggedTable(None, [Block([LOGGED]), Block([{**LOGGED, "id": "key-9"}])])
    assert values(made) == {"key-1": "log", "key-9": "log"}


def test_a_read_optimized_query_sees_no_logs() -> None:
    """MERGE-14."""
    made = table(Block([LOGGED]))
    assert values(made, read_optimized=True) == UNTOUCHED
    alone = LoggedTable(None, [Block([LOGGED])])
    assert values(alone, read_optimized=True) == {}


def test_keys_and_ordering_fields_are_read_though_nobody_wants_them() -> None:
    """MERGE-13."""
    made = table(Block([{**LOGGED, "ts": 0}, {**LOGGED, "id": "key-2"}]))
    rows = list(made.open().scan(columns=["n"]).to_json_rows())
    assert sorted(row["n"] for row in rows) == [0, 1, 3, 11]


def test_of_several_rows_with_one_key_the_first_is_merged() -> None:
    twice = [BASE[1], {**BASE[1], "v": "again"}]
    made = LoggedTable(twice, [Block([LOGGED])], row_group=1)
    assert sorted(row["v"] for row in made.open().scan().to_json_rows()) == ["again", "log"]


def test_positions_of_another_base_file_are_not_used() -> None:
    """MERGE-15."""
    made = table(Block([LOGGED], positions=[3]))
    path = made.logs[-1]
    made.memory.files[path] = made.memory.files[path].replace(b"20240101000000000", b"20231231000000000")
    assert values(made) == UNTOUCHED | {"key-1": "log"}


def test_fewer_positions_than_records_are_not_used() -> None:
    """MERGE-15."""
    made = table(Block([LOGGED, {**LOGGED, "id": "key-2"}], positions=[3]))
    assert values(made) == UNTOUCHED | {"key-1": "log", "key-2": "log"}


@pytest.mark.parametrize(
    ("payload", "kept"),
    [
        ("HoodieAvroPayload", ["lower", "same", "higher", "null"]),
        ("FirstValueAvroPayload", ["base", "base", "higher", "base"]),
        ("ReverseOrderHoodieRecordPayload", ["lower", "same", "base", "base"]),
    ],
)
def test_payload_classes_that_no_property_spells_decide_which_row_stays(payload: str, kept: list[str]) -> None:
    """MERGE-17."""
    times = {"lower": 0, "same": 1, "higher": 2, "null": None}
    rows = [{**BASE[at], "ts": ts, "v": v} for at, (v, ts) in enumerate(times.items())]
    stated = {"hoodie.compaction.payload.class": f"org.apache.hudi.common.model.{payload}"}
    made = LoggedTable(BASE, [Block(rows)], {**stated, "hoodie.record.merge.mode": "CUSTOM"})
    found = {row["id"]: row["v"] for row in made.open().scan(columns=["id", "v"]).to_json_rows()}
    assert [found[row["id"]] for row in BASE] == kept


@pytest.mark.parametrize(("version", "commit"), [("8", THIRD), ("9", FIRST)])
def test_before_version_9_a_late_row_of_a_partial_update_leaves_its_commit(version: str, commit: str) -> None:
    """MERGE-18."""
    payload = "org.apache.hudi.common.model.PartialUpdateAvroPayload"
    stated = {"hoodie.compaction.payload.class": payload, "hoodie.table.version": version}
    if version == "8":
        stated["hoodie.record.merge.mode"] = "CUSTOM"
    first, late = ({**LOGGED, "v": None, "ts": ts, "_hoodie_commit_time": at} for ts, at in ((5, FIRST), (3, THIRD)))
    made = LoggedTable(BASE, [Block([first]), Block(deletes=[("key-3", None)]), Block([{**late, "n": 12}])], stated)
    (row,) = made.open().scan("id = 'key-1'", meta=True).to_json_rows()
    assert (row["_hoodie_commit_time"], row["v"], row["n"]) == (commit, "base", 11)


def test_places_in_a_binary_log_are_compared_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    base = [{**row, "v": "3.100"} for row in BASE]
    rows = [{**row, "v": v} for row, v in zip(BASE, ("3.99", "3.100", "03.101", "4.1"), strict=True)]
    payload = "org.apache.hudi.common.model.debezium.MySqlDebeziumAvroPayload"
    meaning = PAYLOADS[payload]
    assert meaning.before_9 is not None
    by_v = replace(meaning, before_9=replace(meaning.before_9, ordering_fields=("v",)))
    monkeypatch.setitem(PAYLOADS, payload, by_v)
    stated = {"hoodie.compaction.payload.class": payload, "hoodie.record.merge.mode": "CUSTOM"}
    made = LoggedTable(base, [Block(rows)], {**stated, "hoodie.table.version": "8"})
    assert list(values(made).values()) == ["3.100", "3.100", "03.101", "4.1"]
    broken = LoggedTable(base, [Block([{**BASE[0], "v": "nowhere"}])], made.properties)
    with pytest.raises(CorruptFileError, match=r"of a binary log, .* found 'nowhere'"):
        values(broken)


def test_a_custom_payload_is_refused_by_name() -> None:
    stated = {"record__merge__mode": "CUSTOM", "compaction__payload__class": "com.example.Mine"}
    with pytest.raises(UnsupportedError, match=r"found com\.example\.Mine"):
        values(table(Block([LOGGED]), **stated))


@pytest.mark.parametrize("requested", [{}, {"where": "n > 7"}])
def test_base_files_of_a_bootstrap_are_refused(requested: dict[str, str]) -> None:
    """TABLE-18, TABLE-731: of a table that does not name the folder of the other files, or has no index of them."""
    made = LoggedTable(BASE, [])
    made.open()
    made.memory.files = {
        path.replace(BASE_INSTANT, "00000000000001"): content.replace(BASE_INSTANT.encode(), b"00000000000001")
        for path, content in made.memory.files.items()
    }
    with pytest.raises(HudiError, match=r"\.bootstrap/\.fileids"):
        made.open().scan(**requested).to_arrow()


def test_a_record_without_a_key_is_damage() -> None:
    made = table(Block([{**LOGGED, "_hoodie_record_key": None}]))
    with pytest.raises(HudiError, match="a key in every record"):
        values(made)


def test_small_blocks_of_one_schema_are_decoded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    made = table(
        Block([LOGGED]),
        Block([{**LOGGED, "ts": 3, "v": "later"}, {**LOGGED, "id": "key-2"}]),
        Block(deletes=[("key-0", None)]),
        Block([{**LOGGED, "id": "key-0", "v": "again"}]),
        Block([{**LOGGED, "id": "key-3"}], columns=["id", "ts", "v"]),
        Block([{**LOGGED, "id": "key-9"}], columns=["id", "ts", "v"]),
        Block([{**LOGGED, "id": "key-8"}]),
    )
    together: list[int] = []

    def noted(blocks: Sequence[LogBlock]) -> Any:
        together.append(len(blocks))
        return join_records(blocks)

    monkeypatch.setattr(log_records, "join_records", noted)
    expected = {"key-0": "again", "key-1": "later", "key-2": "log", "key-3": "log", "key-9": "log", "key-8": "log"}
    assert values(made) == expected
    assert together == [2, 2]
    monkeypatch.setattr(log_records, "MAX_RUN_BYTES", 1)
    assert values(made) == expected
    assert together == [2, 2]


@pytest.mark.parametrize(
    ("sound", "broken"),
    [
        (b"\x06log", b"\x07log"),
        (b"key-7", b"key-\xff"),
        (struct.pack(">ii", 3, 1), struct.pack(">ii", 3, 2)),
        (struct.pack(">ii", 3, 1), struct.pack(">ii", 3, 0)),
    ],
)
def test_of_blocks_decoded_together_the_damaged_one_is_named(sound: bytes, broken: bytes) -> None:
    made = table(*(Block([{**LOGGED, "id": f"key-{number}"}]) for number in (1, 7, 2)))
    damaged = made.logs[1]
    made.memory.files[damaged] = made.memory.files[damaged].replace(sound, broken)
    with pytest.raises(CorruptFileError, match=rf"{re.escape(damaged)}, block at 0"):
        values(made)


def test_of_blocks_decoded_together_that_with_a_record_without_a_key_is_named() -> None:
    made = table(Block([LOGGED]), Block([{**LOGGED, "_hoodie_record_key": None}]), Block([LOGGED]))
    with pytest.raises(CorruptFileError, match=rf"{re.escape(made.logs[1])}, block at 0"):
        values(made)


def test_a_table_without_key_columns_is_refused() -> None:
    stated = {"populate__meta__fields": "false", "table__recordkey__fields": "nope"}
    with pytest.raises(SchemaError, match="no nope"):
        values(table(Block([LOGGED]), **stated))


def test_a_base_file_is_merged_a_batch_at_a_time() -> None:
    rows = [{"id": f"key-{number}", "ts": 1, "v": f"{number:0500}", "n": number} for number in range(20_000)]
    made = LoggedTable(rows, [Block([LOGGED])], row_group=1000)
    batches = made.open().scan(columns=["v"]).batches()
    before, most, count = pa.total_allocated_bytes(), 0, 0
    for batch in batches:
        count += batch.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    assert count == len(rows)
    assert most < 20_000 * 500 // 2


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[tuple[set[str], Sequence[int] | None]]:
    """What is asked of the reader of base files: columns, row groups. No row group counts as small."""
    monkeypatch.setattr(base_files, "SMALL_ROW_GROUP_BYTES", 0)
    found: list[tuple[set[str], Sequence[int] | None]] = []
    read = OpenedParquet.batches

    def noted(self: OpenedParquet, columns: Any, row_groups: Any = None, keep: Any = None) -> Any:
        found.append(({path[0] for path in columns}, row_groups))
        return read(self, columns, row_groups, keep)

    monkeypatch.setattr(OpenedParquet, "batches", noted)
    return found


def grouped(block: Block, **properties: str) -> LoggedTable:
    """Two row groups of two rows."""
    stated = {f"hoodie.{key.replace('__', '.')}": value for key, value in properties.items()}
    return LoggedTable(BASE, [block], stated, row_group=2)


Requests = list[tuple[set[str], Sequence[int] | None]]
KEY = "_hoodie_record_key"
ROW = {"id", "ts", "v", "n"}


def test_of_row_groups_that_cannot_match_only_keys_and_ordering_fields_are_read(requested: Requests) -> None:
    """MERGE-16."""
    made = grouped(Block([{**LOGGED, "n": 3}]))
    assert values(made, where="n >= 3", columns=ROW) == {"key-1": "log", "key-3": "base"}
    assert requested == [({KEY, "ts"}, [0]), ({"n"}, [1]), ({KEY, *ROW}, [1])]
    requested.clear()
    assert values(made, where="n > 90", columns=ROW) == {}
    assert requested == [({KEY, "ts"}, [0]), ({KEY, "ts"}, [1])]


def test_a_late_record_loses_to_a_row_that_does_not_match() -> None:
    assert values(grouped(Block([{**LOGGED, "ts": 0, "n": 9}])), where="n >= 3", columns=ROW) == {"key-3": "base"}


def test_by_position_row_groups_that_cannot_match_are_read_only_where_logs_have_late_rows(
    requested: Requests,
) -> None:
    """MERGE-16."""
    block = Block([{**LOGGED, "n": 3}], positions=[1])
    assert values(grouped(block), where="n > 90", columns=ROW) == {}
    assert requested == [({"ts"}, [0])]
    requested.clear()
    made = grouped(block, record__merge__mode="COMMIT_TIME_ORDERING")
    assert values(made, where="n >= 3", columns=ROW) == {"key-1": "log", "key-3": "base"}
    assert requested == [({"n"}, [1]), (ROW, [1])]


def test_row_groups_that_logs_fill_up_from_are_read_whole(requested: Requests) -> None:
    """MERGE-16."""
    made = grouped(Block([{**LOGGED, "n": 3}], columns=("id", "ts", "n")))
    assert values(made, where="n = 3 AND id < 'key-3'", columns=ROW) == {"key-1": "base"}
    assert requested == [({KEY, "ts"}, [0]), ({KEY, *ROW}, [0]), ({"n", "id"}, [1]), ({KEY, "ts"}, [1])]
