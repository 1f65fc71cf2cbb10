"""`stats`, `diff` and `trace`: one column, two instants, one record."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Annotated, Any

import typer

from hudi_core.cli.options import (
    EngineOption,
    JsonOption,
    MetadataOption,
    TableArgument,
    open_from_options,
    warn,
)
from hudi_core.cli.output import Output, value_text
from hudi_core.cli.progress import tally_progress
from hudi_core.cli.words import format_count, size
from hudi_core.errors import UsageError
from hudi_core.schema.meta import is_meta
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.column_summary import ColumnSummary, column_summary
from hudi_core.table.difference import TableDifference, difference, read_changed_rows
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.record_versions import RecordVersion, record_versions
from hudi_core.tally import READING
from hudi_core.types.text import text as type_text

_SHOWN = 20
"""Changes that people see without --limit."""


def stats(
    table: TableArgument,
    column: Annotated[
        list[str], typer.Option("--column", "-c", metavar="NAME", help="A column by dotted name; repeatable.")
    ],
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    as_json: JsonOption = False,
) -> None:
    """Show what statistics know of a column: bounds, nulls, how many file slices hold a value, and what sorting would change."""
    opened_table, out = open_from_options(table, engine, metadata), Output(as_json)
    for name in column:
        with tally_progress("files") as tally:
            summary = column_summary(opened_table, name, type_text, tally)
        if as_json:
            out.line(summary.as_dict())
        else:
            _show_summary(out, summary)
    warn(opened_table.warnings)


def _show_summary(out: Output, summary: ColumnSummary) -> None:
    out.heading(f"{summary.column} {summary.type}")
    known = summary.slices - summary.unknown
    is_bounded = summary.lower is not None or summary.upper is not None
    out.record(
        {
            "bounds": f"{value_text(summary.lower)} to {value_text(summary.upper)}" if is_bounded else "unknown",
            "file_slices": f"{summary.slices:,}, {known:,} with known bounds",
            "with_nulls": summary.with_nulls if known or summary.with_nulls else "unknown",
            "without_values": summary.without_values if known else "unknown",
        }
    )
    now, then = (
        f"{count:,.1f} of {format_count(summary.slices, 'file slice')}"
        for count in (summary.overlap, summary.sorted_overlap)
    )
    out.text(f"\nA query for one value reads {now} on average, {summary.deepest:,} at most.")
    if summary.sorted_overlap + 0.5 < summary.overlap:
        out.text(
            f"If the rows were sorted by {summary.column} into as many files (hudi-core cluster), it would read {then} at best."
        )


def diff(
    table: TableArgument,
    since: Annotated[str, typer.Argument(metavar="A", help="The earlier instant, as timeline shows it.")],
    until: Annotated[str, typer.Argument(metavar="B", help="The later instant.")],
    rows: Annotated[
        bool, typer.Option("--rows", help="Show the changes of rows one by one, with the key and what differs.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=0, help="With --rows: at most this many.")
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    as_json: JsonOption = False,
) -> None:
    """Show what lies between two instants: commits, schema changes, file slices, and rows as their writers counted them."""
    if limit is not None and not rows:
        raise UsageError("--limit", expected="--rows beside it", found="none")
    opened_table, out = open_from_options(table, engine, metadata), Output(as_json)
    if not rows:
        with tally_progress("commits") as tally:
            made = difference(opened_table, since, until, tally)
        _show_difference(out, made)
    else:
        most = limit if as_json else (_SHOWN if limit is None else limit) + 1  # one more tells whether there are more
        with tally_progress("changes", prints_rows=as_json) as tally:
            changes: Iterator[dict[str, Any]] = islice(read_changed_rows(opened_table, since, until), most)
            if tally is not None:
                tally.enter(READING)
                changes = tally.count_batches(changes, lambda _: 1)
            if as_json:
                out.rows((), changes)
            keys = opened_table.schema.record_keys
            shown = [] if as_json else [_change(change, keys) for change in changes]
        if not as_json:
            _show_changes(out, shown, limit)
    warn(opened_table.warnings)


def _show_changes(out: Output, changes: Sequence[dict[str, Any]], limit: int | None) -> None:
    head = changes[: _SHOWN if limit is None else limit]
    out.rows(("op", "ts_ms", "before", "after"), head, folded=("before", "after"))
    cut = len(changes) > len(head)
    more = "; --limit shows more" if cut and limit is None else ""
    out.text(f"\n{'the first ' if cut else ''}{format_count(len(head), 'change')}{more}")


def _change(change: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """A change with its rows as texts; of an update the record key and the columns that differ."""
    before, after = change["before"], change["after"]
    if before is None or after is None:
        return {**change, "before": _row(before), "after": _row(after)}
    shown = {name for name in after if name in keys or before.get(name) != after[name]}
    return {**change, "before": _row(before, shown), "after": _row(after, shown)}


def _row(row: dict[str, Any] | None, only: Collection[str] | None = None) -> str | None:
    if row is None:
        return None
    shown = {name: value for name, value in row.items() if not is_meta(name) and (only is None or name in only)}
    return value_text(", ".join(f"{name} {value_text(value)}" for name, value in shown.items()))


def _show_difference(out: Output, made: TableDifference) -> None:
    if out.as_json:
        out.line(made.as_dict())
        return
    rows = {name: getattr(made, name) for name in ("inserted", "updated", "deleted")}
    sizes = f"{size(made.bytes_before)} before, {size(made.bytes_after)} after"
    slices = f"{made.slices_added:,} added, {made.slices_removed:,} removed, {made.slices_rewritten:,} rewritten"
    out.record(
        {
            "from": made.since,
            "to": made.until,
            "commits": made.commits,
            "operations": made.operations,
            **{f"rows_{name}": count for name, count in rows.items()},
            "file_slices": slices,
            "bytes": sizes,
            "partitions": made.partitions,
        }
    )
    if made.schema_changes:
        out.text()
        out.heading("The schema")
        for change in made.schema_changes:
            out.text(f"  {change}")


def trace(
    table: TableArgument,
    key: Annotated[str, typer.Argument(metavar="KEY", help="A record key, as --meta shows it.")],
    partition: Annotated[
        str | None, typer.Option("--partition", metavar="P", help="Look only into the files of this partition.")
    ] = None,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Show every stored version of a record: the write that made it, its file, and why readers see it or not.

    A key that no file holds is an answer, and no error: the exit status is 0, and --json prints nothing.
    """
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO), Output(as_json)
    with tally_progress("files") as tally:
        versions = record_versions(opened_table, key, partition, tally)
    if as_json:
        out.rows((), (version.as_dict() for version in versions))
    elif not versions:
        out.text(f"no file holds a version of {key}")
    else:
        columns = ("instant", "operation", "partition", "seen", "why", "file", "copies")
        out.rows(columns, map(_version, versions), folded=("why",), elided=("file",), below=("why", "file"))
        out.text(f"\n{format_count(len(versions), 'version')} of {key}")
        row = next((version.row for version in versions if version.seen), None)
        if row is not None:
            out.text()
            out.row({name: value for name, value in row.items() if not is_meta(name)})
    warn(opened_table.warnings)


def _version(version: RecordVersion) -> dict[str, Any]:
    return {**version.as_dict(), "operation": "delete" if version.deletes else (version.operation or "").lower()}
