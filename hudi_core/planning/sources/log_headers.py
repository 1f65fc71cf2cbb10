"""Which columns a log file may change, by the headers of its blocks: deletes none, partial updates a few."""

from __future__ import annotations

from dataclasses import dataclass

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock
from hudi_core.formats.native_log import log_blocks
from hudi_core.formats.random_access import RandomAccess
from hudi_core.planning.sources.slice_statistics import MissingStats
from hudi_core.schema.schema import Schema

_DATA = (BlockKind.AVRO_DATA, BlockKind.HFILE_DATA, BlockKind.PARQUET_DATA)


@dataclass(frozen=True, slots=True)
class LogHeaders:
    """The content of a log file's data blocks: whole rows, a few columns of rows, or both.

    `columns` are the columns, by the names they had, that the latter may set.
    """

    whole_rows: bool
    parts_of_rows: bool
    columns: frozenset[str] = frozenset()

    def missing_stats(self, name: str) -> MissingStats:
        """The assumption about a top-level column, by its name, without statistics of it.

        A partial update of a row that was deleted before may leave its other columns null.
        """
        if self.whole_rows or name in self.columns:
            return MissingStats.ANYTHING
        return MissingStats.NULLS if self.parts_of_rows else MissingStats.NOTHING


def log_headers(name: str, source: RandomAccess) -> LogHeaders:
    """The headers of all blocks of a log file of this name, whether they count or not. Raises `CorruptFileError` and
    `UnsupportedError`."""
    schemas = [_partial_schema(block) for block in log_blocks(name, source) if block.kind in _DATA]
    parts = [schema for schema in schemas if schema is not None]
    names = frozenset(field.name for schema in parts for field in schema.fields)
    return LogHeaders(len(parts) < len(schemas), bool(parts), names)


def _partial_schema(block: LogBlock) -> Schema | None:
    """The schema of a block that holds some columns only."""
    if block.header.get(HeaderKey.IS_PARTIAL, "").lower() != "true":
        return None
    return schema_from_avro(block.require(HeaderKey.SCHEMA), block.where)


UNREADABLE = LogHeaders(whole_rows=True, parts_of_rows=True)
"""The content of a log file whose headers cannot be read."""
