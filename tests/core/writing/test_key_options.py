"""Options of the times in partition paths that a write states. Rules: KEY-1565 to KEY-1568."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.errors import HudiError, UsageError
from hudi_core.front.merging import Merge
from hudi_core.options import PROPERTIES_PATH
from hudi_core.table.open import refreshed
from hudi_core.tagging.tag import Tagger, TagOptions
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.spread.by_predicate import spread_delete_where, spread_update
from hudi_core.writing.spread.operations import spread_write
from hudi_core.writing.spread.source_merge import spread_merge
from tests.support.commands import ran
from tests.support.local_flow import local_rows, scan_rows

TIME = "hoodie.keygen.timebased"
OLDER = "hoodie.deltastreamer.keygen.timebased"
CONSISTENT = "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled"
DAYS = {f"{TIME}.timestamp.type": "UNIX_TIMESTAMP", f"{TIME}.output.dateformat": "yyyyMMdd"}
IN_TOKYO = {**DAYS, f"{TIME}.output.timezone": "Asia/Tokyo"}
TYPES = pa.schema([("id", pa.string()), ("region", pa.string()), ("at", pa.int64()), ("n", pa.int64())])
ROWS = pa.table({"id": ["a", "b", "c"], "region": ["x", "y", "x"], "at": [1_700_000_000, 1_700_050_000, 1_700_100_000],
                 "n": [1, 2, 3]}, TYPES)  # fmt: skip
NEWER = pa.table({"id": ["a", "d"], "region": ["x", "z"], "at": [1_700_000_000, 1_700_050_000], "n": [10, 4]}, TYPES)
PATHS = {"a": "x/20231114", "b": "y/20231115", "c": "x/20231116"}
BOTH = ("region:SIMPLE", "at:TIMESTAMP")
OPERATIONS: dict[str, Callable[..., Any]] = {
    "upsert": lambda table, **named: table.upsert(NEWER, **named),
    "insert": lambda table, **named: table.insert(NEWER, **named),
    "append": lambda table, **named: table.append(NEWER, **named),
    "bulk insert": lambda table, **named: table.write(NEWER, "bulk_insert", **named),
    "overwrite of partitions": lambda table, **named: table.overwrite_partitions(NEWER, **named),
    "delete": lambda table, **named: table.delete(ROWS.slice(0, 1), **named),
    "update": lambda table, **named: table.update({"n": 7}, where="id = 'a'", **named),
    "merge": lambda table, **named: merge(table, named),
}


def merge(table: hudi_core.Table, named: dict[str, Any]) -> Any:
    merging = table.merge(NEWER, on=["id", "region", "at"])
    return merging.when_matched_update().when_not_matched_insert().execute(**named)


def keep_lines(folder: Path, kept: Callable[[str], bool], *added: str) -> hudi_core.Table:
    """The table with some lines of its properties alone."""
    file = folder / PROPERTIES_PATH
    lines = [line for line in file.read_text().splitlines() if kept(line)]
    file.write_text("\n".join((*lines, *added, "")))
    return hudi_core.open(folder)


def new_table(folder: Path, options: dict[str, str] = DAYS, rows: pa.Table = ROWS, **more: Any) -> hudi_core.Table:
    """A table as Apache Hudi leaves it: its properties have no option of times."""
    made = hudi_core.create(
        folder / "t", TYPES, "id", partition_by=more.pop("partition_by", BOTH), options=options, **more
    )
    if len(rows):
        made.insert(rows)
    return keep_lines(folder / "t", lambda line: TIME not in line)


def paths(table: hudi_core.Table) -> dict[str, str]:
    rows = table.refresh().scan(columns=["id", "_hoodie_partition_path"]).to_arrow().to_pylist()
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: row["_hoodie_partition_path"] for row in rows}


@contextmanager
def refused(table: hudi_core.Table, match: str, error: type[HudiError] = UsageError) -> Iterator[None]:
    """Raises, and changes no byte of the table."""
    folder = Path(table.storage.uri)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(error, match=match):
        yield
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.each_value
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_write_states_what_the_table_does_not_store(tmp_path: Path, operation: str, kind: str) -> None:
    """KEY-1565."""
    table = new_table(tmp_path, type=kind, indexes=["files", "column_stats"])
    write = OPERATIONS[operation]
    lacking = f"expected {TIME}.timestamp.type and {TIME}.output.dateformat, which the table does not store.*properties=.*--op"
    with refused(table, lacking):
        write(table)
    with refused(table, f"expected {TIME}.output.dateformat, which the table does not store"):
        write(table, properties={f"{TIME}.timestamp.type": "UNIX_TIMESTAMP"})
    write(table, properties=DAYS)
    added = {"a": "x/20231114", "d": "z/20231115"} if operation not in ("delete", "update") else {}
    if operation in ("insert", "append", "bulk insert"):
        rows = table.refresh().scan(columns=["id", "_hoodie_partition_path"]).to_arrow().to_pylist()
        assert {row["id"]: row["_hoodie_partition_path"] for row in rows} == PATHS | added
        assert len(rows) == 5
    else:
        left = {key: path for key, path in PATHS.items() if (operation, key) != ("delete", "a")}
        assert paths(table) == left | added
    assert not list(validate(table.refresh()))
    assert f"{TIME}." not in (tmp_path / "t" / PROPERTIES_PATH).read_text()


def test_the_older_names_of_options_count_too(tmp_path: Path) -> None:
    """KEY-1565."""
    table = new_table(tmp_path)
    older = {name.replace(TIME, OLDER): text for name, text in DAYS.items()}
    table.upsert(NEWER, properties=older)
    assert paths(table) == PATHS | {"d": "z/20231115"}
    with pytest.raises(
        UsageError, match=f"{TIME}.output.dateformat: expected one value, also as {OLDER}.output.dateformat"
    ):
        table.upsert(NEWER, properties={**older, **DAYS, f"{TIME}.output.dateformat": "yyyy"})


def test_a_misspelled_option_is_refused(tmp_path: Path) -> None:
    """KEY-1565."""
    with pytest.raises(UsageError, match=f"expected one of {TIME}.output.dateformat, found {TIME}.output.dateformt"):
        new_table(tmp_path).upsert(NEWER, properties={f"{TIME}.output.dateformt": "yyyy"})


def test_several_changes_in_one_commit_take_them(tmp_path: Path) -> None:
    """KEY-1565."""
    table = new_table(tmp_path)
    with table.transaction(properties=DAYS) as changes:
        changes.upsert(NEWER)
        changes.delete(ROWS.slice(2, 1))
        changes.delete(where="id = 'b'")
    assert paths(table) == {"a": "x/20231114", "d": "z/20231115"}


def test_the_command_line_takes_them(tmp_path: Path) -> None:
    """KEY-1565."""
    table = new_table(tmp_path)
    (tmp_path / "rows.json").write_text('{"id": "a", "region": "x", "at": 1700000000, "n": 10}\n')
    command = ["write", str(tmp_path / "t"), str(tmp_path / "rows.json")]
    answer = ran(*command)
    assert answer.status == 2
    assert "--option NAME=VALUE" in answer.err
    assert ran(*command, *(part for name, text in DAYS.items() for part in ("--option", f"{name}={text}"))).status == 0
    assert paths(table) == PATHS
    assert table.refresh().scan("id = 'a'", columns=["n"]).to_arrow().to_pylist() == [{"n": 10}]


def test_rows_in_parts_take_them(tmp_path: Path) -> None:
    """KEY-1565: as on Spark, where executors make the keys."""
    table = new_table(tmp_path, type="mor")
    parts, options = [NEWER.slice(0, 1), NEWER.slice(1)], WriteOptions(properties=DAYS)
    with refused(table, "which the table does not store"):
        spread_write(table, local_rows(table.engine, parts))
    with refused(table, "expected options by which rows"):
        spread_write(table, local_rows(table.engine, parts), options=WriteOptions(properties=IN_TOKYO))
    spread_write(table, local_rows(table.engine, parts), options=options)
    spread_update(table.refresh(), {"n": 8}, "id = 'b'", scan_rows, options)
    clauses = Merge(lambda clauses, _: clauses).when_matched_update().when_not_matched_insert().clauses
    more = pa.table({"id": ["e"], "region": ["z"], "at": [1_700_050_000], "n": [5]}, TYPES)
    spread_merge(table.refresh(), local_rows(table.engine, [more]), ["id", "region", "at"], clauses, options)
    spread_delete_where(table.refresh(), "id = 'c'", scan_rows, options)
    spread_write(table.refresh(), local_rows(table.engine, [NEWER.slice(1)]), "delete", options)
    assert paths(table) == {"a": "x/20231114", "b": "y/20231115", "e": "z/20231115"}
    assert not list(validate(table.refresh()))


def test_tagging_takes_them_as_options_of_keys(tmp_path: Path) -> None:
    """KEY-1565."""
    table = new_table(tmp_path)
    given = table.engine.rows.read_given(NEWER, table.schema)
    with pytest.raises(UsageError, match="--options FILE of keys and tag"):
        list(Tagger(table).tag(given).batches)
    tagged = Tagger(table, TagOptions(key_options=DAYS)).tag(table.engine.rows.read_given(NEWER, table.schema))
    assert sum(table.engine.rows.count(batch) for batch in tagged.batches) == 2


@pytest.mark.parametrize("by", ["region", None])
def test_options_without_an_effect_are_refused(tmp_path: Path, by: str | None) -> None:
    """KEY-1566."""
    table = hudi_core.create(tmp_path / "t", TYPES, "id", partition_by=by)
    with refused(table, "expected a table with times in its partition paths, found hoodie.keygen.timebased.output"):
        table.insert(ROWS, properties=DAYS)
    with refused(table, "expected a table with times in its partition paths"):
        table.update({"n": 1}, properties=DAYS)


def test_instants_are_printed_as_such_where_a_part_is_one(tmp_path: Path) -> None:
    """KEY-1566."""
    with refused(new_table(tmp_path), "expected a timestamp with a zone in at, which it has an effect on, found none"):
        hudi_core.open(tmp_path / "t").upsert(NEWER, properties={**DAYS, CONSISTENT: "true"})


def test_a_timestamp_with_a_zone_is_printed_as_an_instant(tmp_path: Path) -> None:
    """KEY-1565, KEY-15: Apache Hudi stores this option with no table."""
    times = ROWS.set_column(2, "at", instants([1_700_000_000_000, 1_700_050_000_000, 1_700_100_000_000]))
    hudi_core.create(tmp_path / "t", times.schema, "id", partition_by="at")
    table = keep_lines(
        tmp_path / "t", lambda line: "keygenerator" not in line, "hoodie.table.keygenerator.type=TIMESTAMP"
    )
    with pytest.raises(HudiError, match=f"with {CONSISTENT}=true its instants are printed"):
        table.insert(times, properties={**DAYS, f"{TIME}.timestamp.type": "EPOCHMILLISECONDS"})
    options = {**DAYS, f"{TIME}.timestamp.type": "EPOCHMILLISECONDS", CONSISTENT: "true"}
    for _ in range(2):
        table.upsert(times, properties=options)
    assert paths(table) == {"a": "20231114", "b": "20231115", "c": "20231116"}


def instants(millis: list[int]) -> pa.Array:
    return pa.array([number * 1000 for number in millis], pa.timestamp("us", "UTC"))


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("output.dateformat", "yyyy", "'yyyyMMdd', which the table stores, found 'yyyy'"),
        ("timestamp.type", "SCALAR", "'UNIX_TIMESTAMP', which the table stores"),
        ("timezone", "Asia/Tokyo", f"'UTC', which the table stores as {TIME}.output.timezone"),
    ],
)
@pytest.mark.parametrize("stored_names", [TIME, OLDER])
def test_options_that_contradict_the_table_are_refused(
    tmp_path: Path, option: str, value: str, expected: str, stored_names: str
) -> None:
    """KEY-1566."""
    options = {**DAYS, f"{TIME}.output.timezone": "UTC"}
    new_table(tmp_path, options)
    stored = [f"{name.replace(TIME, stored_names)}={text}" for name, text in options.items()]
    table = keep_lines(tmp_path / "t", bool, *stored)
    with refused(table, expected):
        table.upsert(NEWER, properties={f"{TIME}.{option}": value})
    table.upsert(NEWER, properties={**options, f"{TIME}.timestamp.type": "unix_timestamp"})
    assert paths(table) == PATHS | {"d": "z/20231115"}


def test_a_stored_zone_for_both_wins_over_one(tmp_path: Path) -> None:
    """KEY-1566."""
    options = {**DAYS, f"{TIME}.timezone": "UTC"}
    new_table(tmp_path, options)
    table = keep_lines(tmp_path / "t", bool, *(f"{name}={text}" for name, text in options.items()))
    with refused(table, f"'UTC', which the table stores as {TIME}.timezone, found 'Asia/Tokyo'"):
        table.upsert(NEWER, properties={f"{TIME}.output.timezone": "Asia/Tokyo"})


@pytest.mark.each_value
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("form", ["yyyy-MM-dd", "yyyyMM", "yyyyddMM", "yyyy/MM/dd"])
def test_options_of_another_form_than_stored_paths_are_refused(tmp_path: Path, operation: str, form: str) -> None:
    """KEY-1567."""
    table = new_table(tmp_path)
    with refused(
        table, "properties: expected options that can make the stored partition path|expected options by which"
    ):
        OPERATIONS[operation](table, properties={**DAYS, f"{TIME}.output.dateformat": form})


@pytest.mark.each_value
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    "options", [IN_TOKYO, {**DAYS, f"{TIME}.timestamp.type": "EPOCHMILLISECONDS"}, {**DAYS, f"{TIME}.timestamp.type": "SCALAR",
     f"{TIME}.timestamp.scalar.time.unit": "MINUTES"}]
)  # fmt: skip
def test_options_by_which_rows_would_have_other_paths_are_refused(
    tmp_path: Path, operation: str, options: dict[str, str]
) -> None:
    """KEY-1568: their form is that of the stored paths."""
    table = new_table(tmp_path)
    with refused(
        table, "properties: expected options by which rows of the partition '.*' get its path, found those that make"
    ):
        OPERATIONS[operation](table, properties=options)


def test_rows_are_looked_at_beyond_the_first(tmp_path: Path) -> None:
    """KEY-1568: most rows of a day have it in another zone too."""
    midnight = 1_700_006_400
    times = [midnight + 3600] * 50 + [midnight + 80_000]
    rows = pa.table({"id": [f"{n:02}" for n in range(51)], "region": ["x"] * 51, "at": times, "n": range(51)}, TYPES)
    with refused(new_table(tmp_path, rows=rows), "get its path, found those that make 'x/20231116' of one"):
        hudi_core.open(tmp_path / "t").upsert(NEWER, properties=IN_TOKYO)


def test_the_zone_of_another_writers_machine_can_be_stated(tmp_path: Path) -> None:
    """KEY-1565, KEY-16: where no zone is stated, numbers are printed in that of the machine."""
    new_table(tmp_path, IN_TOKYO)
    table = keep_lines(tmp_path / "t", bool, *(f"{name}={text}" for name, text in DAYS.items()))
    with pytest.raises(HudiError, match="as a row of the table has it"):
        table.upsert(NEWER)
    table.upsert(NEWER, properties=IN_TOKYO)
    assert paths(table) == {"a": "x/20231115", "b": "y/20231115", "c": "x/20231116", "d": "z/20231115"}


def test_the_first_write_decides_what_later_ones_state(tmp_path: Path) -> None:
    """KEY-1568."""
    table = new_table(tmp_path, rows=ROWS.slice(0, 0))
    table.insert(ROWS, properties={**DAYS, f"{TIME}.output.dateformat": "yyyy-MM"})
    with refused(table.refresh(), "expected options that can make the stored partition path 'x/2023-11'"):
        table.upsert(NEWER, properties=DAYS)


def test_a_text_that_is_no_time_by_the_options_is_refused(tmp_path: Path) -> None:
    """KEY-1568."""
    texts = {
        f"{TIME}.timestamp.type": "DATE_STRING",
        f"{TIME}.input.dateformat": "yyyy-MM-dd",
        f"{TIME}.output.dateformat": "yyyyMMdd",
    }
    table = new_table(tmp_path, texts, partition_by=("id:TIMESTAMP",), rows=ROWS.slice(0, 0))
    days = ROWS.set_column(0, "id", pa.array(["2023-11-14", "2023-11-15", "2023-11-16"]))
    table.insert(days, properties=texts)
    with refused(table.refresh(), "get its path, found a row with another text instead of a time like dd.MM.yyyy"):
        table.upsert(days, properties={**texts, f"{TIME}.input.dateformat": "dd.MM.yyyy"})


def test_options_stay_where_another_writer_is_first(tmp_path: Path) -> None:
    """KEY-1565: the write is planned again on the table as it is then."""
    table = new_table(tmp_path)
    stated = replace(table, key_options=DAYS)
    table.upsert(NEWER, properties=DAYS)
    again = refreshed(stated)
    assert again.timeline.commits != stated.timeline.commits
    assert again.key_options == DAYS
    assert not table.refresh().key_options
