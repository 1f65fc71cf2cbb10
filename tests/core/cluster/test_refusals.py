"""Tables and columns that are not clustered: nothing is planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.errors import UnknownColumnError, UnsupportedError
from hudi_core.table.open import refreshed
from tests.core.cluster.test_operations import LINEAR, made


def test_tables_of_buckets_are_refused(tmp_path: Path) -> None:
    """CLUSTER-16."""
    table = made(tmp_path)
    table.storage.create(".hoodie/.bucket_index/consistent_hashing_metadata/a/00000000000000.hashing_meta", b"{}")
    with pytest.raises(UnsupportedError, match="consistent hashing"):
        cluster(table, LINEAR)
    assert list(refreshed(table).timeline.pending) == []


def test_columns_that_cannot_order_rows_are_refused(tmp_path: Path) -> None:
    table = made(tmp_path)
    with pytest.raises(UnknownColumnError):
        cluster(table, ClusterOptions(columns=("nn",)))
