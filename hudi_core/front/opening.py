"""Opening and creating tables, as users call them: `hudi_core.open` and `hudi_core.create`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import UsageError, describe
from hudi_core.front.keywords import TableTypeName, TableVersion
from hudi_core.front.table import Table
from hudi_core.schema.names import refuse_no_mapping, refuse_no_name
from hudi_core.service_properties import is_of_service
from hudi_core.snapshot.footer_cache import DEFAULT_MAX_BYTES
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table import open as opening
from hudi_core.table.engines import DEFAULT_ENGINE

if TYPE_CHECKING:
    from hudi_core.creating import create
    from hudi_core.services.upkeep import usable
else:
    usable = ModuleByNeed("hudi_core.services.upkeep.usable")
    create = ModuleByNeed("hudi_core.creating.create")  # a table that is only read needs nothing that writes


def open_table(
    uri: str | PathLike[str],
    engine: str = DEFAULT_ENGINE,
    *,
    metadata: MetadataMode | Literal["auto", "require", "off"] = MetadataMode.AUTO,
    case_sensitive: bool = False,
    footer_cache: str | None = None,
    footer_cache_bytes: int = DEFAULT_MAX_BYTES,
    storage_options: Mapping[str, str] | None = None,
) -> Table:
    """Opens the Hudi table whose root folder is at a local path or URL.

    It reads the table's properties and lists its timeline, and reads nothing else.

    `engine` reads the files: `arrow`, `spark` or `plain`. `metadata` says whether the metadata table is used where it is
    readable (`auto`), required (`require`) or not used (`off`). `case_sensitive` says whether names of columns in queries have
    to match in case. `footer_cache` is a local file that keeps footers of base files, for planning where the metadata table
    has no statistics: it is created if it is missing, may serve many tables and processes, and grows to `footer_cache_bytes`.
    `storage_options` go to the library that opens the URL.

    Raises `NotATableError`, `UnsupportedError` for an unknown version, `CorruptFileError` for damaged properties, and
    `UsageError` for an unknown engine or metadata mode.
    """
    refuse_no_mapping(storage_options, "storage_options")
    if footer_cache is not None and not isinstance(footer_cache, str | PathLike):
        raise UsageError("footer_cache", expected="the path of a local file", found=describe(footer_cache))
    return Table.from_opened(
        opening.open_table(
            uri,
            engine,
            metadata=metadata,
            case_sensitive=case_sensitive,
            footer_cache=footer_cache,
            footer_cache_bytes=footer_cache_bytes,
            storage_options=storage_options,
        )
    )


def create_table(
    uri: str | PathLike[str],
    schema: object,
    key: str | Sequence[str] = (),
    *,
    partition_by: str | Sequence[str] = (),
    ordering: str | Sequence[str] = (),
    type: TableTypeName = "cow",
    version: TableVersion = 9,
    name: str | None = None,
    indexes: str | Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    engine: str = DEFAULT_ENGINE,
    storage_options: Mapping[str, str] | None = None,
) -> Table:
    """Creates a table without rows, at a local path or URL. If it raises, it has written nothing.

    `schema` is a `Schema`, an Avro schema (JSON text or its objects), an Arrow schema, or rows, also as a dictionary of columns:
    their columns are the table's.
    `key` are the columns of the record key. `partition_by` are the columns of the partition path. Of two records with one key
    the one with the greater `ordering` columns wins; without them the one that was written last. `type` is `cow` or `mor`.
    `indexes` are the indexes that every write keeps: `files`, `column_stats`, `partition_stats`, `bloom_filters`,
    `record_index`; without any the table has no metadata table. `options` are `hoodie.*` properties of the table and of the
    services that keep it in order. An option of single writes has no effect, and gives a warning.

    Raises `UsageError` for what no table can be, `SchemaError` for columns that make no key or partition path,
    `UnsupportedError` for a table that this library would not write to, and `AlreadyExistsError` where there is a table.
    """
    refuse_no_mapping(storage_options, "storage_options")
    refuse_no_mapping(options, "options")
    refuse_no_name(type, "type")
    if name is not None:
        refuse_no_name(name, "name")
    return Table.from_opened(
        create.create_table(
            uri,
            schema,
            key,
            partition_by=partition_by,
            ordering=ordering,
            type=type,
            version=version,
            name=name,
            indexes=indexes,
            options=options,
            engine=engine,
            storage_options=storage_options,
            # Services are looked at where something is said of them: a plain table needs none of their modules.
            refuse=usable.refuse_unusable if any(map(is_of_service, map(str, options or ()))) else None,
        )
    )
