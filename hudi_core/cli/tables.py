"""`inspect`, `timeline`, `schema` and `files`: what a table is and has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from hudi_core.avro.outbound import schema_to_avro
from hudi_core.cli.options import (
    DEFAULT_ENGINE,
    AsOfOption,
    CaseOption,
    EngineOption,
    JsonOption,
    MetadataOption,
    TableArgument,
    WhereOption,
    opened,
    warn,
)
from hudi_core.cli.output import Output
from hudi_core.schema.json import schema_to_json
from hudi_core.schema.meta import is_meta
from hudi_core.schema.schema import Schema
from hudi_core.table.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.timeline.instants import Instant
from hudi_core.truth import Verdict
from hudi_core.types.nodes import ABSENT
from hudi_core.types.text import text as type_text
from hudi_core.values.json import to_json


def inspect(
    table: TableArgument,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    as_json: JsonOption = False,
) -> None:
    """Say what a table is: type, version, partitioning, keys, sizes, metadata partitions, and what to beware of."""
    found = opened(table, engine, metadata)
    out = Output(as_json)
    out.record(_inspected(found))
    warn(found.warnings)


def _inspected(table: Table) -> dict[str, Any]:
    config, slices = table.config, table.slices()
    latest = table.timeline.commits[-1] if table.timeline.commits else None
    return {
        "uri": table.storage.uri,
        "table_name": config.name,
        "table_type": config.type.value,
        "table_version": config.version,
        "timeline_layout_version": str(config.layout),
        "base_file_format": config.base_file_format.value,
        "key_generator": config.key_generator.value,
        "record_key_fields": list(config.record_key_fields),
        "partition_fields": list(config.stated_partition_fields),
        "ordering_fields": list(config.ordering_fields),
        "hive_style_partitioning": config.hive_style_partitioning,
        "url_encode_partitioning": config.url_encode_partitioning,
        "populate_meta_fields": config.populate_meta_fields,
        "merge_mode": config.merge_mode.value if config.merge_mode else None,
        "metadata_partitions": sorted(config.metadata_partitions),
        "columns": len([field for field in table.schema.fields if not is_meta(field.name)]),
        "commits": len(table.timeline.commits),
        "latest_instant": latest.requested_time if latest else None,
        "partitions": len({each.partition for each in slices}),
        "file_slices": len(slices),
        "base_files": sum(each.base is not None for each in slices),
        "log_files": sum(len(each.logs) for each in slices),
        "bytes": sum(file.size for each in slices for file in each.files),
        "warnings": list(table.findings()),
    }


def timeline(
    table: TableArgument,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """List the instants of the active timeline, in Hudi's order."""
    found = opened(table, engine, MetadataMode.OFF)
    columns = ("requested_time", "completion_time", "action", "state", "operation")
    Output(as_json).rows(columns, (_instant(found, instant) for instant in found.timeline.instants))


def _instant(table: Table, instant: Instant) -> dict[str, Any]:
    return {
        "requested_time": instant.requested_time,
        "completion_time": instant.completion_time,
        "action": instant.action,
        "state": instant.state.name.lower(),
        "operation": table.timeline.operation(instant),
    }


def schema(
    table: TableArgument,
    as_of: AsOfOption = None,
    engine: EngineOption = DEFAULT_ENGINE,
    to: Annotated[str | None, typer.Option("--to", metavar="FORM", help="avro or internal: the schema's text.")] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Every schema the table's files were written under.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the table's schema as a tree with column ids, or as Avro or InternalSchema JSON."""
    found = opened(table, engine, MetadataMode.OFF)
    out = Output(as_json)
    if history:
        for version in found.history(as_of):
            out.text(f"as of {version.version}" if version.version else "at the beginning")
            _print_schema(out, version, to)
        return
    _print_schema(out, found.schema_at(as_of), to)


def _print_schema(out: Output, shown: Schema, to: str | None) -> None:
    match to:
        case "avro":
            out.line(schema_to_avro(shown))
        case "internal":
            out.line(json.loads(schema_to_json(shown).value))
        case None:
            columns = ("id", "name", "type", "nullable", "default", "doc")
            out.rows(columns, _fields(shown, out.as_json))
        case _:
            raise typer.BadParameter(f"expected avro or internal, found {to}", param_hint="--to")


def _fields(shown: Schema, flat: bool) -> Iterator[dict[str, Any]]:
    """One object a field, at every depth; people see the depth, programs the dotted path."""
    for column_id, place in shown.places.items():
        field = place.field
        default = {} if field.default is ABSENT else {"default": to_json(field.default, field.type)}
        yield {
            "id": column_id,
            "name": place.name if flat else "  " * (len(place.path) - 1) + field.name,
            "type": type_text(field.type),
            "nullable": field.optional,
            **default,
            "doc": field.doc or None,
        }


def files(
    table: TableArgument,
    where: WhereOption = None,
    as_of: AsOfOption = None,
    show_all: Annotated[bool, typer.Option("--all", help="Also the file slices that are skipped.")] = False,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    case_sensitive: CaseOption = False,
    as_json: JsonOption = False,
) -> None:
    """List the file slices a query reads: with a predicate those that can hold matching rows, and what decided."""
    found = opened(table, engine, metadata, case_sensitive)
    plan = found.scan(where=where, as_of=as_of).plan
    records = (
        {
            "partition": decision.slice.partition,
            "file_id": decision.slice.file_id,
            "base_file": decision.slice.base.name if decision.slice.base else None,
            "log_files": [log.name for log in decision.slice.logs],
            "verdict": decision.verdict.value,
            "by": decision.by or None,
        }
        for decision in plan.decisions()
        if show_all or decision.verdict is not Verdict.SKIP
    )
    out = Output(as_json)
    out.rows(("verdict", "partition", "file_id", "base_file", "log_files", "by"), records)
    kept = len(plan.kept())
    out.text(f"{kept:,} of {len(plan.slices):,} file slices")
    warn([*found.warnings, *plan.warnings])
