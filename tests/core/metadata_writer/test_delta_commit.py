"""File groups of a partitioned record index whose partition column has dots in its name: two releases name them in two ways."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.keys.path_values import escape_name, escape_path_in_name, unescape
from hudi_core.metadata_writer import delta_commit
from hudi_core.metadata_writer.delta_commit import partition_group_prefixes
from hudi_core.validation.validate import validate
from tests.support.drawing import cases
from tests.support.restated import restated

TYPES = pa.schema([("id", pa.string()), ("n", pa.int64()), ("at", pa.struct([("place", pa.string())]))])
INDEX = ".hoodie/metadata/record_index"


def rows(*given: tuple[str, int, str]) -> pa.Table:
    return pa.Table.from_pylist([{"id": key, "n": n, "at": {"place": place}} for key, n, place in given], TYPES)


def indexed(path: Path) -> Table:
    create_table(path, TYPES, "id", partition_by="at.place", indexes=["files"])
    restated(path, {"hoodie.datasource.write.hive_style_partitioning": "true"})
    open_table(path).insert(rows(("a", 1, "x.y"), ("b", 1, "x.y")))
    open_table(path).index("record_index", options=IndexOptions(partitioned=True))
    return open_table(path)


def groups(path: Path) -> set[str]:
    names = (
        file.name.lstrip(".").partition("_")[0] for file in (path / INDEX).iterdir() if "record-index" in file.name
    )
    return {name.rsplit("-", 2)[0] + "-" for name in names}


@pytest.mark.parametrize(
    ("partition", "escaped"),
    [
        ("a.b=1.5", "a%2Eb%3D1.5"),
        ("a=1.5", "a%3D1.5"),
        ("1.5", "1.5"),
        ("a.b=x/c.d=y", "a%2Eb%3Dx%2Fc.d%3Dy"),
        ("=x.y", "%3Dx.y"),
        ("a_b-c=d", "a%5Fb%2Dc%3Dd"),
    ],
)
def test_dots_before_the_first_equals_sign_are_escaped(partition: str, escaped: str) -> None:
    """META-711."""
    assert escape_path_in_name(partition) == escaped
    assert partition_group_prefixes(partition)[0] == f"record-index-{escaped}-"
    assert len(partition_group_prefixes(partition)) == 1 + ("." in partition.partition("=")[0] and "=" in partition)


PATHS = st.text(st.sampled_from("ab.=/-_%2E3D é{"), max_size=12)


@settings(max_examples=cases(300), deadline=None)
@given(PATHS, PATHS)
def test_names_of_both_releases_lead_back_to_one_partition(one: str, other: str) -> None:
    """META-711: no file group of a partition, by whichever release, is taken for one of another partition."""
    names = {
        path: [prefix.removeprefix("record-index-")[:-1] for prefix in partition_group_prefixes(path)]
        for path in (one, other)
    }
    for path, escaped in names.items():
        assert {unescape(name) for name in escaped} == {path}
        assert not any(set("=/-_") & set(name) for name in escaped)
        assert "." not in escaped[0].partition("%3D")[0] or "=" not in path[1:]
    assert one == other or not set(names[one]) & set(names[other])


def test_new_file_groups_have_the_newer_name(tmp_path: Path) -> None:
    """META-711."""
    table = indexed(tmp_path / "t")
    new, old = partition_group_prefixes("at.place=x.y")
    assert groups(tmp_path / "t") == {new} != {old}
    table.upsert(rows(("a", 2, "x.y"), ("c", 2, "z.w")))
    assert groups(tmp_path / "t") == {new, partition_group_prefixes("at.place=z.w")[0]}
    assert [str(finding) for finding in open_table(tmp_path / "t").validate()] == []


def test_file_groups_with_the_older_name_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-711: no second set is made."""
    path = tmp_path / "t"
    new, old = partition_group_prefixes("at.place=x.y")
    with monkeypatch.context() as earlier_release:
        earlier_release.setattr(delta_commit, "escape_path_in_name", escape_name)
        indexed(path)
    assert groups(path) == {old}
    open_table(path).upsert(rows(("a", 2, "x.y"), ("c", 2, "x.y")))
    assert groups(path) == {old}
    assert rows_by_key(path) == {"a": 2, "b": 1, "c": 2}
    with monkeypatch.context() as later_release:
        later_release.setattr(delta_commit, "partition_group_prefixes", lambda _: (new,))
        open_table(path).upsert(rows(("e", 3, "x.y")))
    assert groups(path) == {old, new}
    open_table(path).upsert(rows(("a", 4, "x.y"), ("d", 4, "x.y")))
    open_table(path).delete(where="id = 'b'")
    assert rows_by_key(path) == {"a": 4, "c": 2, "d": 4, "e": 3}
    assert [str(finding) for finding in open_table(path).validate()] == []


def rows_by_key(path: Path) -> dict[str, int]:
    table = open_table(path)
    found = {}
    for key in "abcde":
        for row in table.scan(f"_hoodie_record_key = '{key}'").to_json_rows():
            found[key] = row["n"]
    assert sorted((row["id"], row["n"]) for row in table.scan().to_json_rows()) == sorted(found.items())
    return found


@pytest.mark.parametrize("version", [8, 9])
def test_file_groups_of_another_index_are_left_alone(tmp_path: Path, version: Literal[8, 9]) -> None:
    """META-1143: a clean of Apache Hudi puts deletes of an expression index beside the groups of `column_stats`."""
    path, metadata = tmp_path / "t", tmp_path / "t/.hoodie/metadata"
    create_table(path, TYPES, "id", partition_by="at.place", indexes=["column_stats"], version=version)
    open_table(path).insert(rows(("a", 1, "x"), ("B", 1, "y")))
    for first in metadata.glob("column_stats/.col-stats-*_00000000000000001.log.*"):
        shutil.copy(first, first.with_name(first.name.replace("col-stats", "expr-index-low")))
    before = names(metadata / "column_stats")
    open_table(path).upsert(rows(("a", 3, "x"), ("C", 3, "y")))
    assert list(validate(open_table(path))) == []
    added = names(metadata / "column_stats") - before
    assert {name.lstrip(".").partition("-00")[0] for name in added} == {"col-stats"}
    assert [row["id"] for row in open_table(path).scan("n = 3").to_json_rows()] == ["a", "C"]


def test_file_groups_of_other_indexes_alone_are_damage(tmp_path: Path) -> None:
    """META-1143."""
    create_table(tmp_path, TYPES, "id", partition_by="at.place", indexes=["column_stats"])
    for number, first in enumerate(sorted(tmp_path.glob(".hoodie/metadata/column_stats/.col-stats-*"))):
        first.rename(first.with_name(first.name.replace("col-stats", f"other-{number}")))
    with pytest.raises(CorruptFileError, match=r"file groups named col-stats-<number>, found other-0, other-1"):
        open_table(tmp_path).upsert(rows(("a", 4, "x")))


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}
