"""Native files of deletes of table version 10: the keys, and their values of the ordering fields. Rule LOG-712."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hudi_core.columns.nodes import Column, StringColumn
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.evolve.reconcile import reconcile
from hudi_core.formats.log import HeaderKey, LogBlock
from hudi_core.reading.block_files import open_content
from hudi_core.rows.project import projection
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.schema.schema import ColumnPlace, Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.types.nodes import Record, String


def native_deletes(
    block: LogBlock, snapshot: Snapshot, ordering: Sequence[ColumnPlace]
) -> Iterator[tuple[StringColumn, tuple[Column, ...]]]:
    """The keys of a native file of deletes, and their values of the ordering fields in the types of the table, null where the
    file has none. Raises `CorruptFileError` for a file without keys, `UnsupportedError` for ordering fields within records."""
    values, rows = snapshot.engine.values, snapshot.engine.rows
    if nested := [place.field.name for place in ordering if len(place.positions) > 1]:
        raise UnsupportedError(
            block.where, expected="ordering fields that are columns", found=f"{nested[0]} in a record"
        )
    with open_content(block, snapshot.engine) as opened:
        version = snapshot.history.number_at(block.require(HeaderKey.INSTANT_TIME))
        stored = snapshot.history.identify(opened.footer.schema, version)
        key = next((field for field in stored.fields if field.name == RECORD_KEY), None)
        if key is None or not isinstance(key.type, String):
            raise CorruptFileError(block.where, expected=f"texts in {RECORD_KEY}", found="no such column")
        wanted = Schema(Record((key, *(place.field for place in ordering))))
        ids = {field.id for field in wanted.fields}
        part = Schema(Record(tuple(field for field in stored.fields if field.id in ids), stored.record.name))
        read_columns = projection(reconcile(part, wanted, nulls_for_required=True), values)
        for batch in opened.batches([field.name for field in part.fields]):
            root = read_columns(rows.root(batch))
            keys, *others = (
                rows.to_column(values.field(root, number), field.type, block.where)
                for number, field in enumerate(wanted.fields)
            )
            assert isinstance(keys, StringColumn)
            yield keys, tuple(others)
