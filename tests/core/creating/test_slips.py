"""Slips in what a table is created with: one error, and nothing on disk."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core.errors import AlreadyExistsError, HudiError, UsageError

SCHEMA = hudi_core.schema_of("id string, n int, city string, tags array<string>, place struct<x:int>")


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"key": {"id", "n"}}, "key"), ({"partition_by": frozenset({"city"})}, "partition_by"), ({"key": 7}, "key"),
        ({"indexes": ""}, "indexes"), ({"indexes": {"column_stats": ["n"]}}, "indexes"), ({"key": {"id": 1}}, "key"),
        ({"ordering": "id."}, "ordering"), ({"ordering": "place.y"}, "ordering"),
        ({"options": {" hoodie.table.name": "t"}}, "options"),
        ({"indexes": [7]}, "indexes"), ({"partition_by": " , "}, "partition_by"),
        ({"ordering": "tags"}, "ordering"), ({"ordering": ["n", "place"]}, "ordering"), ({"version": 9.0}, "version"),
        ({"name": ""}, "name"), ({"name": " "}, "name"), ({"name": "a", "options": {"hoodie.table.name": "b"}}, "name"),
        ({"options": {"hoodie.table.name": ""}}, "name"), ({"options": {5: "x"}}, "options"),
        ({"type": "COPY_ON_WRITE"}, "type"), ({"schema": {"id": "string"}}, "schema"), ({"schema": "id string"}, "schema"),
        ({"schema": {}}, "schema"), ({"schema": {"id": str}}, "schema"), ({"schema": 5}, "schema"),
    ],
)  # fmt: skip
def test_a_slip_creates_nothing_and_warns_of_nothing(tmp_path: Path, wrong: dict[str, Any], where: str) -> None:
    """CREATE-1449, CREATE-1635, CLI-1637."""
    good: dict[str, Any] = {"uri": tmp_path / "t", "schema": SCHEMA, "key": "id"}
    given = {**good, **wrong}
    given["options"] = {"hoodie.parquet.max.file.size": "1", **given.get("options", {})}  # one that is warned of
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UsageError, match=f"^{where}: expected"):
            hudi_core.create(**given)
    assert list(tmp_path.iterdir()) == []


def test_what_is_said_about_a_slip_is_what_was_typed(tmp_path: Path) -> None:
    """CREATE-1449."""
    for wrong, text in (
        ({"type": "COPY_ON_WRITE"}, "found 'COPY_ON_WRITE'"),
        ({"schema": {"id": "string"}}, "hudi_core.schema_of makes a Schema of names and types"),
        ({"version": 9.0}, "expected one of 6, 8, 9, found 9.0"),
        ({"ordering": "place"}, "found place of record<x:int>"),
    ):
        given: dict[str, Any] = {"uri": tmp_path / "t", "schema": SCHEMA, "key": "id", **wrong}
        with pytest.raises(UsageError) as refused:
            hudi_core.create(**given)
        assert text in str(refused.value)


def test_names_of_constants_are_stored_as_apache_hudi_reads_them(tmp_path: Path) -> None:
    """CREATE-1635."""
    options = {"hoodie.table.base.file.format": "parquet", "hoodie.table.timeline.timezone": "utc"}
    made = hudi_core.create(tmp_path / "t", SCHEMA, "id", ordering="place.x", options=options)
    for name, value in options.items():
        assert made.config.properties[name] == value.upper()


def test_names_of_an_iterator_all_count(tmp_path: Path) -> None:
    """CREATE-1449: an iterator gives its names once."""
    made = hudi_core.create(
        tmp_path / "t",
        SCHEMA,
        iter(["id"]),
        partition_by=(name for name in ["city"]),
        ordering=iter(["n"]),
        name="a",  # type: ignore[arg-type]
    )
    assert (made.config.record_key_fields, made.config.partition_fields) == (("id",), ("city",))
    assert made.config.ordering_fields == ("n",)
    same = hudi_core.create(tmp_path / "u", SCHEMA, "id", name="a", options={"hoodie.table.name": "a"}, ordering=None)  # type: ignore[arg-type]
    assert same.name == made.name == "a"


def test_a_dictionary_of_columns_is_rows(tmp_path: Path) -> None:
    """CREATE-1449: as writes take one."""
    rows = {"id": ["a"], "type": ["x"], "n": [1]}
    made = hudi_core.create(tmp_path / "t", rows, "id")
    made.append(rows)
    assert made.refresh().to_arrow().to_pydict() == rows
    avro = {"type": "record", "name": "r", "fields": [{"name": "id", "type": "string"}]}
    assert hudi_core.create(tmp_path / "u", avro, "id").schema.names[-1] == "id"


@pytest.mark.parametrize("within", [".hoodie", ".hoodie/metadata", "oslo", "new", "new/one"])
def test_no_table_is_created_within_another(tmp_path: Path, within: str) -> None:
    """CREATE-1448: the outer one would list the files of the inner one as those of writes that died."""
    outer = hudi_core.create(tmp_path / "t", SCHEMA, "id", partition_by="city")
    outer.upsert([{"id": "a", "n": 1, "city": "oslo", "tags": None, "place": None}])
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    for place in (tmp_path / "t" / within, f"{tmp_path}/t/{within}/", f"file://{tmp_path}/t/{within}"):
        with pytest.raises(UsageError, match="expected a folder outside of other tables, found one within the table"):
            hudi_core.create(place, SCHEMA, "id")
    with pytest.raises(AlreadyExistsError):
        hudi_core.create(tmp_path / "t", SCHEMA, "id")
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("indexes", [None, "files"])
def test_no_table_is_created_around_another(tmp_path: Path, indexes: str | None) -> None:
    """CREATE-1577: the outer one would have the files of the inner one, and no commit that wrote them."""
    inner = hudi_core.create(tmp_path / "lake" / "rides", SCHEMA, "id")
    inner.upsert([{"id": "a", "n": 1, "city": "oslo", "tags": None, "place": None}])
    (tmp_path / "lake" / "a.txt").write_text("x")
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    for place in (tmp_path / "lake", f"{tmp_path}/lake/", f"file://{tmp_path}/lake"):
        with pytest.raises(
            UsageError, match=r"expected a folder without tables in it, as .*/lake/new_table, found one .*/rides$"
        ):
            hudi_core.create(place, SCHEMA, "id", indexes=indexes)
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    hudi_core.create(tmp_path / "lake" / "new_table", SCHEMA, "id")


def test_no_table_is_created_where_a_file_is(tmp_path: Path) -> None:
    """CREATE-1449."""
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match="expected a folder, or a path where there is nothing, found the file"):
            hudi_core.create(place, SCHEMA, "id")
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.parametrize(
    "place", ["~", "~/rides", "s3:/lake/rides", "dbfs:/rides", "gs:/lake/rides", "hdfs:/rides", "C:/rides", "C:\\rides"]
)
def test_a_path_that_would_be_a_folder_of_an_odd_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """STORE-1447."""
    monkeypatch.chdir(tmp_path)
    table = hudi_core.create(tmp_path / "t", SCHEMA, "id")
    for use in (
        lambda: hudi_core.open(place),
        lambda: hudi_core.create(place, SCHEMA, "id"),
        lambda: table.scan().write(f"{place}.csv"),
        lambda: table.append(f"{place}.csv"),
        lambda: hudi_core.open(table.uri, footer_cache=place).scan("id = 'a'").to_arrow(),
    ):
        if place == "~" and use.__code__.co_names[-1] in ("write", "append"):
            continue  # of this name there may be a file
        with pytest.raises(HudiError, match=r"expected (a path without ~|\w+:// before the address)"):
            use()
    assert os.listdir() == ["t"]
    hudi_core.create(f"./{place}", SCHEMA, "id").append(
        [{"id": "a", "n": 1, "city": None, "tags": None, "place": None}]
    )
    assert hudi_core.open(tmp_path / place).count() == 1
