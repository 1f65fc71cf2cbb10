"""The semantics of Apache Hudi tables, free of any engine: schemas, evolution, expressions, pruning, rows.

    import hudi_core

    table = hudi_core.open("path/of/table")
    scan = table.scan(where="fare > 80 AND city = 'oslo'", columns=["ride_id", "fare"])
    print(scan.explain())
    rows = scan.to_arrow()

Layers, a lower one never imports a higher one (`docs/architecture.md`):

    cli         the command line
    front       opening and creating tables, their operations as methods
    services    compaction, clean, archive, savepoint and restore: what keeps a table in order
    validation  the consistency of a table: checks and repairs
    advice      which index or clustering would speed up queries
    cluster     rows in an order that lets queries skip files
    creating    creating tables
    writing     writing rows: tasks, files, a commit
    index_builds  building, listing and dropping indexes
    transactions  from the request of a change to its commit or rollback
    index_kinds  what each kind of index is made of, and what a write changes in it
    data_files  rows to base files and log files
    tagging     locations of records: tagLocation
    table       open a table, scan it
    changes     rows that changed between two times, and the changes one by one
    reading     the rows of file slices
    planning    data skipping: which file slices a predicate can match, and why
    snapshot    a table at an instant
    metadata_writer  the commits of the metadata table: of a change, its services, its beginning
    metadata_rows  the rows of the metadata table, and what a change of the table makes of them
    metadata    the metadata table: files, statistics, indexes
    commit      the changes of a write, and the storage steps that commit them
    timeline    instants, commits, schemas over time, file slices
    merge       which of the records with one key wins
    keys        record keys and partition paths of rows
    rows        read plans and predicates run over an engine's operations
    local_storage  tables in local folders: what the storage of every engine does alike
    engine      the boundary: what an engine supplies
    pruning     statistics of files as columns, and predicates put to them
    formats     bytes: properties, HFile, log files, Avro records, Parquet footers, names
    evolve      schema changes, reconciliation, merging of schemas
    avro        Avro schemas, both ways
    expr        the expression language, binding, the rules of outcomes
    functions   SQL functions, one record each
    sql         SQL text: tokens, cursor, types
    columns     columns in memory, in Arrow's layout
    schema      schemas with column ids
    values      the form of each type's values: order, text, JSON, casts
    types       the closed union of types, and promotions
    options     table properties
    arguments   names and values that users give: what does not fit is an error
    service_properties  names of the properties of services
    stated_properties   properties as numbers, flags and choices
    local_uris  local paths, and `file:` URLs of them
    temporary   temporary files and folders of this process
    paths      paths that metadata states, each within the table or refused
    tally      how far work is, for whoever looks at it
    truth       TRUE, FALSE, NULL, and sets of them
    errors      the error tree
    local_files  writing local files whole
    json_texts   JSON of any writer
    portable    objects that travel to other processes
    parallel    work in threads, results in order
    by_need     modules loaded when they are used
    libraries   types of other libraries, for editors
    notebook    tables of HTML, as notebooks show objects
    other_words  what other libraries call things, for errors
    secrets     texts without secrets
    version     the version of the package
    storage_parts  what some stores can do beside the storage of every engine
    arrays      names of NumPy's arrays by what they hold

Names are imported when they are first used: `import hudi_core` alone loads nothing.
"""

from __future__ import annotations

from importlib import import_module
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from hudi_core.version import __version__ as __version__

if TYPE_CHECKING:
    from hudi_core.advice.advise import advise
    from hudi_core.advice.proposals import Advice, Proposal
    from hudi_core.avro.inbound import schema_from_avro
    from hudi_core.avro.outbound import schema_to_avro
    from hudi_core.changes.changes import Changes
    from hudi_core.cluster.operations import cluster
    from hudi_core.cluster.options import ClusterOptions
    from hudi_core.cluster.result import ClusterResult
    from hudi_core.errors import (
        AlreadyExistsError,
        ConditionWarning,
        ConflictError,
        CorruptFileError,
        ExpressionError,
        HudiError,
        NotATableError,
        RowError,
        SchemaError,
        StorageError,
        TableError,
        UnknownColumnError,
        UnsupportedError,
        UsageError,
    )
    from hudi_core.evolve.apply import evolve
    from hudi_core.evolve.diff import differences as schema_differences
    from hudi_core.evolve.merge import merge as merge_schemas
    from hudi_core.evolve.sql import parse_changes
    from hudi_core.expr.bind import bind
    from hudi_core.expr.build import col, expr, lit
    from hudi_core.expr.parse import parse_predicate
    from hudi_core.front.keys import keys_of_rows
    from hudi_core.front.opening import create_table as create
    from hudi_core.front.opening import open_table as open  # noqa: A004 - as in `gzip.open`
    from hudi_core.front.schemas import (
        schema_from_arrow,
        schema_from_spark,
        schema_incompatibilities,
        schema_of,
        schema_to_arrow,
        schema_to_spark,
    )
    from hudi_core.front.table import Table
    from hudi_core.front.writes import delete, delete_partitions, update, write
    from hudi_core.index_builds.build import build_indexes
    from hudi_core.index_builds.listing import Index, indexes
    from hudi_core.index_builds.removal import drop_index
    from hudi_core.index_kinds.build_plan import IndexOptions
    from hudi_core.keys.generator import UserGenerator as KeyGenerator
    from hudi_core.keys.records import (
        HoodieKey,
        HoodieOperation,
        HoodieRecord,
        HoodieRecordGlobalLocation,
        HoodieRecordLocation,
    )
    from hudi_core.pruning.own_files import ColumnBounds, PrunedFiles, prune
    from hudi_core.schema.json import schema_from_json, schema_to_json
    from hudi_core.schema.schema import Schema
    from hudi_core.services.archiving.operations import archive
    from hudi_core.services.archiving.options import ArchiveOptions
    from hudi_core.services.archiving.result import ArchiveResult
    from hudi_core.services.cleaning.operations import clean
    from hudi_core.services.cleaning.options import CleanOptions
    from hudi_core.services.cleaning.result import CleanResult
    from hudi_core.services.compaction.operations import compact
    from hudi_core.services.compaction.options import CompactionOptions
    from hudi_core.services.compaction.result import CompactionResult
    from hudi_core.services.restoring.result import RestoreResult, SavepointResult
    from hudi_core.services.restoring.run import restore
    from hudi_core.services.restoring.savepoints import drop_savepoint, savepoint
    from hudi_core.services.restoring.undoing import rollback
    from hudi_core.services.upkeep.rounds import ServiceOptions, run_services
    from hudi_core.services.upkeep.services import ServiceRun
    from hudi_core.table.metadata_records import metadata_records
    from hudi_core.table.open import refreshed
    from hudi_core.table.scan import Scan
    from hudi_core.tagging.tag import TagOptions, locate, tag
    from hudi_core.tally import Tally
    from hudi_core.transactions.rollback_plans import RollbackPlan
    from hudi_core.truth import Truth, Verdict
    from hudi_core.validation.findings import Finding, Severity
    from hudi_core.validation.mend import mend
    from hudi_core.validation.validate import validate
    from hudi_core.writing.operation import WriteOptions
    from hudi_core.writing.plan import FileSizes
    from hudi_core.writing.result import WriteResult

__all__ = [
    "Advice",
    "AlreadyExistsError",
    "ArchiveOptions",
    "ArchiveResult",
    "Changes",
    "CleanOptions",
    "CleanResult",
    "ClusterOptions",
    "ClusterResult",
    "ColumnBounds",
    "CompactionOptions",
    "CompactionResult",
    "ConditionWarning",
    "ConflictError",
    "CorruptFileError",
    "ExpressionError",
    "FileSizes",
    "Finding",
    "HoodieKey",
    "HoodieOperation",
    "HoodieRecord",
    "HoodieRecordGlobalLocation",
    "HoodieRecordLocation",
    "HudiError",
    "Index",
    "IndexOptions",
    "KeyGenerator",
    "NotATableError",
    "Proposal",
    "PrunedFiles",
    "RestoreResult",
    "RollbackPlan",
    "RowError",
    "SavepointResult",
    "Scan",
    "Schema",
    "SchemaError",
    "ServiceOptions",
    "ServiceRun",
    "Severity",
    "StorageError",
    "Table",
    "TableError",
    "TagOptions",
    "Tally",
    "Truth",
    "UnknownColumnError",
    "UnsupportedError",
    "UsageError",
    "Verdict",
    "WriteOptions",
    "WriteResult",
    "advise",
    "archive",
    "bind",
    "build_indexes",
    "clean",
    "cluster",
    "col",
    "compact",
    "create",
    "delete",
    "delete_partitions",
    "drop_index",
    "drop_savepoint",
    "evolve",
    "expr",
    "indexes",
    "keys_of_rows",
    "lit",
    "locate",
    "mend",
    "merge_schemas",
    "metadata_records",
    "open",
    "parse_changes",
    "parse_predicate",
    "prune",
    "refreshed",
    "restore",
    "rollback",
    "run_services",
    "savepoint",
    "schema_differences",
    "schema_from_arrow",
    "schema_from_avro",
    "schema_from_json",
    "schema_from_spark",
    "schema_incompatibilities",
    "schema_of",
    "schema_to_arrow",
    "schema_to_avro",
    "schema_to_json",
    "schema_to_spark",
    "tag",
    "update",
    "validate",
    "write",
]

_PLACES = {
    "HoodieOperation": "hudi_core.keys.records",
    "HoodieRecordGlobalLocation": "hudi_core.keys.records",
    "HoodieRecordLocation": "hudi_core.keys.records",
    "HoodieRecord": "hudi_core.keys.records",
    "KeyGenerator": "hudi_core.keys.generator:UserGenerator",
    "keys_of_rows": "hudi_core.front.keys",
    "schema_incompatibilities": "hudi_core.front.schemas",
    "merge_schemas": "hudi_core.evolve.merge:merge",
    "schema_differences": "hudi_core.evolve.diff:differences",
    "schema_to_spark": "hudi_core.front.schemas",
    "schema_from_spark": "hudi_core.front.schemas",
    "schema_to_arrow": "hudi_core.front.schemas",
    "schema_from_arrow": "hudi_core.front.schemas",
    "schema_of": "hudi_core.front.schemas",
    "prune": "hudi_core.pruning.own_files",
    "PrunedFiles": "hudi_core.pruning.own_files",
    "ColumnBounds": "hudi_core.pruning.own_files",
    "Advice": "hudi_core.advice.proposals",
    "Proposal": "hudi_core.advice.proposals",
    "advise": "hudi_core.advice.advise",
    "RestoreResult": "hudi_core.services.restoring.result",
    "SavepointResult": "hudi_core.services.restoring.result",
    "restore": "hudi_core.services.restoring.run",
    "drop_savepoint": "hudi_core.services.restoring.savepoints",
    "savepoint": "hudi_core.services.restoring.savepoints",
    "ServiceOptions": "hudi_core.services.upkeep.rounds",
    "ServiceRun": "hudi_core.services.upkeep.services",
    "run_services": "hudi_core.services.upkeep.rounds",
    "write": "hudi_core.front.writes",
    "update": "hudi_core.front.writes",
    "RollbackPlan": "hudi_core.transactions.rollback_plans",
    "rollback": "hudi_core.services.restoring.undoing",
    "delete_partitions": "hudi_core.front.writes",
    "delete": "hudi_core.front.writes",
    "WriteResult": "hudi_core.writing.result",
    "WriteOptions": "hudi_core.writing.operation",
    "FileSizes": "hudi_core.writing.plan",
    "Finding": "hudi_core.validation.findings",
    "Severity": "hudi_core.validation.findings",
    "Tally": "hudi_core.tally",
    "mend": "hudi_core.validation.mend",
    "validate": "hudi_core.validation.validate",
    "AlreadyExistsError": "hudi_core.errors",
    "Changes": "hudi_core.changes.changes",
    "ArchiveOptions": "hudi_core.services.archiving.options",
    "ArchiveResult": "hudi_core.services.archiving.result",
    "archive": "hudi_core.services.archiving.operations",
    "CleanOptions": "hudi_core.services.cleaning.options",
    "CleanResult": "hudi_core.services.cleaning.result",
    "clean": "hudi_core.services.cleaning.operations",
    "ClusterOptions": "hudi_core.cluster.options",
    "ClusterResult": "hudi_core.cluster.result",
    "CompactionOptions": "hudi_core.services.compaction.options",
    "CompactionResult": "hudi_core.services.compaction.result",
    "compact": "hudi_core.services.compaction.operations",
    "ConditionWarning": "hudi_core.errors",
    "ConflictError": "hudi_core.errors",
    "CorruptFileError": "hudi_core.errors",
    "ExpressionError": "hudi_core.errors",
    "HoodieKey": "hudi_core.keys.records",
    "HudiError": "hudi_core.errors",
    "Index": "hudi_core.index_builds.listing",
    "IndexOptions": "hudi_core.index_kinds.build_plan",
    "NotATableError": "hudi_core.errors",
    "RowError": "hudi_core.errors",
    "Scan": "hudi_core.table.scan",
    "Schema": "hudi_core.schema.schema",
    "SchemaError": "hudi_core.errors",
    "StorageError": "hudi_core.errors",
    "Table": "hudi_core.front.table",
    "TableError": "hudi_core.errors",
    "TagOptions": "hudi_core.tagging.tag",
    "Truth": "hudi_core.truth",
    "UnknownColumnError": "hudi_core.errors",
    "UnsupportedError": "hudi_core.errors",
    "UsageError": "hudi_core.errors",
    "Verdict": "hudi_core.truth",
    "bind": "hudi_core.expr.bind",
    "build_indexes": "hudi_core.index_builds.build",
    "create": "hudi_core.front.opening:create_table",
    "drop_index": "hudi_core.index_builds.removal",
    "indexes": "hudi_core.index_builds.listing",
    "metadata_records": "hudi_core.table.metadata_records",
    "col": "hudi_core.expr.build",
    "lit": "hudi_core.expr.build",
    "locate": "hudi_core.tagging.tag",
    "open": "hudi_core.front.opening:open_table",
    "parse_changes": "hudi_core.evolve.sql",
    "parse_predicate": "hudi_core.expr.parse",
    "refreshed": "hudi_core.table.open",
    "schema_from_avro": "hudi_core.avro.inbound",
    "schema_from_json": "hudi_core.schema.json",
    "schema_to_avro": "hudi_core.avro.outbound",
    "schema_to_json": "hudi_core.schema.json",
    "tag": "hudi_core.tagging.tag",
}
"""The module of each name, behind a colon its name there if that is another."""

_FUNCTIONS_OF_PACKAGES = {
    "cluster": "hudi_core.cluster.operations",
    "evolve": "hudi_core.evolve.apply",
    "expr": "hudi_core.expr.build",
}
"""The module of each function that has the name of a package."""

if not TYPE_CHECKING:  # else every name would be one

    class _CalledPackage(ModuleType):
        """A package that shares its name with a public function: `hudi_core.cluster` is the package, and calls the function."""

        def __call__(self, *arguments: Any, **named: Any) -> Any:
            name = self.__name__.rpartition(".")[2]
            function = getattr(import_module(_FUNCTIONS_OF_PACKAGES[name]), name)
            return import_module("hudi_core.front.odd_arguments").check_arguments(function, name)(*arguments, **named)

    for _name in _FUNCTIONS_OF_PACKAGES:
        import_module(f"hudi_core.{_name}").__class__ = _CalledPackage

    def __getattr__(name: str) -> object:
        place = _PLACES.get(name)
        if place is None:
            hint = import_module("hudi_core.other_words").hint_of_name(__name__, name)
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
        module, _, other = place.partition(":")
        value: object = getattr(import_module(module), other or name)
        if isinstance(value, FunctionType):
            value = import_module("hudi_core.front.odd_arguments").check_arguments(value, name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
