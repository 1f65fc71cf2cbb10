"""Tables of versions 2 to 5: read as they stand, never written to. Rules TABLE-260, TABLE-261.

Also covers: `transactions/old_versions.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from tests.support.commands import fingerprint, ran
from tests.support.drawing import SOAK
from tests.support.every_write import WRITES, transaction
from tests.support.written_tables import rows, rows_of

OLD = [2, 3, 4, 5]


def old_table(folder: Path, version: int, type_: Any = "mor", keep: bool = False) -> Table:
    """A table of an old version: one of version 6 whose properties lack what later versions state."""
    made = create_table(
        folder, rows(), key="id", partition_by="p", type=type_, version=6, indexes=["files", "column_stats"]
    )
    made.insert(rows(("a", "x", 1), ("b", "y", 2)))
    made.upsert(rows(("a", "x", 3)))
    properties = folder / ".hoodie" / "hoodie.properties"
    lines = [
        line.replace("hoodie.table.version=6", f"hoodie.table.version={version}")
        for line in properties.read_text().splitlines()
        if keep
        or not line.startswith(("hoodie.table.checksum", "hoodie.table.keygenerator", "hoodie.datasource.write"))
    ]
    properties.write_text("\n".join(lines) + "\n")
    return open_table(folder)


@pytest.mark.each_value
@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("type_", ["cow", "mor"])
def test_rows_are_read_without_the_metadata_table(tmp_path: Path, version: int, type_: str) -> None:
    """TABLE-260."""
    table = old_table(tmp_path / "t", version, type_)
    assert rows_of(table) == [("a", "x", 3), ("b", "y", 2)]
    assert rows_of(table, "n = 3") == rows_of(table, "p = 'x'") == [("a", "x", 3)]
    assert table.config.metadata_partitions == () and table.metadata_read is None
    assert table.scan("p = 'x'").count() == 1
    assert ran("inspect", tmp_path / "t").status == 0
    (tmp_path / "t" / ".hoodie" / "metadata").rename(tmp_path / "gone")
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 3), ("b", "y", 2)]


@pytest.mark.parametrize(("version", "value"), [(2, "x"), (3, "other"), (5, "other")])
def test_paths_give_values_where_their_form_is_stated(tmp_path: Path, version: int, value: str) -> None:
    """TABLE-260."""
    old_table(tmp_path / "t", version)
    (tmp_path / "t" / "x").rename(tmp_path / "t" / "other")
    ids = {row["id"]: row["p"] for row in open_table(tmp_path / "t").scan().to_json_rows()}
    assert ids == {"a": value, "b": "y"}


@pytest.mark.filterwarnings("ignore:rows without a value in a partition column")
@pytest.mark.parametrize(("version", "value"), [(2, None), (4, None), (5, None)])
def test_the_folder_default_stood_for_null(tmp_path: Path, version: int, value: str | None) -> None:
    """TABLE-260."""
    data = pa.table({"id": ["a"], "p": pa.array([None], pa.string()), "n": [1]})
    create_table(tmp_path / "t", data, key="id", partition_by="p", version=6).insert(data)
    (tmp_path / "t" / "__HIVE_DEFAULT_PARTITION__").rename(tmp_path / "t" / "default")
    properties = tmp_path / "t" / ".hoodie" / "hoodie.properties"
    properties.write_text(properties.read_text().replace("hoodie.table.version=6", f"hoodie.table.version={version}"))
    table = open_table(tmp_path / "t")
    assert [row["p"] for row in table.scan().to_json_rows()] == [value]
    assert table.scan("p IS NULL").count() == (value is None)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """A table of each version, which no test changes."""
    folder = tmp_path_factory.mktemp("old")
    for version in OLD:
        old_table(folder / str(version), version)
    return {version: folder / str(version) for version in OLD}


EACH = [(version, write) for place, write in enumerate(WRITES) for version in (OLD if SOAK else [OLD[place % 4]])]
"""Every write on a table of one version; in the long run, of every version."""


@pytest.mark.parametrize(("version", "write"), EACH)
def test_nothing_writes_and_the_refusal_names_what_an_upgrade_needs(
    shared: dict[int, Path], version: int, write: str
) -> None:
    """TABLE-261."""
    table = open_table(shared[version])
    before = fingerprint(shared[version])
    with pytest.raises(
        UnsupportedError, match=f"upgrade the table with Apache Hudi.*found version {version}"
    ) as raised:
        WRITES[write](table)
    assert ("hoodie.table.keygenerator.class" in str(raised.value)) == (version < 3)
    assert ("hoodie.table.checksum" in str(raised.value)) == (version < 4)
    assert fingerprint(shared[version]) == before


READS = frozenset(
    [
        "advise",
        "commits",
        "count",
        "indexes",
        "metadata_records",
        "partitions",
        "refresh",
        "savepoints",
        "to_arrow",
        "to_dataset",
        "to_duckdb",
        "to_lazy",
        "to_pandas",
        "to_polars",
        "validate",
    ]
)
"""Methods of a table that leave every byte."""


def test_the_writes_of_these_tests_are_all_methods_that_write() -> None:
    """TABLE-261, TABLE-710, TABLE-732: a method that is new is of one kind or of the other."""
    own = {name: value for name, value in vars(Table).items() if getattr(value, "__module__", "") == Table.__module__}
    methods = {name for name, value in own.items() if callable(value) and not name.startswith("_")}
    called = {name for write in WRITES.values() for name in write.__code__.co_names}
    called |= set(transaction.__code__.co_names)
    assert methods - called - READS == set()


def test_commands_that_mend_or_roll_back_are_refused_too(tmp_path: Path) -> None:
    """TABLE-261."""
    old_table(tmp_path / "t", 4)
    (tmp_path / "t" / ".hoodie" / "20200101000000.inflight").write_bytes(b"")
    before = fingerprint(tmp_path / "t")
    for arguments in (["rollback", tmp_path / "t", "--failed"], ["validate", tmp_path / "t", "--mend"]):
        answer = ran(*arguments)
        assert answer.status == 1
        assert "upgrade the table with Apache Hudi" in answer.err
        assert fingerprint(tmp_path / "t") == before
    assert ran("validate", tmp_path / "t").status in (0, 1)
