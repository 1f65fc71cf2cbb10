"""`inspect`, `timeline` and `files`: what a table is and has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hudi_core.by_need import ModuleByNeed
from hudi_core.cli.options import (
    STORAGE_OPTIONS,
    AsOfOption,
    CaseOption,
    EngineOption,
    FooterCacheOption,
    FooterCacheSize,
    JsonOption,
    MetadataOption,
    TableArgument,
    WhereOption,
    open_from_options,
    warn,
)
from hudi_core.cli.output import Output, cell, flush
from hudi_core.cli.predicates import conjunction
from hudi_core.cli.times import seconds_of
from hudi_core.cli.words import format_count, shorten, size
from hudi_core.errors import SchemaError, UnsupportedError, UsageError
from hudi_core.formats.last_writer import last_writer
from hudi_core.options import PROPERTIES_PATH
from hudi_core.planning.plan import Decision, ScanPlan
from hudi_core.rows.outside_files import plain_location
from hudi_core.schema.meta import is_meta
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.open import open_table, refreshed
from hudi_core.table.table import Table
from hudi_core.tally import Tally
from hudi_core.timeline.files import read_if_there
from hudi_core.timeline.instants import Instant
from hudi_core.timeline.services import PendingWork, pending_work, savepoints
from hudi_core.timeline.timeline import Timeline
from hudi_core.truth import Verdict

if TYPE_CHECKING:
    from hudi_core.cli import progress
    from hudi_core.table import features, readers
else:  # what `timeline` does not need
    progress = ModuleByNeed("hudi_core.cli.progress")  # the timeline is listed without it
    features, readers = map(ModuleByNeed, ("hudi_core.table.features", "hudi_core.table.readers"))

_PAUSE = 2.0
"""Seconds between two looks of `timeline --follow`."""


def inspect(
    table: TableArgument,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    as_json: JsonOption = False,
) -> None:
    """Describe a table: version, keys, sizes, indexes, warnings; who wrote it last, and who else can read it."""
    opened_table = open_table(table, engine=engine, metadata=metadata, storage_options=STORAGE_OPTIONS.get())
    show_table(opened_table, Output(as_json), as_json)
    warn(opened_table.warnings)


def show_table(table: Table, out: Output, as_json: bool) -> None:
    """The output of `inspect`."""
    with progress.tally_progress("commits") as tally:
        record = _inspect(table, tally)
    if as_json:
        out.record(record)
    else:
        beware = record.pop("warnings")
        shown = {
            "bytes": f"{record['bytes']:,} ({size(record['bytes'])})",
            "pending": list(map(_pending_line, record["pending"])),
            "readers": list(map(_reader_line, record["readers"])),
        }
        out.record({**record, **shown})
        for warning in beware:
            out.text(f"beware: {warning}", "yellow")


def _inspect(table: Table, tally: Tally | None) -> dict[str, Any]:
    used = features.features(table, tally)
    config, slices = table.config, table.slices()
    columns, unknown = _columns(table)
    latest = table.timeline.commits[-1] if table.timeline.commits else None
    return {
        "uri": plain_location(table.storage.uri),
        "table_name": config.name,
        "table_type": config.type.value,
        "table_version": config.version,
        "timeline_layout_version": config.layout,
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
        "columns": columns,
        "commits": len(table.timeline.commits),
        "latest_instant": latest.requested_time if latest else None,
        "partitions": len({file_slice.partition for file_slice in slices}),
        "file_slices": len(slices),
        "base_files": sum(file_slice.base is not None for file_slice in slices),
        "log_files": sum(len(file_slice.logs) for file_slice in slices),
        "bytes": sum(file.size for file_slice in slices for file in file_slice.files),
        "savepoints": savepoints(table.timeline),
        "pending": [_pending(instant) for instant in pending_work(table.timeline)],
        "last_writer": str(last_writer(read_if_there(table.storage, PROPERTIES_PATH) or b"")),
        "features": [feature.value for feature in used],
        "readers": [answer.as_dict() for answer in readers.answers(config.version, used)],
        "warnings": [*table.findings(), *unknown],
    }


def _columns(table: Table) -> tuple[int | None, list[str]]:
    """How many columns there are but for Hudi's own; None and why where no schema is known, as before the first commit."""
    try:
        return len([field for field in table.schema.fields if not is_meta(field.name)]), []
    except SchemaError as error:
        return None, [f"no schema: {error}"]


def _pending(work: PendingWork) -> dict[str, Any]:
    return {
        "requested_time": work.instant.requested_time,
        "action": work.instant.action,
        "state": work.instant.state.name.lower(),
        "file_groups": len(work.file_groups),
    }


def _pending_line(pending: dict[str, Any]) -> str:
    to_rewrite = f", {format_count(pending['file_groups'], 'file group')} to rewrite" if pending["file_groups"] else ""
    return f"{pending['action']} {pending['requested_time']} {pending['state']}{to_rewrite}"


def _reader_line(answer: dict[str, Any]) -> str:
    why = f" ({'; '.join(answer['because'])})" if answer["because"] else ""
    return f"{answer['reader']}: {answer['reads']}{why}"


def timeline(
    table: TableArgument,
    archived: Annotated[bool, typer.Option("--archived", help="Also list the instants that were archived.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=1, help="The latest N instants only.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with each instant that is added or completed, until Ctrl-C.")
    ] = False,
    every: Annotated[
        str | None,
        typer.Option(
            "--every", metavar="TIME", help="With --follow: how long between two looks, as 1s or 5m; else 2s."
        ),
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """List the instants of the active timeline, in Hudi's order; with --archived those of the history too."""
    opened_table = open_from_options(table, engine, MetadataMode.OFF)
    if archived and opened_table.timeline.history is None:
        raise UnsupportedError("--archived", expected="an engine that reads Parquet", found=engine)
    if every is not None and not follow:
        raise UsageError("--every", expected="--follow", found="none")
    pause = _PAUSE if every is None else seconds_of("--every", every)
    whole = opened_table.timeline.with_archived() if archived else opened_table.timeline
    columns = ("requested_time", "completion_time", "action", "state", "operation", *(["archived"] if archived else []))
    out = Output(as_json)
    shown = whole.instants if limit is None else whole.instants[-limit:]
    records = ({name: _instant(whole, instant)[name] for name in columns} for instant in shown)
    out.rows(columns, records, spare=("completion_time",))
    if follow:
        _follow(opened_table, columns, out, pause)
    last = f"the last {len(shown):,} of " if len(shown) < len(whole.instants) else ""
    out.text(f"\n{last}{format_count(len(whole.instants), 'instant')}")


def _follow(table: Table, columns: Sequence[str], out: Output, pause: float) -> None:
    """Shows each instant that is added or changes its state, as it comes; the table as it was is shown already."""
    known = set(table.timeline.instants)
    while True:
        flush()
        sleep(pause)
        table = refreshed(table)
        for instant in table.timeline.instants:
            if instant not in known:
                record = {name: _instant(table.timeline, instant)[name] for name in columns}
                out.line(record) if out.as_json else out.text("  ".join(cell(value) for value in record.values()))
        known = set(table.timeline.instants)


def _instant(timeline: Timeline, instant: Instant) -> dict[str, Any]:
    return {
        "requested_time": instant.requested_time,
        "completion_time": instant.completion_time,
        "action": instant.action,
        "state": instant.state.name.lower(),
        "operation": timeline.operation(instant),
        "archived": instant.archived,
    }


def files(
    table: TableArgument,
    where: WhereOption = None,
    as_of: AsOfOption = None,
    show_all: Annotated[bool, typer.Option("--all", help="Also list the file slices that are skipped.")] = False,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    case_sensitive: CaseOption = False,
    footer_cache: FooterCacheOption = None,
    footer_cache_mib: FooterCacheSize = None,
    as_json: JsonOption = False,
) -> None:
    """List the file slices that a query reads: with a predicate those that can hold matching rows, and what decided.

    The verdict on a slice is `read`, `all_match` (every row of it matches) or, with --all, `skip`.
    """
    opened_table = open_from_options(table, engine, metadata, case_sensitive, footer_cache, footer_cache_mib)
    plan = progress.plan_watched(opened_table.scan(where=conjunction(where), as_of=as_of))
    decisions = _choose(plan, show_all)
    out = Output(as_json)
    if as_json:
        out.rows((), map(_file_slice, decisions))
    else:
        columns = ("verdict", "partition", "file_id", "instant", "size", "logs", "by")
        out.rows(
            columns,
            map(_show, decisions),
            folded=("by",),
            elided=("file_id",),
            below=("by",),
            spare=("instant", "size"),
        )
        kept, total = len(plan.kept()), len(plan.slices)
        out.text(f"\n{kept:,} of {format_count(total, 'file slice')} to read")
    warn([*opened_table.warnings, *plan.warnings])


def _choose(plan: ScanPlan, show_all: bool) -> Iterator[Decision]:
    return (decision for decision in plan.decisions() if show_all or decision.verdict is not Verdict.SKIP)


def _file_slice(decision: Decision) -> dict[str, Any]:
    file_slice = decision.slice
    return {
        "partition": file_slice.partition,
        "file_id": file_slice.file_id,
        "base_file": file_slice.base.name if file_slice.base else None,
        "log_files": [log.name for log in file_slice.logs],
        "verdict": decision.verdict.value,
        "by": decision.by or None,
    }


def _show(decision: Decision) -> dict[str, Any]:
    file_slice = decision.slice
    return {
        "verdict": decision.verdict.value.replace("_", " "),
        "partition": file_slice.partition,
        "file_id": file_slice.file_id,
        "instant": file_slice.instant,
        "size": size(sum(file.size for file in file_slice.files)),
        "logs": len(file_slice.logs) or None,
        "by": shorten(decision.by),
    }
