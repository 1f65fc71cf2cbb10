"""Creating tables. Rules: CREATE-1 to CREATE-4."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from datetime import UTC, timedelta
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any, Final

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.commit.markers import MARKERS
from hudi_core.commit.properties import BACKUP_PATH, properties_content
from hudi_core.commit.steps import run, sync_changes
from hudi_core.commit.storage_lock import LOCK_PROVIDER, STORAGE_LOCK_PATH, STORAGE_LOCK_PROVIDER, free_storage_lock
from hudi_core.commit.times import system_clock, time_of
from hudi_core.commit.versions import VersionedStorage
from hudi_core.creating.creation_options import is_other_index, options_of_writes, refuse_other_index
from hudi_core.creating.new_table import NewTable, new_properties, table_name
from hudi_core.engine import Engine, Storage
from hudi_core.errors import AlreadyExistsError, CorruptFileError, UnsupportedError, UsageError, describe
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.choose import UTC_MACHINE, choose
from hudi_core.keys.generator import WritePath
from hudi_core.keys.options import AUTO_INSTANT, table_options
from hudi_core.local_uris import is_url, local_path
from hudi_core.metadata_writer.initial import new_table_steps
from hudi_core.options import FOLDER, PROPERTIES_PATH, TableConfig, TimeZone, table_config
from hudi_core.rows.exact_types import choose_written_units
from hudi_core.rows.outside_files import is_there, table_around, table_below
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.names import names_in_order
from hudi_core.schema.schema import Schema
from hudi_core.service_properties import is_of_others, refuse_unknown
from hudi_core.stated_properties import property_texts
from hudi_core.table.engines import DEFAULT_ENGINE, load_engine
from hudi_core.table.keying import is_ambiguous
from hudi_core.table.open import location_of, open_table
from hudi_core.table.table import Table
from hudi_core.timeline.files import SCHEMA_FOLDER
from hudi_core.transactions.left_out import refuse_left_out
from hudi_core.transactions.refusals import refuse_unwritable_properties
from hudi_core.types import nodes as t
from hudi_core.types.text import text

KEEPER: Final = ".hudi-core-keeps-this-folder"
"""An empty file by which a folder of an object store is there; readers of timelines ignore it."""
_NAME: Final = "hoodie.table.name"
_FORMS: Final = "a Schema, an Avro schema, an Arrow schema, or rows"
_OF_TEXT: Final = "hudi_core.schema_of makes a Schema of names and types"
_LOCAL_FOLDERS: Final = (
    SCHEMA_FOLDER,
    MARKERS,
    f"{FOLDER}/.aux/.bootstrap/.partitions",
    f"{FOLDER}/.aux/.bootstrap/.fileids",
)


def create_table(
    uri: str | PathLike[str],
    schema: object,
    key: str | Sequence[str] = (),
    *,
    partition_by: str | Sequence[str] = (),
    ordering: str | Sequence[str] = (),
    type: str = "cow",
    version: int = 9,
    name: str | None = None,
    indexes: str | Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    engine: str = DEFAULT_ENGINE,
    storage_options: Mapping[str, str] | None = None,
    refuse: Callable[[TableConfig], None] | None = None,
) -> Table:
    """A new table without rows, at a local path or URL.

    `schema` is a `Schema`, whose keys count where no others are given, an Avro schema (JSON text or its objects), or anything
    with `__arrow_c_schema__` or `__arrow_c_stream__`. `key` are the columns of the record key. `ordering` are those by which the
    latest of the records with one key wins; without one the record written last wins. `type` is `cow` or `mor`. `options` are
    `hoodie.*` properties: those of a table, and those of services, by which all its writers keep it in order. Those of single
    writes have no effect, with a warning. `refuse` raises for properties that the table's services could not go by.

    `indexes` are the partitions of its metadata table besides `files` (`column_stats`, `partition_stats`, `bloom_filters`,
    `record_index`); none: the table has no metadata table.

    Raises `UsageError` for what no table can be, `SchemaError` for columns that make no key or partition path, `UnsupportedError`
    for a table that this library would not write to, and `AlreadyExistsError` where there is a table.
    """
    keys, partition_columns = _column_names("key", key), _column_names("partition_by", partition_by)
    order_columns, kinds = _column_names("ordering", ordering), _column_names("indexes", indexes)
    if isinstance(schema, Schema):
        keys, partition_columns = keys or schema.record_keys, partition_columns or schema.partition_keys
    location = location_of(uri)
    loaded = load_engine(engine)
    storage = loaded.storage(location, storage_options)
    stated = property_texts(options, "options")
    others = [option for option, value in stated.items() if is_other_index(option, value)]
    unkept = [*others, *options_of_writes(stated)]
    stated = {option: value for option, value in stated.items() if option not in others}
    refuse_unknown(stated, "options")
    refuse_other_index(stated, keys, merges_on_read=type.lower() == "mor")
    new = NewTable(
        _name(name, stated) or table_name(storage.uri),
        row_schema(schema, loaded),
        keys,
        partition_columns,
        order_columns,
        type,
        version,
        stated,
    )
    properties = new_properties(new)
    _refuse_unwritable(properties, new.schema, loaded, storage.uri)
    if refuse is not None:
        refuse(table_config(properties, "options"))
    _refuse_table(storage)
    for option in unkept:
        warnings.warn(f"{option} is an option of writes: the new table does not keep it", stacklevel=2)
    for option in filter(is_of_others, stated):
        warnings.warn(f"{option} is kept for writers of Apache Hudi: no service of this library reads it", stacklevel=2)
    if is_ambiguous(table_config(properties, "options")):
        warnings.warn(
            "before table version 9, writers of Apache Hudi 1.2 accept one key column under the COMPLEX key generator "
            "only with hoodie.write.complex.keygen.validation.enable=false",
            stacklevel=2,
        )
    if stated.get(LOCK_PROVIDER) == STORAGE_LOCK_PROVIDER:
        _create_storage_lock(storage)
    if indexes is not None:
        properties |= _create_metadata_table(storage, properties, new.schema, kinds)
    create_files(storage, properties)
    return open_table(location, engine, storage_options=storage_options)


def _column_names(role: str, given: str | Iterable[str] | None) -> tuple[str, ...]:
    """Names in the order in which they count. Raises `UsageError` for a text without any, and for a set, which has no order."""
    listed = () if given is None else names_in_order(given, role)
    if isinstance(given, str) and not listed:
        kind = "an index" if role == "indexes" else "a column"
        raise UsageError(role, expected=f"{kind}, or several with commas between them", found=repr(given))
    return listed


def _name(name: str | None, stated: Mapping[str, str]) -> str | None:
    """The name of the table, which an argument or a property states. Raises `UsageError` for an empty one, and for two."""
    property_name = stated.get(_NAME)
    if name is not None and property_name not in (None, name):
        raise UsageError("name", expected=f"one name, as {_NAME} says {property_name!r}", found=repr(name))
    chosen = property_name if name is None else name
    if chosen is not None and not chosen.strip():
        raise UsageError(
            "name", expected="the name of a table, or none given for that of its folder", found=repr(chosen)
        )
    return chosen


def _refuse_table(storage: Storage) -> None:
    """Raises `AlreadyExistsError` where there is a table, and `UsageError` for a folder within one or with one in it: the inner
    one would be taken for a partition, and its files for those of writes that died, which services and `mend` delete. Rules
    CREATE-1448, CREATE-1577."""
    if not is_url(storage.uri):  # an object store would be asked for each folder above
        place = Path(local_path(storage.uri)).absolute()
        above = table_around(place)
        if above is not None:
            raise UsageError(
                storage.uri, expected="a folder outside of other tables", found=f"one within the table {above}"
            )
        other = next((one for one in (place, *place.parents) if is_there(one) and not one.is_dir()), None)
        if other is not None:
            raise UsageError(
                storage.uri, expected="a folder, or a path where there is nothing", found=f"the file {other}"
            )
        below = None if is_there(place / PROPERTIES_PATH) else table_below(place)
        if below is not None:
            expected = f"a folder without tables in it, as {below.with_name('new_table')}"
            raise UsageError(storage.uri, expected=expected, found=f"one with the table {below}")
    if storage.exists(PROPERTIES_PATH):
        raise AlreadyExistsError(storage.uri, expected="no table", found="a table")
    if storage.exists(BACKUP_PATH):
        raise AlreadyExistsError(
            storage.uri, expected="a folder without a table", found="a table whose properties are being replaced"
        )


def _refuse_unwritable(
    properties: Mapping[str, str], schema: Schema, engine: Engine[Any, Any, Any], where: str
) -> None:
    """Raises what a write to the new table would raise for its properties."""
    try:
        config = table_config(properties, "options")
    except CorruptFileError as error:
        raise UsageError(error.where, expected=error.expected, found=error.found) from None
    refuse_unwritable_properties(config, where)
    refuse_left_out(config, schema, where)
    for name in config.partition_fields:
        kind = schema.get(name).field.type
        if name in config.left_out_columns and not isinstance(kind, t.String):
            expected = "strings where files leave partition columns out: Apache Hudi reads them as strings"
            raise UsageError(name, expected=expected, found=text(kind))
    made_up = {} if config.record_key_fields else {AUTO_INSTANT: "0"}
    generator = choose({**table_options(config), **made_up}, writer=WritePath.ROW, machine=UTC_MACHINE)
    KeyGenerator(generator, schema, engine.values)


def _create_metadata_table(
    storage: Storage, properties: Mapping[str, str], schema: Schema, indexes: Sequence[str]
) -> Mapping[str, str]:
    """Creates the metadata table before the table's properties exist; returns the properties to set for it."""
    first = system_clock()
    moments = (first + timedelta(milliseconds=number) for number in count())
    config = table_config(properties)
    zone = UTC if config.timezone is TimeZone.UTC else None
    steps, stated = new_table_steps(config, indexes, schema, lambda: time_of(next(moments), zone))
    run(storage, steps)
    return stated


def _create_storage_lock(storage: Storage) -> None:
    """The lock by which writers exclude each other from the first write on."""
    if not isinstance(storage, VersionedStorage):
        expected = "an object store for this lock provider"
        raise UnsupportedError(storage.uri, expected=expected, found="a file system")
    with suppress(AlreadyExistsError):
        storage.create(STORAGE_LOCK_PATH, free_storage_lock())


def create_files(storage: Storage, properties: Mapping[str, str]) -> None:
    """Writes a new table: the folders that it has from the beginning, then its properties. Raises `AlreadyExistsError`."""
    for folder in _folders(storage, table_config(properties)):
        keeper = f"{folder}/{KEEPER}"
        storage.replace(keeper, b"")
        if not storage.is_remote:  # a folder stays without it
            storage.delete(keeper)
    try:
        storage.create(PROPERTIES_PATH, properties_content(properties))
    except AlreadyExistsError:
        raise AlreadyExistsError(storage.uri, expected="no table", found="a table") from None
    sync_changes(storage)


def _folders(storage: Storage, config: TableConfig) -> tuple[str, ...]:
    """Folders without files that a new table of Apache Hudi has. Its readers and writers need that of the timeline, which is
    above that of the history; an object store has folders by their files alone, and gets no others. Rule CREATE-230."""
    timeline = (config.history_folder,) if config.layout > 1 else ()
    return timeline if storage.is_remote else (*timeline, *_LOCAL_FOLDERS)


def row_schema(schema: object, engine: Engine[Any, Any, Any]) -> Schema:
    """The schema of rows that somebody gives in one of several forms, without the meta columns and without nanoseconds."""
    whole = choose_written_units(_schema(schema, engine))
    return bare_schema(whole)


def _schema(schema: object, engine: Engine[Any, Any, Any]) -> Schema:
    match schema:
        case Schema():
            return schema
        case str():
            if not schema.lstrip().startswith(("{", "[", '"')):
                raise UsageError("schema", expected=f"{_FORMS}; {_OF_TEXT}", found=describe(schema))
            return schema_from_avro(schema)
        case Mapping() if isinstance(schema.get("type"), str | Mapping):
            return schema_from_avro(dict(schema))
        case Mapping() if schema and all(map(_is_column, schema.values())):
            columns: Schema = engine.rows.read_given(schema).schema
            return columns
        case Mapping():
            raise UsageError("schema", expected=f"{_FORMS}; {_OF_TEXT}", found=describe(schema))
        case list() | tuple():
            given_rows: Schema = engine.rows.read_given(schema).schema
            return given_rows
        case _ if hasattr(schema, "collect_batches") and hasattr(
            schema, "head"
        ):  # a lazy frame, whose rows are not wanted
            return _schema(schema.head(0).collect(), engine)
        case _ if hasattr(schema, "scanner") and hasattr(schema, "schema"):  # a dataset
            return _schema(schema.schema, engine)
        case _ if hasattr(schema, "__arrow_c_stream__") or hasattr(schema, "__arrow_c_schema__"):
            given: Schema = engine.rows.read_given(schema).schema
            return given
    raise UsageError("schema", expected=_FORMS, found=describe(schema))


def _is_column(given: object) -> bool:
    """Whether it is a column of values, and no name of a type or an Avro schema."""
    return isinstance(given, Sized) and not isinstance(given, str | bytes | Mapping)
