"""Log blocks of real tables go through Arrow and come out as the bytes they were; batches stay within what Arrow can address."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hudi_arrow import buffers
from hudi_arrow.engine import ENGINE
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.nodes import PrimitiveColumn, StringColumn, StructColumn
from hudi_core.errors import UnsupportedError
from hudi_core.formats.avro.block import avro_content, avro_records
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.log import BlockKind, read_blocks
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.support.conformance import TableEntry, each_table_where

TEXTS = Schema(t.Record((t.Field(0, "s", t.String()), t.Field(1, "n", t.Long()))))


def texts(*values: str) -> StructColumn:
    offsets = np.cumsum([0, *map(len, values)])
    columns = {
        "s": StringColumn(offsets, np.frombuffer("".join(values).encode(), np.uint8)),
        "n": PrimitiveColumn(np.arange(len(values))),
    }
    return StructColumn(len(values), columns)


@each_table_where(lambda entry: entry.has("*/.*.log.*"), "log files", every=3)
def test_records_of_every_log_block_are_the_same_bytes_after_arrow(entry: TableEntry) -> None:
    blocks = [
        block
        for path in entry.unpacked().rglob(".*.log.*")
        for block in read_blocks(InMemoryFile(path.read_bytes(), path.name))
        if block.kind is BlockKind.AVRO_DATA
    ]
    if not blocks:
        pytest.skip("no block of Avro records")
    for block in blocks:
        records = avro_records(block)
        columns = decode(records.schema_text, records.data, records.starts, records.lengths, block.where)
        assert isinstance(columns, StructColumn)
        schema = schema_from_avro(records.schema_text)
        (batch,) = ENGINE.rows.from_columns(columns, schema, block.where)
        batch.validate(full=True)
        again = ENGINE.rows.to_column(ENGINE.rows.root(batch), schema.record, block.where)
        assert isinstance(again, StructColumn)
        assert avro_content(records.schema_text, again, block.where) == records.data


def test_batches_are_cut_where_offsets_would_not_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffers, "MAX_OFFSET", 6)
    batches = list(ENGINE.rows.from_columns(texts("abc", "de", "f", "ghijk"), TEXTS, "rows"))
    assert [batch.num_rows for batch in batches] == [2, 2]
    assert pa.Table.from_batches(batches).to_pydict() == {"s": ["abc", "de", "f", "ghijk"], "n": [0, 1, 2, 3]}
    with pytest.raises(UnsupportedError, match="rows"):
        list(ENGINE.rows.from_columns(texts("x", "longer than that"), TEXTS, "rows"))


def test_strings_and_numbers_are_wrapped_where_they_lie() -> None:
    columns = texts("abc", "de")
    (batch,) = ENGINE.rows.from_columns(columns, TEXTS, "rows")
    text, number = columns.fields["s"], columns.fields["n"]
    assert isinstance(text, StringColumn)
    assert isinstance(number, PrimitiveColumn)
    assert batch.column("s").buffers()[2].address == text.data.ctypes.data
    assert batch.column("n").buffers()[1].address == number.values.ctypes.data


def test_columns_of_batches_are_views_of_them() -> None:
    array = pa.array([{"s": "abc", "n": 1}, {"s": "de", "n": 2}]).slice(1)
    column = ENGINE.rows.to_column(array, TEXTS.record, "rows")
    assert isinstance(column, StructColumn)
    number = column.fields["n"]
    assert isinstance(number, PrimitiveColumn)
    assert number.values.ctypes.data == array.field("n").buffers()[1].address + 8
