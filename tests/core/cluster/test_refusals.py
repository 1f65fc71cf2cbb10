"""Tables and columns that are not clustered: nothing is planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.partitions import FilterMode, PartitionFilter
from hudi_core.errors import UnknownColumnError, UnsupportedError, UsageError
from hudi_core.table.open import refreshed
from tests.core.cluster.test_operations import LINEAR, made


def test_tables_of_buckets_are_refused(tmp_path: Path) -> None:
    """CLUSTER-16."""
    table = made(tmp_path)
    table.storage.create(".hoodie/.bucket_index/consistent_hashing_metadata/a/00000000000000.hashing_meta", b"{}")
    with pytest.raises(UnsupportedError, match="consistent hashing"):
        cluster(table, LINEAR)
    assert list(refreshed(table).timeline.pending) == []


def test_choices_that_are_none_are_refused(tmp_path: Path) -> None:
    """CLUSTER-1634."""
    for partitions in ([], "", " , "):
        with pytest.raises(UsageError, match="partitions: expected paths of partitions; none given means all"):
            ClusterOptions(partitions=partitions)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="columns: expected a list of names, whose order counts"):
        ClusterOptions(columns={"n", "x"})  # type: ignore[arg-type]
    for folder in ("", str(tmp_path / "none")):
        with pytest.raises(UsageError, match="spool_folder: expected a folder that is there"):
            ClusterOptions(spool_folder=folder)
    assert ClusterOptions(spool_folder=tmp_path).spool_folder == str(tmp_path)  # type: ignore[arg-type]


def test_a_filter_of_partitions_takes_a_mode_by_name() -> None:
    """CLUSTER-31."""
    assert PartitionFilter("RECENT_DAYS", look_back=3).mode is FilterMode.RECENT_DAYS  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="mode: expected one of NONE, RECENT_DAYS"):
        PartitionFilter("recent")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="partitions: expected a list of names"):
        PartitionFilter(selected="abc")  # type: ignore[arg-type]


def test_columns_that_cannot_order_rows_are_refused(tmp_path: Path) -> None:
    table = made(tmp_path)
    with pytest.raises(UnknownColumnError):
        cluster(table, ClusterOptions(columns=("nn",)))
