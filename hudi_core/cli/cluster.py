"""`cluster`: rows rewritten so that queries skip files; planned, previewed, run, or taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

import typer

from hudi_core.advice.proposals import Measure
from hudi_core.cli.advice import show_advice
from hudi_core.cli.arguments import split_names
from hudi_core.cli.options import (
    JsonOption,
    TableArgument,
    TasksOption,
    WhereFileOption,
    byte_count,
    open_from_options,
    queries_of,
    warn,
)
from hudi_core.cli.output import Output, say
from hudi_core.cli.predicates import conjunction
from hudi_core.cli.progress import progress, tally_progress
from hudi_core.cli.stated import ServiceOption, service_properties
from hudi_core.cli.words import size
from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cancel as cancel_clustering
from hudi_core.cluster.operations import cluster as run_clustering
from hudi_core.cluster.operations import plan_only as request_clustering
from hudi_core.cluster.operations import run_requested
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.partitions import ALL_PARTITIONS, FilterMode, PartitionFilter
from hudi_core.cluster.preview import Preview
from hudi_core.cluster.preview import preview as preview_clustering
from hudi_core.errors import UsageError
from hudi_core.schema.names import name_list
from hudi_core.services.upkeep.clustering import options_on_request
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.writing.plan import FileSizes

_TARGET, _SMALL = size(FileSizes().target), size(FileSizes().small)
_GAINS = (
    *("where", "weight", "kept_before", "predicted_before", "slices_before", "kept_after", "slices_after"),
    *("bytes_before", "bytes_after"),
)


def cluster(
    table: TableArgument,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate what it gains for --where and --where-file; write nothing.")
    ] = False,
    preview: Annotated[bool, typer.Option("--preview", hidden=True)] = False,
    advise: Annotated[
        bool, typer.Option("--advise", help="Advise by which columns it would pay for these queries; write nothing.")
    ] = False,
    plan_only: Annotated[
        bool, typer.Option("--plan-only", help="Request a plan and leave it, for --run or for Apache Hudi.")
    ] = False,
    run: Annotated[
        str | None, typer.Option("--run", metavar="INSTANT", help="Run a plan that waits, also one of Apache Hudi.")
    ] = None,
    cancel: Annotated[
        str | None, typer.Option("--cancel", metavar="INSTANT", help="Take back a clustering that is not completed.")
    ] = None,
    strategy: Annotated[
        Strategy | None,
        typer.Option(
            "--strategy",
            metavar="|".join(Strategy),
            help="How rows are ordered. [default: as the table states, or linear]",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            "-c",
            metavar="A,B",
            help="Order by these. [default: as the table states, or join small files only]",
        ),
    ] = None,
    partitions: Annotated[
        str, typer.Option("--partitions", metavar="P,Q", help="Only these partitions, by their paths.")
    ] = "",
    partition_pattern: Annotated[
        str | None, typer.Option("--partition-pattern", metavar="REGEX", help="Only partitions whose path matches.")
    ] = None,
    recent_partitions: Annotated[
        int | None,
        typer.Option("--recent-partitions", metavar="N", min=1, help="Take only the last N partitions by path."),
    ] = None,
    rolling_partitions: Annotated[
        bool, typer.Option("--rolling-partitions", help="Take each 24th partition, another one in each hour of a day.")
    ] = False,
    target_file_size: Annotated[
        int | None,
        typer.Option(
            "--target-file-size",
            metavar="N",
            parser=byte_count,
            help=f"Size of new files in bytes, or as 120MB, 1GiB. [default: as the table states, or {_TARGET}]",
        ),
    ] = None,
    small_file_limit: Annotated[
        int | None,
        typer.Option(
            "--small-file-limit",
            metavar="N",
            parser=byte_count,
            help="Smaller files are rewritten in any case; at most --target-file-size. "
            f"[default: as the table states, or {_SMALL}]",
        ),
    ] = None,
    spool_folder: Annotated[
        str | None,
        typer.Option(
            "--spool-folder",
            metavar="DIR",
            help="A folder for rows that wait to be written; without it, a temporary one.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            "-w",
            metavar="SQL",
            help="With --dry-run or --advise: a query, repeatable. Otherwise: take only partitions in which rows may match.",
        ),
    ] = None,
    where_file: WhereFileOption = None,
    option: ServiceOption = None,
    engine: TasksOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Rewrite rows in an order in which queries skip files: linear, or along a curve through several columns."""
    mode = _mode(recent_partitions, rolling=rolling_partitions)
    if preview:
        say("hint: --preview is called --dry-run now, as with all commands")
        dry_run = True
    estimates = dry_run or advise
    if sum((dry_run, advise, plan_only, run is not None, cancel is not None)) > 1:
        expected = "one of --dry-run, --advise, --plan-only, --run and --cancel"
        raise UsageError("cluster", expected=expected, found="several")
    of_plans: dict[str, object] = {
        "--strategy": strategy,
        "--columns": columns,
        "--partitions": partitions or None,
        "--partition-pattern": partition_pattern,
        "--recent-partitions": recent_partitions,
        "--rolling-partitions": rolling_partitions or None,
    }
    of_queries: dict[str, object] = {"--where": where or None, "--where-file": where_file}
    of_sizes: dict[str, object] = {"--target-file-size": target_file_size, "--small-file-limit": small_file_limit}
    if run is not None or cancel is not None:
        _refuse_idle({**of_queries, **of_plans, **of_sizes}, "no --run or --cancel beside it", "one of them")
    if advise:
        _refuse_idle(of_plans, "no --advise beside it, which proposes a clustering of its own", "it")
    if run is None and (advise or plan_only or cancel is not None):
        _refuse_idle({"--spool-folder": spool_folder}, "a run of the clustering", "none")
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO), Output(as_json)
    queries = queries_of(opened_table, where if estimates else None, where_file)
    stated = options_on_request(service_properties(option), opened_table.config.properties)
    sizes = _sizes(stated.sizes, target_file_size, small_file_limit)
    if advise:
        show_advice(out, opened_table, queries, (Measure.CLUSTERING,), sizes)
        return
    options = ClusterOptions(
        strategy or stated.strategy,
        stated.columns if columns is None else split_names("--columns", columns) or (),
        sizes,
        PartitionFilter(
            mode,
            name_list(partitions),
            partition_pattern,
            ALL_PARTITIONS.look_back if recent_partitions is None else recent_partitions,
        ),
        None if dry_run else conjunction(where),
        stated.max_groups,
        queries=() if dry_run else queries,
        spool_folder=spool_folder,
    )
    if dry_run:
        with progress("queries"):
            made = preview_clustering(opened_table, options, queries)
        _show(out, made)
    elif cancel is not None:
        cancel_clustering(opened_table, cancel, options)
        out.record({"instant": cancel, "state": "cancelled"})
    else:
        with tally_progress("files") as tally:
            reported = replace(options, tally=tally)
            if run is not None:
                result = run_requested(opened_table, run, reported)
            else:
                result = (request_clustering if plan_only else run_clustering)(opened_table, reported)
        out.record(result.as_dict())
    warn(opened_table.warnings)


def _refuse_idle(options: Mapping[str, object], expected: str, found: str) -> None:
    """Raises `UsageError` for an option that was typed, and would have no effect. Rule CLUSTER-1591."""
    given = next((name for name, value in options.items() if value is not None), None)
    if given is not None:
        raise UsageError(given, expected=expected, found=found)


def _sizes(stated: FileSizes, target: int | None, small: int | None) -> FileSizes:
    """The sizes that are typed, else those that are stated: then no file of the target size is small."""
    wanted = stated.target if target is None else target
    if small is not None and small > wanted:
        expected = f"at most the size of new files, {size(wanted)}, which each run would write again"
        raise UsageError("--small-file-limit", expected=expected, found=size(small))
    return FileSizes(wanted, min(stated.small, wanted) if small is None else small)


def _show(out: Output, made: Preview) -> None:
    """For programs one object; for people the figures, and a table of predicates."""
    fields = made.as_dict()
    if out.as_json:
        out.record(fields)
        return
    gains = fields.pop("gains")
    out.record(fields)
    if gains:
        shown = [
            {
                **gain,
                "weight": gain["weight"] if gain["weight"] > 1 else None,
                "bytes_before": size(gain["bytes_before"]),
                "bytes_after": size(gain["bytes_after"]),
            }
            for gain in gains
        ]
        out.rows(_GAINS, shown, folded=("where",), below=("where",))


def _mode(recent: int | None, *, rolling: bool) -> FilterMode:
    if recent is not None and rolling:
        raise UsageError("partitions", expected="either recent or rolling partitions", found="both")
    if rolling:
        return FilterMode.DAY_ROLLING
    return FilterMode.NONE if recent is None else FilterMode.RECENT_DAYS
