"""What an Apache Hudi table means, free of any engine: schemas, evolution, expressions, pruning, rows.

    import hudi_core

    table = hudi_core.open("path/of/table")
    scan = table.scan(where="fare > 80 AND city = 'oslo'", columns=["ride_id", "fare"])
    print(scan.explain())
    rows = scan.to_arrow()

Layers, lower ones never import higher ones (`docs/architecture.md`):

    cli         the command line
    index       where records are: tagLocation
    table       open a table; sources of knowledge, plans, scans
    metadata    the metadata table: files, statistics, indexes
    timeline    instants, commits, schemas over time, file slices
    stats       statistics of files as columns, and pruning on them
    keys        record keys and partition paths of rows
    rows        read plans and predicates run over an engine's operations
    engine      the boundary: what an engine supplies
    formats     bytes: properties, HFile, log files, Avro columns, names, hashes
    evolve      schema changes, reconciliation, merging
    avro        Avro schemas, both ways
    expr        the expression language, binding, the rules of outcomes
    schema      schemas with column ids
    values      the form of each type's values: order, text, JSON, casts
    types       the closed union of types, and promotions
    options     table properties
    truth       TRUE, FALSE, NULL, and sets of them
    errors      the error tree
"""

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.errors import (
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
from hudi_core.evolve.sql import parse_changes
from hudi_core.expr.bind import bind
from hudi_core.expr.build import col, lit
from hudi_core.expr.parse import parse_predicate
from hudi_core.index.tag import TagOptions, locate, tag
from hudi_core.keys.records import HoodieKey
from hudi_core.schema.json import schema_from_json, schema_to_json
from hudi_core.schema.schema import Schema
from hudi_core.table.open import open_table as open  # noqa: A004 - as in `gzip.open`: always said with the package's name
from hudi_core.table.open import refreshed
from hudi_core.table.queries.changes import Changes
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.truth import Truth, Verdict

__all__ = [
    "Changes",
    "CorruptFileError",
    "ExpressionError",
    "HoodieKey",
    "HudiError",
    "NotATableError",
    "RowError",
    "Scan",
    "Schema",
    "SchemaError",
    "StorageError",
    "Table",
    "TableError",
    "TagOptions",
    "Truth",
    "UnknownColumnError",
    "UnsupportedError",
    "UsageError",
    "Verdict",
    "bind",
    "col",
    "evolve",
    "lit",
    "locate",
    "open",
    "parse_changes",
    "parse_predicate",
    "refreshed",
    "schema_from_avro",
    "schema_from_json",
    "schema_to_avro",
    "schema_to_json",
    "tag",
]
