"""Apache Hudi 1.2.1, by its Java client: its HFiles and its tables, read, validated, written on, and read back by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.table.features import Feature, features
from tests.interop.java_hudi import JavaHudi, options
from tests.support.commands import ran

pytestmark = pytest.mark.interop

WIDTHS = (1, 20, 110, *range(113, 120), *range(125, 129), 200, 254, 255, 256, 300, 1000, 20000)
"""Bytes of keys, among them those at which lengths take one byte more in one form or the other."""
ODD = [
    f"a{first}{last}" for first in "\ue000\uffee\U00010000\U0010ffffzé" for last in ("", "x", "\uf8ff", "\U0001f600")
]
TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.string())])
Row = tuple[str, str, int, str]


@pytest.fixture(scope="session")
def java(hudi_python: str) -> JavaHudi:
    return JavaHudi.of_this_machine(hudi_python)


@pytest.mark.parametrize("release", ["1.2.1", "1.2.0"])
def test_hfiles_of_both_forms_are_read_row_by_row(tmp_path: Path, java: JavaHudi, release: str) -> None:
    """FORMAT-20, FORMAT-712."""
    keys = {
        f"w{width}": [f"{n:06d}".ljust(width, "k")[:width] for n in range(10 if width < 6 else 60)] for width in WIDTHS
    }
    keys["w1"] = [str(n) for n in range(10)]
    keys["bytes"], keys["units"] = sorted(ODD, key=str.encode), sorted(ODD, key=lambda key: key.encode("utf-16-be"))
    lines = []
    for name, rows in keys.items():
        (tmp_path / name).write_text("\n".join(rows) + "\n", "utf-8")
        lines += [
            f"{name}.{codec}.{size} {size} {codec} {tmp_path / name}"
            for codec in ("NONE", "GZIP")
            for size in (64, 1024)
        ]
    (tmp_path / "files").write_text("\n".join(lines) + "\n")
    java.hfiles(tmp_path, tmp_path / "files", release=release)
    for line in lines:
        file = line.split(" ")[0]
        rows, opened = keys[file.split(".")[0]], HFile(InMemoryFile((tmp_path / file).read_bytes(), file))
        cells = opened.cells()
        assert [cells.key(n).decode() for n in range(len(cells))] == rows, file
        wanted = sorted(rows, key=str.encode)
        found = opened.lookup([key.encode() for key in wanted]).cells
        assert [found.key(n).decode() for n in range(len(found))] == wanted, file
        assert all(found.value(n) == b"value of " + found.key(n) for n in range(len(found))), file


INDEXES = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.global.record.level.index.enable": "true",
    "hoodie.metadata.index.bloom.filter.enable": "true",
}
WITHOUT_PARTITION_STATS = {**INDEXES, "hoodie.metadata.index.partition.stats.enable": "false"}


COMPACTED_AFTER = 10
"""`hoodie.metadata.compact.max.delta.commits`."""
MADE_FIRST = ("files", "column_stats", "bloom_filters", "record_index", "partition_stats")
"""Partitions of a metadata table with these indexes: a delta commit each."""


def properties_of(kind: str) -> dict[str, str]:
    """Properties of a new table of the type."""
    return {
        "hoodie.table.name": "t", "hoodie.table.type": kind, "hoodie.table.version": "9", "hoodie.table.recordkey.fields": "id",
        "hoodie.table.partition.fields": "p", "hoodie.table.ordering.fields": "ts", "hoodie.table.keygenerator.type": "SIMPLE",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
    }  # fmt: skip


def rows_of(table: Table) -> list[Row]:
    read = table.scan(meta=False).to_json_rows()
    return sorted((row["id"], row["p"], row["ts"], row["v"]) for row in read)


def given(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in rows], TYPES)


def put(folder: Path, name: str, rows: list[Row]) -> str:
    path = folder / name
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), "utf-8")
    return str(path)


def read_by_java(java: JavaHudi, folder: Path, table: Path) -> list[Row]:
    java.tables(folder, ["read", str(table), str(folder / "read")])
    lines = (folder / "read").read_text("utf-8").splitlines()
    return sorted((row[0], row[1], int(row[2]), row[3]) for line in lines for row in [line.split("\t")])


@pytest.mark.parametrize("indexes", [WITHOUT_PARTITION_STATS, INDEXES], ids=["no-partition-stats", "all"])
@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_its_tables_are_read_validated_written_on_and_read_back(
    tmp_path: Path, java: JavaHudi, kind: str, indexes: dict[str, str]
) -> None:
    """META-1, TABLE-720, TABLE-830: keys whose orders differ, dots in the name of the column of partitions."""
    path, stated = tmp_path / "t", options(indexes)
    first = [(f"k{n:03d}", f"x{n % 3}", 5, "first") for n in range(60)] + [(key, "x1", 5, "odd") for key in ODD]
    second = [
        ("k001", "x1", 7, "second"),
        ("k002", "x2", 3, "late"),
        (ODD[2], "x1", 7, "second"),
        ("new", "x0", 1, "n"),
    ]
    java.tables(
        tmp_path,
        ["create", str(path), *options(properties_of(kind))],
        ["insert", str(path), put(tmp_path, "first", first), *stated],
        ["upsert", str(path), put(tmp_path, "second", second), *stated],
        ["delete", str(path), put(tmp_path, "gone", [first[0], first[-1]]), *stated],
    )
    expected = {row[0]: row for row in first} | {row[0]: row for row in second if row[1:] != ("x2", 3, "late")}
    for key in (first[0][0], first[-1][0]):
        del expected[key]
    table = open_table(path)
    assert rows_of(table) == read_by_java(java, tmp_path, path) == sorted(expected.values())
    assert [str(finding) for finding in table.validate()] == []
    used = set(features(table))
    assert {Feature.COLUMN_STATS, Feature.RECORD_INDEX, Feature.BLOOM_FILTERS} <= used
    assert (Feature.PARTITION_STATS in used) == (indexes is INDEXES)
    (inspected,) = ran("inspect", path, "--json").lines
    assert inspected["last_writer"] == "Apache Hudi 1.2.1"
    for key in ("k001", ODD[2], ODD[-2], "absent"):
        assert table.count(where=f"_hoodie_record_key = '{key}'") == (key in expected), key

    third = [("k003", "x0", 9, "third"), (ODD[3], "x1", 9, "third"), ("ours", "x9", 1, "third")]
    table.upsert(given(third))
    table.refresh().delete(where="id IN ('k004', 'k005')")
    expected |= {row[0]: row for row in third}
    del expected["k004"], expected["k005"]
    table = open_table(path)
    assert rows_of(table) == read_by_java(java, tmp_path, path) == sorted(expected.values())
    assert [str(finding) for finding in table.validate()] == []

    fourth = [("k006", "x0", 11, "fourth"), ("ours", "x9", 11, "fourth"), (ODD[3], "x1", 11, "fourth")]
    commands: list[list[str]] = [["upsert", str(path), put(tmp_path, "fourth", fourth), *stated]]
    if kind == "MERGE_ON_READ":
        commands.append(["compact", str(path), "-", *stated])
    java.tables(tmp_path, *commands)
    expected |= {row[0]: row for row in fourth}
    table = open_table(path)
    assert rows_of(table) == read_by_java(java, tmp_path, path) == sorted(expected.values())
    assert [str(finding) for finding in table.validate()] == []


def test_it_fails_without_us_after_its_own_compaction_of_the_metadata_table(tmp_path: Path, java: JavaHudi) -> None:
    """TABLE-830: in a process that begins with it, and nothing else has written to the table."""
    path, stated = tmp_path / "t", options(INDEXES)

    def upsert(number: int) -> list[str]:
        rows = put(tmp_path, f"rows{number}", [("k1", "x1", number, f"write {number}")])
        return ["upsert", str(path), rows, *stated]

    create = ["create", str(path), *options(properties_of("COPY_ON_WRITE"))]
    timeline, number = path / ".hoodie/metadata/.hoodie/timeline", COMPACTED_AFTER - len(MADE_FIRST)
    java.tables(tmp_path, create, *map(upsert, range(number)))
    assert (len(list(timeline.glob("*.deltacommit"))), list(timeline.glob("*.commit"))) == (COMPACTED_AFTER, [])
    with pytest.raises(AssertionError, match="Index 7 out of bounds for length 7"):
        java.tables(tmp_path, upsert(number), loads=False)
    assert len(list(timeline.glob("*.commit"))) == 1
    open_table(path).upsert(given([("k1", "x1", number, "ours")]))
    assert rows_of(open_table(path)) == [("k1", "x1", number, "ours")]
    assert [str(finding) for finding in open_table(path).validate()] == []


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_it_reads_our_tables_and_writes_on(tmp_path: Path, java: JavaHudi, kind: Any) -> None:
    """META-1."""
    path = tmp_path / "t"
    indexes: Any = ["column_stats", "record_index", "bloom_filters"]
    made = create_table(path, TYPES, "id", partition_by="p", ordering="ts", type=kind, indexes=indexes)
    first = [(f"k{n:03d}", f"x{n % 3}", 5, "first") for n in range(60)] + [(key, "x1", 5, "odd") for key in ODD]
    made.insert(given(first))
    made.refresh().upsert(given([("k001", "x1", 7, "second")]))
    expected = {row[0]: row for row in first} | {"k001": ("k001", "x1", 7, "second")}
    assert read_by_java(java, tmp_path, path) == sorted(expected.values())
    rows = [("k001", "x1", 9, "third"), (ODD[1], "x1", 9, "third"), ("new", "x2", 1, "third")]
    java.tables(tmp_path, ["upsert", str(path), put(tmp_path, "rows", rows), *options(WITHOUT_PARTITION_STATS)])
    expected |= {row[0]: row for row in rows}
    table = open_table(path)
    assert rows_of(table) == read_by_java(java, tmp_path, path) == sorted(expected.values())
    assert [str(finding) for finding in table.validate()] == []
