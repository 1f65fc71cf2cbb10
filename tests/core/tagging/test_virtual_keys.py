"""Tables with virtual keys: the meta columns may hold anything, empty strings above all, and tell nothing of the keys."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.columns.strings import string_column
from hudi_core.expr.build import col
from hudi_core.formats.bloom_write import FilterKind, FilterSettings, encode_bloom_filter
from hudi_core.table.table import Table
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.tag import TagOptions, tag
from tests.support.logged_tables import BASE_NAME, Block, LoggedTable

VIRTUAL = {"hoodie.populate.meta.fields": "false", "hoodie.table.keygenerator.type": "NON_PARTITION"}
ROWS = [{"id": f"k{number}", "ts": 1, "v": "v", "n": number, "_hoodie_record_key": ""} for number in range(8)]
LOGGED = [{**ROWS[7], "ts": 2}, {**ROWS[0], "id": "k9", "ts": 2}]
BY_FILES = [IndexType.AUTO, IndexType.SIMPLE, IndexType.BLOOM]


def virtual(*blocks: Block, row_group: int = 1000) -> Table:
    """A table whose files hold empty strings as record keys, and a bloom filter that has none of the keys."""
    made = LoggedTable(ROWS, blocks, VIRTUAL, row_group=row_group)
    made.open()
    file = pq.ParquetFile(io.BytesIO(made.memory.files[BASE_NAME]))
    filtered = encode_bloom_filter(string_column(["another"]), FilterSettings(FilterKind.SIMPLE, 8, 0.01)).decode()
    noted = {"org.apache.hudi.bloomfilter": filtered}
    out = io.BytesIO()
    pq.write_table(file.read().replace_schema_metadata(noted), out, row_group_size=row_group)
    made.memory.files[BASE_NAME] = out.getvalue()
    return made.open()


@pytest.mark.parametrize("row_group", [2, 1000])
@pytest.mark.parametrize("index", BY_FILES)
def test_meta_columns_give_no_bounds_of_keys(index: IndexType, row_group: int) -> None:
    """INDEX-5."""
    requested = pa.table({"id": ["k0", "k7", "absent", "k3"]})
    located = tag(virtual(row_group=row_group), requested, TagOptions(index)).read_all()["location"].to_pylist()
    assert [place and place["position"] for place in located] == [0, 7, None, 3]


@pytest.mark.parametrize("index", BY_FILES)
def test_keys_of_slices_with_logs_are_made_of_rows_too(index: IndexType) -> None:
    """INDEX-9."""
    requested = pa.table({"id": ["k0", "k7", "absent", "k9"]})
    located = tag(virtual(Block(LOGGED)), requested, TagOptions(index)).read_all()["location"].to_pylist()
    assert [place is not None for place in located] == [True, True, False, True]


def test_filters_of_own_columns_skip_no_file() -> None:
    """INDEX-6."""
    found = virtual().scan(col("id") == "k3", ["n"]).to_arrow()
    assert found["n"].to_pylist() == [3]
