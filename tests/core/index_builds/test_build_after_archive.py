"""An index that is built when the metadata table's own timeline has been archived: the other partitions are whole."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.metadata.kinds import RECORD_INDEX
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.validation.findings import Severity

TYPES = pa.schema([("id", pa.string()), ("n", pa.int64())])


def rows(*keys: str) -> pa.Table:
    return pa.Table.from_pylist([{"id": key, "n": number} for number, key in enumerate(keys)], TYPES)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_the_record_index_keeps_its_file_groups(tmp_path: Path, version: int) -> None:
    """TIME-1476."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", version=version, indexes=["column_stats", "record_index"])  # type: ignore[arg-type]
    open_table(path).append(rows("a", "b", "c", "d"))
    for _ in range(13):  # the metadata table is compacted on the way: file groups without keys have no base file then
        open_table(path).upsert(rows("a"))
    open_table(path).clean(keep_commits=1)
    done = open_table(path).archive(ArchiveOptions(2, properties={"hoodie.clean.commits.retained": "1"}))
    assert done.metadata_instants
    before = len(open_table(path).snapshot().metadata.slices(RECORD_INDEX))  # type: ignore[union-attr]
    open_table(path).index("bloom_filters")
    table = open_table(path)
    assert len(table.snapshot().metadata.slices(RECORD_INDEX)) == before  # type: ignore[union-attr]
    for mode in MetadataMode:
        assert sorted(row["id"] for row in open_table(path, metadata=mode).scan().to_json_rows()) == [
            "a",
            "b",
            "c",
            "d",
        ]
    assert [one for one in table.validate() if one.severity is Severity.ERROR] == []
