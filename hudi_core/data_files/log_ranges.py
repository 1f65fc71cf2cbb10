"""The content of a log file, in the form of a base file's footer. Rule META-81."""

from __future__ import annotations

from typing import Final

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.nodes import StructColumn
from hudi_core.data_files.column_ranges import ranges_of_rows
from hudi_core.engine import FileInfo, Footer, Storage
from hudi_core.formats.avro.block import join_records
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from hudi_core.schema.schema import Path, Schema
from hudi_core.types import nodes as t

_WITHOUT_ROWS: Final = frozenset({BlockKind.DELETE, BlockKind.COMMAND})
_NO_ROWS: Final = Footer(0, Schema(t.Record(())))


def log_footer(storage: Storage, info: FileInfo) -> Footer | None:
    """Rows of the data blocks of a log file, their schema, and the statistics of its columns; deletes count for nothing.

    None where the file alone does not determine it: for data blocks that are not Avro, for partial updates, and for
    blocks of several schemas.
    """
    blocks = whole_blocks(storage, info)
    if not blocks:
        return None if blocks is None else _NO_ROWS
    text, where = blocks[0].require(HeaderKey.SCHEMA), blocks[0].where
    schema = schema_from_avro(text, where)
    rows = decode(text, *join_records(blocks), where)
    assert isinstance(rows, StructColumn)
    statistics: dict[Path, LeafStatistics] = {}
    for name, known in ranges_of_rows(rows, schema.record).items():
        path = tuple(name.split("."))
        column_type = schema.get(path).field.type
        statistics[path] = LeafStatistics(
            column_type, known.lower, known.upper, known.nulls, known.values, known.nan, 0, 0
        )
    return Footer(rows.length, schema, {}, statistics)


def whole_blocks(storage: Storage, info: FileInfo) -> list[LogBlock] | None:
    """The data blocks of a log file, all of one schema; None where the file alone does not determine it, as `log_footer` says."""
    blocks = [block for block in read_blocks(storage.open(info.path, info.size)) if block.kind not in _WITHOUT_ROWS]
    if len({block.header.get(HeaderKey.SCHEMA) for block in blocks}) > 1 or not all(map(_is_whole, blocks)):
        return None
    return blocks


def _is_whole(block: LogBlock) -> bool:
    """A block of rows with all columns."""
    partial = block.header.get(HeaderKey.IS_PARTIAL, "").lower() == "true"
    return block.kind is BlockKind.AVRO_DATA and not partial
