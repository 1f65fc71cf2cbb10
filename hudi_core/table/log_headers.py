"""What the headers of a log file's blocks say of columns: deletes change no value, partial updates those of a few columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from hudi_core.formats.source import RandomAccess
from hudi_core.table.knowledge import Untold

_DATA = (BlockKind.AVRO_DATA, BlockKind.HFILE_DATA, BlockKind.PARQUET_DATA)


@dataclass(frozen=True, slots=True)
class LogHeaders:
    """The columns, by the names they had, whose values a log file's rows may set; None: any column's."""

    columns: frozenset[str] | None

    def untold(self, name: str) -> Untold:
        """What to think of a top-level column by its name, when there are no statistics of it.

        A partial update of a row that was deleted before may leave its other columns null.
        """
        if self.columns is None or name in self.columns:
            return Untold.ANYTHING
        return Untold.NULLS if self.columns else Untold.NOTHING


def log_headers(source: RandomAccess) -> LogHeaders:
    """What the headers of all blocks say, whether they count or not. Raises `CorruptFileError` and `UnsupportedError`."""
    return _summed(block for block in read_blocks(source) if block.kind in _DATA)


def _summed(blocks: Iterable[LogBlock]) -> LogHeaders:
    columns: set[str] = set()
    for block in blocks:
        schema = block.header.get(HeaderKey.SCHEMA)
        if schema is None or block.header.get(HeaderKey.IS_PARTIAL, "").lower() != "true":
            return LogHeaders(None)
        columns |= {field.name for field in schema_from_avro(schema, block.where).fields}
    return LogHeaders(frozenset(columns))


UNREADABLE = LogHeaders(None)
"""Of a log file whose headers cannot be read."""
