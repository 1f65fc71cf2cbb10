"""The report as one self-contained HTML page: timeline, sizes, partitions, layout, indexes, findings, advice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import Final

from hudi_core.advice.proposals import Advice
from hudi_core.cli.report.facts import PartitionSize, Report
from hudi_core.cli.report.pictures import MOST_COMMITS, commits_svg, sizes_svg
from hudi_core.cli.words import format_count, share, shorten, size
from hudi_core.index_builds.listing import Index, IndexState
from hudi_core.table.column_summary import ColumnSummary
from hudi_core.table.summaries import SMALL_BYTES

MOST_PARTITIONS: Final = 20
MOST_FINDINGS: Final = 50
_WELL_COVERED: Final = 0.99

Bar = tuple[str, str, str, float, str, str]
"""Heading, note below it, style, share of the width, and two figures."""


def report_page(report: Report) -> str:
    """The page. It loads nothing, and has no script."""
    style = (files("hudi_core.cli.explain") / "page.css").read_text("utf-8")
    style += (files("hudi_core.cli.report") / "report.css").read_text("utf-8")
    sections = (
        _section("Timeline", _timeline(report)),
        _section("Sizes of files", _file_sizes(report)),
        _section("Partitions", _partitions(report)),
        _section("Layout", _layout(report)),
        _section("Health of indexes", _indexes(report)),
        _section("Findings", _findings(report)),
        _section("Advice", "" if report.advice is None else _advice(report.advice)),
    )
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width,initial-scale=1">'
        f"<title>{escape(report.table)}: report</title><style>{style}</style></head><body>"
        f"{_header(report)}<main>{''.join(sections)}</main></body></html>\n"
    )


def _section(title: str, inside: str) -> str:
    return f"<section><h2>{title}</h2>{inside}</section>" if inside else ""


def _header(report: Report) -> str:
    figures = (
        (len(report.commits), "commit", "commits"),
        (len(report.partitions), "partition", "partitions"),
        (report.small_files, "small base file", "small base files"),
        (report.log_files, "log file", "log files"),
        (len(report.findings), "finding of quick checks", "findings of quick checks"),
    )
    items = "".join(f"<li><b>{count:,}</b> {one if count == 1 else many}</li>" for count, one, many in figures)
    return (
        f"<header><p class=kicker>hudi-core report · <b>{escape(report.table)}</b> · {escape(report.uri)}</p>"
        f"<h1><b>{format_count(report.file_slices, 'file slice')}</b>, {size(report.bytes)}</h1>"
        f"<p class=soft>{escape(report.type)}, table version {report.version}</p><ul class=figures>{items}</ul></header>"
    )


def _timeline(report: Report) -> str:
    if not report.commits:
        return "<p class=soft>The timeline has no completed commit.</p>"
    count = len(report.commits)
    many = f" The picture shows the latest {MOST_COMMITS:,} of {count:,} commits." if count > MOST_COMMITS else ""
    services = ", ".join(f"{number:,} {escape(action)}" for action, number in report.services.items())
    pending = ", ".join(map(escape, report.pending))
    return (
        f"<p class=soft>Each bar is a commit of the active timeline. Its height is the number of rows that it changed.{many}</p>"
        f"{_legend(('inserted', 'inserted'), ('updated', 'updated'), ('deleted', 'deleted'))}"
        f"<div class=picture tabindex=0>{commits_svg(report.commits)}</div>"
        f"<p>Completed services: {services or 'none'}. Pending: {pending or 'nothing'}.</p>"
    )


def _legend(*entries: tuple[str, str]) -> str:
    return (
        "<p class=legend>"
        + "".join(f"<span><i class='key {kind}'></i>{label}</span>" for kind, label in entries)
        + "</p>"
    )


def _file_sizes(report: Report) -> str:
    parts = []
    for file_kind, name in (("base", "Base files"), ("log", "Log files")):
        classes = [one for one in report.sizes if one.file_kind == file_kind]
        if classes:
            total = sum(one.bytes for one in classes)
            count = sum(one.files for one in classes)
            parts.append(
                f"<h3>{name} <small>{count:,}, {size(total)} together, {size(round(total / count))} on average</small></h3>"
                f"<div class=picture tabindex=0>{sizes_svg(classes)}</div>"
            )
    if not parts:
        return "<p class=soft>The table has no data files.</p>"
    below = f"below {size(SMALL_BYTES)}, which Apache Hudi calls small"
    return _legend(("updated", below), ("inserted", f"{size(SMALL_BYTES)} or more")) + "".join(parts)


def _bars(rows: Iterable[Bar]) -> str:
    made = "".join(
        f"<tr><th scope=row>{heading}{f'<span class=note>{note}</span>' if note else ''}</th>"
        f"<td class=bar><div class=track><i class='{kind}' style='width:{100 * part:.2f}%'></i></div></td>"
        f"<td class=num>{first}</td><td class=num>{second}</td></tr>"
        for heading, note, kind, part, first, second in rows
    )
    return f"<table class=bars>{made}</table>"


def _partitions(report: Report) -> str:
    shown = report.partitions[:MOST_PARTITIONS]
    if not shown or [one.partition for one in shown] == [""]:
        return ""
    most = shown[0].bytes or 1
    rest = report.partitions[MOST_PARTITIONS:]
    partitions, bytes_ = format_count(len(rest), "smaller partition"), size(sum(one.bytes for one in rest))
    more = f"<p class=soft>{partitions} with {bytes_} not shown.</p>"
    return _bars(_partition_bar(one, most) for one in shown) + (more if rest else "")


def _partition_bar(one: PartitionSize, most: int) -> Bar:
    logs = f", {format_count(one.log_files, 'log file')}" if one.log_files else ""
    note = f"{format_count(one.file_slices, 'file slice')}, {format_count(one.small_files, 'small file')}{logs}"
    name = f"<code>{escape(shorten(one.partition))}</code>"
    return name, note, "kept", one.bytes / most, size(one.bytes), ""


def _layout(report: Report) -> str:
    if not report.columns:
        return ""
    left_out = (
        f"<p class=soft>{format_count(report.columns_left_out, 'more column')} not looked into; --column chooses.</p>"
        if report.columns_left_out
        else ""
    )
    bars = _bars(bar for column in report.columns for bar in _column_bars(column))
    return (
        "<p class=soft>How many file slices a query for one value of a column reads on average. The second bar shows the least "
        "that it could read if the rows were sorted by this column into as many files.</p>"
        f"{_legend(('read', 'now'), ('all', 'sorted by the column'))}{bars}{left_out}"
    )


def _column_bars(column: ColumnSummary) -> Iterable[Bar]:
    total = max(column.slices, 1)
    heading, note = f"<code>{escape(column.column)}</code>", escape(column.type)
    yield heading, note, "kept", column.overlap / total, f"{column.overlap:,.1f}", share(round(column.overlap), total)
    better = min(column.sorted_overlap, column.overlap)
    yield "", "", "all", better / total, f"{better:,.1f}", share(round(better), total)


def _indexes(report: Report) -> str:
    listed = "".join(map(_index_row, report.indexes))
    table = (
        f"<div class=scroll tabindex=0><table class=slices><thead><tr><th scope=col>state</th><th scope=col>index</th>"
        f"<th scope=col>columns</th><th scope=col>size</th></tr></thead><tbody>{listed}</tbody></table></div>"
        if listed
        else "<p class=soft>The table has no index: queries open the footers of its files.</p>"
    )
    covered = [_coverage_bar(column) for column in report.columns]
    coverage = (
        "<h3>Known bounds <small>file slices whose lower and upper bound of the column are known</small></h3>"
        + _bars(covered)
        if covered
        else ""
    )
    return table + coverage


def _index_row(index: Index) -> str:
    kind = {IndexState.READY: "all", IndexState.DAMAGED: "bad"}.get(index.state, "skip")
    columns = escape(shorten(", ".join(index.columns)))
    problem = f"<span class=note>{escape(shorten(index.problem))}</span>" if index.problem else ""
    return (
        f"<tr><td><i class='dot {kind}'></i>{escape(index.state.value)}</td><td class=wrap><code>{escape(index.name)}</code>"
        f"{problem}</td><td class=wrap>{columns or '-'}</td><td>{size(index.bytes)}</td></tr>"
    )


def _coverage_bar(column: ColumnSummary) -> Bar:
    known = column.slices - column.unknown
    part = known / max(column.slices, 1)
    kind = "all" if part >= _WELL_COVERED else "updated"
    return (
        f"<code>{escape(column.column)}</code>",
        "",
        kind,
        part,
        f"{known:,} of {column.slices:,}",
        share(known, column.slices),
    )


def _findings(report: Report) -> str:
    if not report.findings:
        return (
            "<p>The checks that open no data file have no finding. <code>hudi-core validate</code> reads all files.</p>"
        )
    items = "".join(
        f"<li><b>{finding.severity.value}</b> {escape(finding.check)}: <code>{escape(shorten(finding.where))}</code>"
        f"<span class=note>expected {escape(shorten(finding.expected))}, found {escape(shorten(finding.found))}; "
        f"{escape(shorten(finding.mending.words))}</span></li>"
        for finding in report.findings[:MOST_FINDINGS]
    )
    rest = len(report.findings) - MOST_FINDINGS
    more = f"<p class=soft>{format_count(rest, 'more finding')}: <code>hudi-core validate</code> lists all.</p>"
    return f"<ul class=findings>{items}</ul>{more if rest > 0 else ''}"


def _advice(advice: Advice) -> str:
    queries = "".join(f"<li><code>{escape(shorten(query))}</code></li>" for query in advice.queries)
    now = advice.cost(advice.touched)
    bars: Sequence[Bar] = [
        (
            escape(name),
            escape(", ".join(columns)),
            kind,
            min(1.0, advice.cost(touched) / max(now, 1)),
            size(advice.bytes_read(touched)),
            format_count(advice.requests(touched), "request"),
        )
        for name, columns, kind, touched in (
            ("as it is", (), "kept", advice.touched),
            *((one.measure.value, one.columns, "all", one.touched) for one in advice.proposals),
        )
    ]
    lead = "<p class=soft>What all of these queries together read, now and after each measure:</p>"
    none = "" if advice.proposals else "<p>No index or clustering would save anything for them.</p>"
    return f"{lead}<ul>{queries}</ul>{_bars(bars)}{none}"
