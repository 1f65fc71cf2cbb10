"""Rows that are refused for their keys before anything is written. WRITE-70, WRITE-71, WRITE-1579, WRITE-1680, WRITE-1681,
STORE-1154.

Also covers: `commit/name_limits.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from hudi_arrow.stores.remote import RemoteStorage
from hudi_core import col
from hudi_core.commit.name_limits import name_limits
from hudi_core.errors import RowError, UsageError
from hudi_core.front.keys import keys_of_rows
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.tagging.tag import tag
from hudi_core.writing.operations import write
from hudi_core.writing.source_merge.clauses import Action, Clause
from hudi_core.writing.spread.operations import spread_write
from hudi_core.writing.spread.source_merge import spread_merge, spread_overwrite_where
from tests.support.local_flow import local_rows
from tests.support.written_tables import TYPES, rows, rows_of

pa = pytest.importorskip("pyarrow", reason="rows are Arrow's")


def files(folder: Path) -> Iterable[Path]:
    return sorted(folder.rglob("*"))


@pytest.mark.parametrize("path", ["/x", "x/", "x//y", ".", "x/./y", ".hoodie", ".hoodie/metadata", "x\0"])
@pytest.mark.parametrize("op", ["upsert", "append", "insert_overwrite"])
def test_a_partition_path_that_names_no_folder_is_refused(tmp_path: Path, path: str, op: str) -> None:
    """WRITE-70."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p")
    before = files(tmp_path / "t")
    with pytest.raises(RowError, match="row 2: expected a partition path that is a folder below the table"):
        write(table, rows(("a", "x", 1), ("b", path, 1)), op)
    assert files(tmp_path / "t") == before


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("x" * 256, "names of at most 255 bytes, as this storage has them, found 'xxx.*256 bytes"),
        ("y/" + "ü" * 128, "names of at most 255 bytes, as this storage has them, found 'y/.*256 bytes"),
        ("/".join(["z" * 250] * 17), "a partition path of at most .* bytes, as paths of this storage have room for"),
    ],
)
def test_a_partition_path_that_is_too_long_for_the_storage_is_refused(
    tmp_path: Path, kind: str, path: str, expected: str
) -> None:
    """STORE-1154: before anything is written; a name that fits is written and read."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type=kind, indexes=["column_stats"])
    before = files(tmp_path / "t")
    for write_rows in (
        lambda given: write(table, given, "upsert"),
        lambda given: write(table, given, "append"),
        lambda given: spread_write(table, local_rows(table.engine, [given])),
    ):
        with pytest.raises(RowError, match=rf"row 2: expected .*{expected}"):
            write_rows(rows(("a", "x", 1), ("b", path, 1)))
    assert files(tmp_path / "t") == before
    fits = [("a", "x" * 255, 1), ("b", "ü" * 127, 1), ("c", "/".join(["z" * 250] * 13), 1)]
    write(table, rows(*fits))
    assert rows_of(open_table(tmp_path / "t")) == sorted(fits)


def test_names_of_index_files_have_a_limit_too(tmp_path: Path) -> None:
    """STORE-1154: those of a partitioned record index, which have the partition's name, and those of an index with a name."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p")
    write(table, rows(("a", "x", 1)))
    build_indexes(open_table(tmp_path / "t"), ["record_index"], IndexOptions(partitioned=True))
    before = files(tmp_path / "t")
    with pytest.raises(RowError, match=r"row 1: expected .* as files of its record index, found 'xxx.* names of"):
        write(open_table(tmp_path / "t"), rows(("b", "x" * 200, 1)))
    with pytest.raises(UsageError, match=r"name: expected at most [0-9]+ bytes for expr_index_nnn"):
        build_indexes(
            open_table(tmp_path / "t"), ["expression_index"], IndexOptions(["n"], name="n" * 240, function="identity")
        )
    assert files(tmp_path / "t") == before
    write(open_table(tmp_path / "t"), rows(("b", "x" * 150, 1)))
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 1), ("b", "x" * 150, 1)]


def test_an_object_store_has_no_such_limit() -> None:
    """STORE-1154."""
    assert (
        name_limits(RemoteStorage("s3://lake/t", {"region": "us-east-1", "access_key": "a", "secret_key": "b"})) is None
    )


def test_values_that_make_no_path_make_one_when_escaped(tmp_path: Path) -> None:
    """WRITE-70."""
    options = {
        "hoodie.datasource.write.hive_style_partitioning": "true",
        "hoodie.datasource.write.partitionpath.urlencode": "true",
    }
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", options=options)
    paths = ["/x", "x/", "x//y", ".", "x/./y", ".hoodie", ".hoodie/metadata", "x\0", "..", "../x"]
    given = sorted((f"k{number}", path, number) for number, path in enumerate(paths))
    write(table, rows(*given))
    assert rows_of(open_table(tmp_path / "t")) == given


def test_a_merge_refuses_such_paths_too(tmp_path: Path) -> None:
    """WRITE-70, WRITE-1686: also an overwrite with a predicate, and with the number of the source's row."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p")
    write(table, rows(("a", "x", 1)))
    before = files(tmp_path / "t")
    given = rows(("a", "x", 1), ("b", "x//y", 1))
    source = local_rows(table.engine, [given])
    clauses = [Clause(Action.INSERT, None)]
    ways: list[Callable[[], object]] = [
        lambda: table.merge(given, on=["id", "p"]).when_not_matched_insert().execute(),
        lambda: table.overwrite(given, where="n = 1"),
        lambda: spread_merge(table, source, ["id", "p"], clauses),
        lambda: spread_overwrite_where(table, source, "n = 1"),
    ]
    for way in ways:
        with pytest.raises(RowError, match="row 2: expected a partition path that is a folder below the table"):
            way()
    assert files(tmp_path / "t") == before


@pytest.mark.parametrize("hive", ["true", "false"])
@pytest.mark.parametrize("path", ["10:30", "10:30/x", ":"])
def test_a_new_first_partition_folder_with_a_colon_is_a_warning(tmp_path: Path, hive: str, path: str) -> None:
    """WRITE-1681: not where the table has it, paths are encoded or the folder is a later one."""
    options = {"hoodie.datasource.write.hive_style_partitioning": hive}
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", options=options)
    warned = r"partitions whose first folder has a colon: 1, as .*:.*; Apache Hudi neither writes them nor reads a table that"
    with pytest.warns(UserWarning, match=warned):
        write(table, rows(("a", "x", 1), ("b", path, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write(table.refresh(), rows(("b", path, 2), ("c", "x/10:30", 1)))
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 1), ("b", path, 2), ("c", "x/10:30", 1)]
    encoded = {**options, "hoodie.datasource.write.partitionpath.urlencode": "true"}
    table = create_table(tmp_path / "encoded", TYPES, "id", partition_by="p", options=encoded)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write(table, rows(("a", path, 1)))
    assert rows_of(open_table(tmp_path / "encoded")) == [("a", path, 1)]


@pytest.mark.parametrize("encoded", ["true", "false"])
def test_a_text_that_paths_have_for_null_is_refused(tmp_path: Path, encoded: str) -> None:
    """WRITE-1680: it would be read as null; keys of such rows are looked for all the same."""
    options = {"hoodie.datasource.write.partitionpath.urlencode": encoded}
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", options=options)
    write(table, rows(("a", "x", 1)))
    before = files(tmp_path / "t")
    given = rows(("b", "x", 1), ("c", "__HIVE_DEFAULT_PARTITION__", 1))
    refused = r"row 2: expected null, or another value of the partition column p, found '__HIVE_DEFAULT_PARTITION__'"
    ways: list[Callable[[], object]] = [
        lambda: write(table, given),
        lambda: write(table, given, "append"),
        lambda: table.overwrite(given),
        lambda: table.merge(given, on=["id", "p"]).when_not_matched_insert().execute(),
        lambda: spread_write(table, local_rows(table.engine, [given])),
    ]
    for way in ways:
        with pytest.raises(RowError, match=refused):
            way()
    assert files(tmp_path / "t") == before
    with pytest.warns(UserWarning, match="rows without a value in a partition column"):
        write(table, pa.table({"id": ["c"], "p": pa.array([None], pa.string()), "n": pa.array([1], pa.int64())}))
    assert table.refresh().delete(given).deleted == 1


def test_partition_paths_of_any_characters_are_read_back(tmp_path: Path) -> None:
    """WRITE-70."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", indexes=["column_stats"])
    paths = [
        "a b",
        "a/b",
        "ü€",
        "a=b",
        "a%2Fb",
        "a\nb",
        "x/a:b",
        "*",
        " ",
        "c\\x",
        ".hidden",
        "..a",
        ".hoodie2",
        "x.",
        "[!?]",
    ]
    given = sorted((f"k{number:02d}", path, number) for number, path in enumerate(paths))
    write(table, rows(*given))
    changed = [(key, path, -number) for key, path, number in given]
    write(table, rows(*changed))
    for mode in (MetadataMode.REQUIRE, MetadataMode.OFF):
        again = open_table(tmp_path / "t", metadata=mode)
        assert rows_of(again) == changed
        for key, path, _ in changed:
            assert again.scan(col("p") == path, columns=["id"]).to_arrow()["id"].to_pylist() == [key]


@pytest.mark.parametrize("op", ["insert", "append", "bulk_insert", "insert_overwrite", "insert_overwrite_table"])
def test_a_key_twice_is_refused_where_the_record_index_takes_it_once(tmp_path: Path, op: str) -> None:
    """WRITE-71."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", indexes=["record_index"])
    before = files(tmp_path / "t")
    with pytest.raises(RowError, match=r"row 4: expected a record key that no earlier row has.*'b' of row 2"):
        write(table, rows(("a", "x", 1), ("b", "x", 1), ("c", "y", 1), ("b", "z", 1), ("b", "x", 1)), op)
    assert files(tmp_path / "t") == before
    assert write(table, rows(("b", "x", 1), ("b", "x", 2))).inserted == 1


def test_a_partitioned_record_index_takes_a_key_once_in_each_partition(tmp_path: Path) -> None:
    """WRITE-71."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p")
    build_indexes(table, ["record_index"], IndexOptions(partitioned=True))
    with pytest.raises(RowError, match="row 3: expected a record key that no earlier row has"):
        write(table, rows(("a", "x", 1), ("b", "y", 1), ("a", "x", 1)), "insert")
    write(table, rows(("a", "x", 1), ("a", "y", 1)), "insert")
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 1), ("a", "y", 1)]


def test_floats_of_pandas_make_no_texts(tmp_path: Path) -> None:
    """WRITE-1579: they would be other keys and other texts."""
    pytest.importorskip("pandas", reason="the rows are a frame of pandas")
    texts = pa.table({"id": ["7", "8"], "zip": ["1067", None], "part": ["1", "1"]})
    table = create_table(tmp_path / "t", texts, "id", partition_by="part")
    table.upsert(texts)
    frame = texts.to_pandas()
    file, refused = (
        tmp_path / "rows.parquet",
        r"^{}: row {}: expected a text, or .*, found a double in a frame of pandas$",
    )
    for column, values, row in (("id", [7.0, 8.0], 1), ("zip", [None, 1067.0], 2), ("part", [1.0, 1.0], 1)):
        given = frame.assign(**{column: values})
        given.to_parquet(file)
        for source in (given, str(file)):
            with pytest.raises(RowError, match=refused.format(column, row)):
                table.upsert(source)
    keys = frame.assign(id=[7.0, 8.0])
    ways: list[Callable[[], object]] = [
        lambda: table.delete(keys),
        lambda: table.merge(keys, on=["id", "part"]).when_matched_delete().execute(),
        lambda: tag(table, keys).read_all(),
        lambda: keys_of_rows(keys, table),
    ]
    for way in ways:
        with pytest.raises(RowError, match=refused.format("id", 1)):
            way()
    numbers = frame.assign(id=[7.0, 8.0], zip=[1067.0, None]).astype({"id": "Int64", "zip": "Int64"})
    assert table.upsert(numbers).updated == 2
    assert table.refresh().to_arrow().to_pylist() == texts.to_pylist()
    table.upsert(frame.assign(zip=[float("nan")] * 2))
    assert table.refresh().to_arrow()["zip"].to_pylist() == [None, None]
