"""Tables that services are run on twice, once in this process and once by a runner, and what must be equal then."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from hudi_core.creating.create import create_table
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.front.opening import open_table
from hudi_core.front.table import Table
from hudi_core.table.metadata_records import metadata_records
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64()), ("x", pa.float64()), ("s", pa.string())])
ALL = ("column_stats", "partition_stats", "bloom_filters", "record_index")
_OF_TIMES = ("fileName", "totalSize", "totalUncompressedSize", "timestamp", "isDeleted")
_TEMPLATES = TemporaryDirectory(prefix="hudi-core-tables-")
_OWN_COLUMNS = ("_hoodie_file_name",)


def rows(first: int, count: int, shift: int = 0) -> pa.Table:
    """Rows with keys from a number on, in two partitions; values repeat, and some are null."""
    numbers = [number + first for number in range(count)]
    return pa.Table.from_pylist(
        [
            {
                "id": f"k{number:05}", "p": f"p{number % 2}", "n": (number * 37 + shift) % 101,
                "x": None if number % 7 == 0 else (number * 0.37) % 5, "s": f"é{(number + shift) % 9}" * 3,
            }
            for number in numbers
        ],
        TYPES,
    )  # fmt: skip


def filled(path: Path, kind: str, version: int, indexes: tuple[str, ...] = ALL, **options: str) -> Table:
    """A table of several files a partition, with updates and a delete, in log files where it has these."""
    copytree(_template(kind, version, indexes, tuple(options.items())), path)
    return open_table(path)


@cache
def _template(kind: str, version: int, indexes: tuple[str, ...], options: tuple[tuple[str, str], ...]) -> Path:
    path = Path(tempfile.mkdtemp(dir=_TEMPLATES.name)) / "t"
    known = [name for name in indexes if version > 6 or name != "partition_stats"]
    table = create_table(
        path, TYPES, "id", partition_by="p", type=kind, version=version, indexes=known, options=dict(options)
    )
    for part in range(3):
        write(table, rows(100 * part, 100), "bulk_insert", WriteOptions(sizes=FileSizes(small=0)))
    into_logs = WriteOptions(sizes=FileSizes(small=0))
    write(table, rows(20, 230, shift=5), "upsert", into_logs)
    write(table, rows(290, 40, shift=1), "upsert", into_logs)
    write(table, rows(50, 3).select(["id", "p"]), "delete")
    return path


def twin(table: Table, path: Path) -> Table:
    """A copy of a table."""
    copytree(table.storage.uri, path)
    return open_table(path)


def rows_by_file(table: Table) -> dict[tuple[str, str], list[str]]:
    """The rows of each file slice, in order, as text."""
    found: dict[tuple[str, str], list[str]] = {}
    names = [field.name for field in table.schema.fields if field.name not in _OWN_COLUMNS]
    for row in table.scan(columns=["_hoodie_file_name", *names]).to_json_rows():
        stored = row.pop("_hoodie_file_name")
        name = parse_base_file(stored)
        found.setdefault((row["p"], stored if name is None else name.file_id), []).append(str(row))
    return found


def index_of(table: Table, name: str) -> list[str]:
    """The records of a metadata partition, but for names of files and times."""
    records = []
    for record in metadata_records(table, name):
        content = {key: value for key, value in record.items() if value is not None}
        if content.get("ColumnStatsMetadata"):
            if content["ColumnStatsMetadata"]["columnName"] in ("_hoodie_file_name", "_hoodie_commit_time"):
                continue
            if content["ColumnStatsMetadata"]["columnName"] == "_hoodie_commit_seqno":
                continue
            del content["key"]
        if name == "bloom_filters":
            del content["key"]
        if name == "files":
            content["filesystemMetadata"] = len(content.get("filesystemMetadata") or ())
        records.append(str(_plain(content)))
    return sorted(records)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items() if key not in _OF_TIMES and key != "instantTime"}
    return value


def data_files(table: Table) -> set[str]:
    """The paths of all data files that are there."""
    infos = table.storage.list("", recursive=True, without=".hoodie")
    return {info.path for info in infos if parse_base_file(info.name) or parse_log_file(info.name)}


def assert_served_alike(first: Table, second: Table, *, same_files: bool = True) -> None:
    """Two tables hold the same rows in the same files, the same statistics and indexes; neither holds what no commit names."""
    first, second = open_table(first.storage.uri), open_table(second.storage.uri)
    by_file, other = rows_by_file(first), rows_by_file(second)
    if same_files:
        assert by_file == other
    else:
        assert sorted(by_file.values()) == sorted(other.values())
    assert first.config.kept_partitions == second.config.kept_partitions
    for name in sorted(first.config.kept_partitions):
        if same_files or name != "record_index":
            assert index_of(first, name) == index_of(second, name), name
    assert len(data_files(first)) == len(data_files(second))
    assert_sound(first, second)


def assert_same_rows(first: Table, second: Table) -> None:
    """Two tables hold the same rows, whenever and wherever these were written, and nothing is wrong with them."""
    first, second = open_table(first.storage.uri), open_table(second.storage.uri)
    assert bare_rows(first) == bare_rows(second)
    assert_sound(first, second)


def bare_rows(table: Table) -> list[str]:
    """The rows as text, without the meta columns."""
    return sorted(map(str, table.scan(meta=False).to_json_rows()))


def assert_sound(*tables: Table) -> None:
    """Validations find nothing, and no write has left anything."""
    for table in tables:
        assert [finding for finding in validate(table) if finding.severity != "info"] == []
        assert table.storage.list(".hoodie/.temp", recursive=True) == []
        assert table.storage.list(".hoodie/.heartbeat", recursive=True) == []
