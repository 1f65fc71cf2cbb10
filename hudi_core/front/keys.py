"""Record keys and partition paths of rows, by the options of a write or the properties of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hudi_core.engine import Engine, InputRows
from hudi_core.errors import RowError
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.choose import check_generator, choose
from hudi_core.keys.generator import AnyGenerator, UserGenerator
from hudi_core.keys.options import refuse_misspelled
from hudi_core.rows.exact_types import without_floats_for_texts
from hudi_core.schema.schema import Schema
from hudi_core.table.engines import DEFAULT_ENGINE, load_engine
from hudi_core.table.keying import table_generator
from hudi_core.table.table import Table
from hudi_core.tagging.key_reader import input_schema
from hudi_core.types.nodes import Field, Record, String

if TYPE_CHECKING:
    from hudi_core.front.keywords import RowData
    from hudi_core.libraries import ArrowTable

KEYS = Schema(Record((Field(0, "record_key", String(), False), Field(1, "partition_path", String(), False))))
"""The columns of keys."""


def keys_of_rows(data: RowData, by: Table | Mapping[str, str] | UserGenerator) -> ArrowTable:
    """Makes the record key and the partition path of each row, in the columns `record_key` and `partition_path`.

    `by` is a table, whose own keys are made; or options as Apache Hudi names them (`hoodie.datasource.write.recordkey.field`);
    or a generator of your own: an object with `record_key(row)` and `partition_path(row)`. `data` has any form that
    `hudi_core.write` takes, except a path. Raises `RowError` with the number of a row that has no key.
    """
    engine = by.engine if isinstance(by, Table) else load_engine(DEFAULT_ENGINE)
    like = input_schema(by.schema) if isinstance(by, Table) else None
    given: InputRows[Any] = engine.rows.read_given(data, like)
    if like is not None:
        given = without_floats_for_texts(engine, given, like)
    generator = _generator(by)
    table: ArrowTable = engine.rows.stream(KEYS, key_batches(engine, generator, given, "rows")).read_all()
    return table


def _generator(by: Table | Mapping[str, str] | UserGenerator) -> AnyGenerator:
    match by:
        case Table():
            return table_generator(by)
        case Mapping():
            refuse_misspelled(by)
            return choose(by)
        case _:
            return check_generator(by, "keys")


def key_batches(
    engine: Engine[Any, Any, Any], generator: AnyGenerator, given: InputRows[Any], where: str
) -> Iterator[Any]:
    """The keys of all rows, as batches of `KEYS`. Raises `RowError` with the number of the row in all that is given."""
    operations, values = engine.rows, engine.values
    maker: KeyGenerator[Any, Any] = KeyGenerator(generator, given.schema, values)
    first = 0
    for batch in given.batches:
        root = operations.root(batch)
        try:
            columns = maker.keys(root, first)
        except RowError as refused:
            row = None if refused.row is None else first + refused.row
            raise RowError(row, expected=refused.expected or "", found=refused.found or "", path=where) from None
        strings = zip(KEYS.fields, (columns.record_key, columns.partition_path), strict=True)
        yield operations.batch(values.struct(list(strings), values.some([], root), root))
        first += operations.count(batch)
