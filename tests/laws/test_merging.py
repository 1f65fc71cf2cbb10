"""What is read of a slice with logs is what merging its records one by one leaves, however files are cut; and damage is named.

Also covers: `reading/log_buffer.py`, `reading/merge_columns.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.errors import HudiError
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.schema.meta import RECORD_KEY
from tests.support.drawing import cases, seed
from tests.support.log_blocks import data_rows, deleted_keys
from tests.support.logged_tables import COLUMNS, Block, LoggedTable
from tests.support.spilling import spilled

KEYS = [f"key-{number}" for number in range(6)]
Row = dict[str, Any]


def by_definition(table: LoggedTable) -> list[Row]:
    """The rows that are left, by rules MERGE-3 to MERGE-11, a record at a time."""
    event_time = table.properties.get("hoodie.record.merge.mode") != "COMMIT_TIME_ORDERING"
    logged: dict[str, tuple[Row | None, int | None, set[str]]] = {}
    for block in table.blocks:
        given_columns = set(block.columns or COLUMNS)
        for row in block.rows:
            new = ({name: row.get(name) if name in given_columns else None for name in COLUMNS}, row.get("ts") or 0)
            key = row.get(RECORD_KEY, row["id"])
            logged[key] = merged(logged.get(key), (*new, given_columns), event_time)
        for key, ts in block.deletes:
            old = logged.get(key)
            if not (event_time and old is not None and old[0] is None and old[1] is None):
                logged[key] = merged(old, (None, ts, set(COLUMNS)), event_time)
    left: list[Row] = []
    for row in table.base or ():
        old = (dict(row), row["ts"] or 0, set(COLUMNS))
        found = merged(old, logged.pop(row["id"]), event_time)[0] if row["id"] in logged else dict(row)
        left += [found] if found is not None else []
    return left + [row for row, _, _ in logged.values() if row is not None]


def merged(old: Any, new: Any, event_time: bool) -> Any:
    """Each is a row, or None for a delete; its ordering value, None where it has none; and the columns that it gives."""
    if old is None:
        return new
    late = event_time and new[1] is not None and old[1] is not None and new[1] < old[1]
    high, low = (old, new) if late else (new, old)
    if high[0] is None or low[0] is None:
        return high
    row = {name: (high if name in high[2] else low)[0][name] for name in COLUMNS}
    return row, high[1], high[2] | low[2]


def in_order(rows: list[Row]) -> list[str]:
    return sorted(repr({name: row[name] for name in COLUMNS}) for row in rows)


@st.composite
def rows(draw: st.DrawFn, key: str) -> Row:
    ts = draw(st.one_of(st.none(), st.integers(-2, 3)))
    return {"id": key, "ts": ts, "v": draw(st.sampled_from(["", "a", "b", None])), "n": draw(st.integers(0, 9))}


@st.composite
def tables(draw: st.DrawFn) -> LoggedTable:
    held = draw(st.lists(st.sampled_from(KEYS), max_size=5))
    base = [draw(rows(key)) for key in held] if draw(st.booleans()) else None
    by_position = base is not None and len(set(held)) == len(held) and draw(st.booleans())
    among = held if by_position else KEYS
    blocks = []
    for _ in range(draw(st.integers(1, 4)) if among else 0):
        keys = draw(st.lists(st.sampled_from(among), min_size=1, max_size=4, unique=True))
        if by_position:
            keys.sort(key=held.index)
        positions = [held.index(key) for key in keys] if by_position else None
        if draw(st.booleans()):
            partial = draw(st.sampled_from([None, None, ("id", "ts", "v"), ("id", "ts", "n")]))
            blocks.append(Block([draw(rows(key)) for key in keys], positions=positions, columns=partial))
        else:
            values = st.one_of(st.none(), st.integers(-2, 3))
            blocks.append(Block(deletes=[(key, draw(values)) for key in keys], positions=positions))
    mode = draw(st.sampled_from(["EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING"]))
    return LoggedTable(base, blocks, {"hoodie.record.merge.mode": mode}, row_group=draw(st.integers(1, 3)))


@settings(deadline=None, max_examples=cases(150))
@given(tables(), st.booleans())
def test_a_slice_equals_merging_record_by_record(table: LoggedTable, in_files: bool) -> None:
    """MERGE-12, MERGE-860: wherever the records of logs are held."""
    if table.base is None and not table.blocks:
        return
    with spilled() if in_files else nullcontext():
        scan = table.open().scan()
        found = list(scan.to_json_rows())
        assert in_order(found) == in_order(by_definition(table))
        assert scan.count() == len(found)


PREDICATES: dict[str, Callable[[Row], bool]] = {
    "n >= 7": lambda row: row["n"] is not None and row["n"] >= 7,
    "n < 2": lambda row: row["n"] is not None and row["n"] < 2,
    "ts >= 2": lambda row: row["ts"] is not None and row["ts"] >= 2,
    "ts IS NULL AND n >= 3": lambda row: row["ts"] is None and row["n"] is not None and row["n"] >= 3,
    "v = 'a' OR n = 4": lambda row: row["v"] == "a" or row["n"] == 4,
    "id = 'key-2'": lambda row: row["id"] == "key-2",
    "v IS NULL": lambda row: row["v"] is None,
}


@settings(deadline=None, max_examples=cases(150))
@given(
    tables(),
    st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=2, unique=True),
    st.sampled_from(sorted(PREDICATES)),
    st.booleans(),
)
def test_predicates_and_columns_look_at_merged_rows_of_row_groups_that_match_or_not(
    table: LoggedTable, columns: list[str], where: str, in_files: bool
) -> None:
    if table.base is None and not table.blocks:
        return
    wanted = [row for row in by_definition(table) if PREDICATES[where](row)]
    with spilled() if in_files else nullcontext():
        scan = table.open().scan(where=where, columns=columns)
        assert sorted(map(repr, scan.to_json_rows())) == sorted(
            repr({name: row[name] for name in columns}) for row in wanted
        )
        assert scan.count() == len(wanted)


def whole(positions: bool = True) -> LoggedTable:
    def row(number: int, ts: int) -> Row:
        return {"id": f"key-{number}", "ts": ts, "v": f"value {number}", "n": number}

    changed, gone = [3, 4, 9, 30], [("key-1", None), ("key-5", 99)]
    return LoggedTable(
        [row(number, 5) for number in range(40)],
        [
            Block([row(number, 6) for number in changed], positions=changed if positions else None),
            Block(deletes=gone, positions=[1, 5] if positions else None),
            Block([row(number, 2) for number in changed[:2]], positions=changed[:2] if positions else None),
        ],
    )


def logged_in(table: LoggedTable, sound: Mapping[str, bytes]) -> list[Block] | None:
    """What the bytes of the log files say, by another library; None where a header says that they count otherwise.

    Records with positions stand for the rows of the base file there, whatever their keys say.
    """
    logged = []
    for path, block in zip(table.logs, table.blocks, strict=True):
        (intact,) = read_blocks(InMemoryFile(sound[path], path))
        found = list(read_blocks(InMemoryFile(table.memory.files[path], path)))
        if any(item.kind is not BlockKind.CORRUPT and header_of(item) != header_of(intact) for item in found):
            return None
        keys = None if block.positions is None else [table.base[at]["id"] for at in block.positions]  # type: ignore[index]
        for item in found:
            if item.kind is BlockKind.AVRO_DATA:
                rows = data_rows(item)
                if keys is not None:
                    rows = [{**row, RECORD_KEY: key} for row, key in zip(rows, keys, strict=True)]
                logged.append(Block(rows))
            elif item.kind is BlockKind.DELETE:
                deletes = [(key, value and value["value"]) for key, _, value in deleted_keys(item)]
                if keys is not None:
                    deletes = [(key, value) for key, (_, value) in zip(keys, deletes, strict=True)]
                logged.append(Block(deletes=deletes))
    return logged


def header_of(block: LogBlock) -> tuple[Any, ...]:
    """What decides which rows a block is about, beside their keys."""
    return block.kind, {key: value for key, value in block.header.items() if key is not HeaderKey.SCHEMA}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("positions", [True, False])
def test_damaged_log_files_give_an_error_or_the_rows_that_their_bytes_say(positions: bool) -> None:
    """No checksum guards a log block: a changed value that is still valid Avro is read as it stands."""
    random = np.random.default_rng(seed(7))
    table = whole(positions)
    table.open()
    sound = dict(table.memory.files)
    refused = compared = 0
    for _ in range(300):
        path = table.logs[random.integers(len(table.logs))]
        data = bytearray(sound[path])
        if random.integers(4):
            data[random.integers(len(data))] ^= 1 << int(random.integers(8))
        else:
            del data[random.integers(len(data)) :]
        table.memory.files.update({**sound, path: bytes(data)})
        try:
            found = list(table.open().scan().to_json_rows())
        except HudiError as error:
            assert "\n" not in str(error)
            refused += 1
            continue
        blocks = logged_in(table, sound)
        if blocks is not None:
            assert in_order(found) == in_order(by_definition(replace(table, blocks=blocks)))
            compared += 1
    assert refused and compared > 100


@pytest.mark.parametrize("in_files", [False, True])
def test_a_position_beyond_the_base_file_is_damage(in_files: bool) -> None:
    table = whole()
    table.blocks = [Block([{"id": "key-3", "ts": 9, "v": "", "n": 0}], positions=[40])]
    with (
        spilled() if in_files else nullcontext(),
        pytest.raises(HudiError, match="a row at position 40, found 40 rows"),
    ):
        list(table.open().scan().batches())


@pytest.mark.parametrize(("fields", "deleted"), [("id", "key-2"), ("id,n", "id:key-2,n:2")])
def test_virtual_keys_are_made_of_their_columns(fields: str, deleted: str) -> None:
    kind = "NON_PARTITION" if fields == "id" else "COMPLEX"
    properties = {
        "hoodie.populate.meta.fields": "false",
        "hoodie.table.recordkey.fields": fields,
        "hoodie.table.keygenerator.type": kind,
    }
    base = [{"id": f"key-{number}", "ts": 1, "v": "", "n": number} for number in range(4)]
    changed = {"id": "key-1", "ts": 2, "v": "new", "n": 1}
    table = LoggedTable(base, [Block([changed]), Block(deletes=[(deleted, None)])], properties)
    assert in_order(list(table.open().scan().to_json_rows())) == in_order([base[0], changed, base[3]])
