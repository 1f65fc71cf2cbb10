"""`compact`: log files merged into base files, or into fewer log files; planned, shown, or run."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from hudi_core.cli.arguments import split_names
from hudi_core.cli.options import JsonOption, TableArgument, TasksOption, byte_count, open_from_options, warn
from hudi_core.cli.output import Output
from hudi_core.cli.progress import tally_progress
from hudi_core.cli.stated import ServiceOption, service_properties
from hudi_core.errors import UsageError
from hudi_core.services.compaction.operations import compact as run_compaction
from hudi_core.services.compaction.operations import plan_only as request_compaction
from hudi_core.services.compaction.operations import run_requested
from hudi_core.services.compaction.options import CompactionOptions, CompactionStrategy, Trigger
from hudi_core.services.compaction.result import CompactionResult
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE

_SLICE = ("partition", "file_id", "base_file", "log_files", "log_bytes")
_DONE = ("rows", "updated", "inserted", "deleted", "bytes_in", "bytes_out", "seconds", "slices_dropped")
"""Figures of a plan that ran."""


def compact(
    table: TableArgument,
    plan_only: Annotated[
        bool, typer.Option("--plan-only", help="Request a plan and leave it, for --run or for Apache Hudi.")
    ] = False,
    run: Annotated[
        str | None, typer.Option("--run", metavar="INSTANT", help="Run a plan that waits, also one of Apache Hudi.")
    ] = None,
    log: Annotated[
        bool, typer.Option("--log", help="Merge log files into fewer log files; base files stay as they are.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be compacted; write nothing.")] = False,
    if_due: Annotated[
        bool, typer.Option("--if-due", help="Plan nothing before --trigger, or the table's properties, ask for it.")
    ] = False,
    strategy: Annotated[
        str | None,
        typer.Option(
            "--strategy", metavar="A,B", help=f"Which slices to compact first: {', '.join(CompactionStrategy)}."
        ),
    ] = None,
    target_io_mb: Annotated[
        int | None, typer.Option("--target-io-mb", metavar="N", min=0, help="Megabytes to read and write at most.")
    ] = None,
    min_log_files: Annotated[
        int | None,
        typer.Option(
            "--min-log-files", metavar="N", min=0, help="LogFileNumBased: take only slices with at least N log files."
        ),
    ] = None,
    min_log_blocks: Annotated[
        int | None,
        typer.Option(
            "--min-log-blocks", metavar="N", min=0, help="With --log: take only slices with at least N log blocks."
        ),
    ] = None,
    min_log_bytes: Annotated[
        int | None,
        typer.Option(
            "--min-log-bytes",
            metavar="N",
            parser=byte_count,
            help="LogFileSizeBased: take only slices with at least so many bytes of log files.",
        ),
    ] = None,
    target_partitions: Annotated[
        int | None,
        typer.Option(
            "--target-partitions",
            metavar="N",
            min=1,
            help="How many partitions DayBased takes, or how many days the strategies by partition take.",
        ),
    ] = None,
    partition_pattern: Annotated[
        str | None,
        typer.Option(
            "--partition-pattern", metavar="REGEX", help="PartitionRegexBased: take only partitions that match."
        ),
    ] = None,
    all_partitions: Annotated[
        bool,
        typer.Option(
            "--all-partitions", help="Also look at partitions that nobody wrote to since the last compaction."
        ),
    ] = False,
    trigger: Annotated[
        Trigger | None, typer.Option("--trigger", metavar="|".join(Trigger), help="With --if-due: what makes it due.")
    ] = None,
    max_delta_commits: Annotated[
        int | None,
        typer.Option(
            "--max-delta-commits", metavar="N", min=0, help="With --if-due: after how many delta commits it is due."
        ),
    ] = None,
    max_delta_seconds: Annotated[
        int | None,
        typer.Option(
            "--max-delta-seconds",
            metavar="N",
            min=0,
            help="With --if-due: how many seconds after the last compaction it is due.",
        ),
    ] = None,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Run a plan again whose run never had a heartbeat: its writer is gone.")
    ] = False,
    option: ServiceOption = None,
    engine: TasksOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Merge the log files of a merge-on-read table into base files. A plan that waits is run first."""
    if plan_only and run is not None:
        raise UsageError("compact", expected="one of --plan-only and --run", found="both")
    if plan_only and take_over:
        raise UsageError("--take-over", expected="a run of a plan", found="--plan-only")
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO), Output(as_json)
    given: dict[str, Any] = {
        "strategies": split_names("--strategy", strategy),
        "target_io": target_io_mb,
        "min_log_files": min_log_files,
        "min_log_blocks": min_log_blocks,
        "min_log_bytes": min_log_bytes,
        "target_partitions": target_partitions,
        "partition_pattern": partition_pattern,
        "trigger": trigger,
        "max_delta_commits": max_delta_commits,
        "max_delta_seconds": max_delta_seconds,
        "incremental": False if all_partitions else None,
    }
    properties = service_properties(option)
    stated = CompactionOptions.on_request(properties, opened_table.config.properties, of_logs=log)
    named = {name: value for name, value in given.items() if value is not None}
    of_plans = [*named, *(["if_due"] if if_due else []), *(["of_logs"] if log else [])]
    if run is not None and of_plans:
        raise UsageError(_name_option(of_plans[0]), expected="no --run beside it, whose plan is made", found="one")
    with tally_progress("slices") as tally:
        options = replace(stated, **named, if_due=if_due, dry_run=dry_run, takes_over=take_over, tally=tally)
        idle = options.find_idle(named)
        if idle is not None:
            raise UsageError(_name_option(idle[0]), expected=_name_option(idle[1]), found="none")
        if run is not None:
            result = run_requested(opened_table, run, options)
        else:
            result = (request_compaction if plan_only else run_compaction)(opened_table, options)
    _show(out, result)
    warn(opened_table.warnings)


def _name_option(option: str) -> str:
    """An option of Python's, or a flag or strategies that it needs, as it is typed here."""
    odd = {
        "target_io": "--target-io-mb",
        "of_logs": "--log",
        "strategies": "--strategy",
        "incremental": "--all-partitions",
    }
    return odd.get(option) or f"--{option.replace('_', '-')}"


def _show(out: Output, result: CompactionResult) -> None:
    """For programs one object; for people what was done, or the slices of the plan."""
    fields = result.as_dict()
    if out.as_json:
        out.record(fields)
        return
    operations = fields.pop("operations")
    has_run = result.state == "completed"
    out.record({name: value for name, value in fields.items() if has_run or name not in _DONE})
    if operations:
        shown = [{**one, "log_files": len(one["log_files"])} for one in operations]
        out.text()
        out.rows(_SLICE, shown)
