"""`tag`: for each row of an input the file of the table that holds its record."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Annotated, Any

import typer

from hudi_core.cli.keys import KeyOptionsOption, read_options
from hudi_core.cli.options import (
    AsOfOption,
    EngineOption,
    JsonOption,
    MetadataOption,
    TableArgument,
    file_options,
    open_from_options,
    warn,
)
from hudi_core.cli.output import Output
from hudi_core.cli.progress import tally_progress
from hudi_core.cli.words import duration, format_count, share
from hudi_core.errors import UsageError
from hudi_core.planning.sources.file_filters import FilterState
from hudi_core.rows.outside_files import read_file
from hudi_core.schema.names import name_list, refuse_repeated
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.key_reader import input_schema
from hudi_core.tagging.tag import Tagger, TagOptions

_STAGES = (
    ("pairs", "of a key and a file slice"),
    ("pairs_in_range", "left by key ranges"),
    ("pairs_probed", "probed in bloom filters"),
    ("pairs_passed", "left by bloom filters"),
    ("pairs_to_confirm", "looked for in file slices"),
    ("found", "keys found"),
)


def tag(
    table: TableArgument,
    rows: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="Rows with the table's key columns, or columns record_key and partition_path: a .parquet, .arrow, .csv or "
            ".json file, or a folder of Parquet files.",
        ),
    ],
    index: Annotated[
        IndexType,
        typer.Option("--index", metavar="|".join(IndexType), help="How keys are located: auto takes what reads least."),
    ] = IndexType.AUTO,
    whole_table: Annotated[
        bool, typer.Option("--global", help="Look for keys in all partitions, not in their own alone.")
    ] = False,
    buckets: Annotated[
        int | None, typer.Option("--buckets", metavar="N", help="Buckets of each partition, for --index bucket.")
    ] = None,
    hash_fields: Annotated[
        str | None, typer.Option("--hash-fields", metavar="A,B", help="Key fields that --index bucket hashes.")
    ] = None,
    options: KeyOptionsOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show which index was used, why, and what it did.")
    ] = False,
    as_of: AsOfOption = None,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    as_json: JsonOption = False,
) -> None:
    """Tag rows with the file that holds the record of their key.

    The table's generator makes the keys. --options adds what the table's properties do not state. --json gives each row with its
    location, null for a record in no file; people are shown counts.
    """
    begun = perf_counter()
    opened_table = open_from_options(table, engine, metadata, beside=rows)
    fields = name_list(hash_fields or ())
    refuse_repeated("--hash-fields", fields, fields)
    if (buckets is not None or fields) and index is not IndexType.BUCKET:
        raise UsageError("--buckets, --hash-fields", expected="--index bucket", found=f"--index {index}")
    key_options = None if options is None else read_options(options)
    tagger = Tagger(opened_table, TagOptions(index, whole_table, buckets, fields, key_options), as_of)
    operations = opened_table.engine.rows
    given = read_file(opened_table.engine, rows, input_schema(opened_table.schema_at(as_of)), file_options(rows))
    tagged = tagger.tag(given, with_keys=as_json)
    out = Output(as_json)
    with tally_progress("files", prints_rows=as_json) as tagger.work.tally:
        for batch in tagged.batches:
            for row in operations.to_json(batch, tagged.schema) if as_json else ():
                out.line(row)
    if as_json:
        if explain:
            out.line({"kind": "work", **_work(tagger)})
    else:
        _show(out, tagger, perf_counter() - begun, explain)
    warn(opened_table.warnings)


def _work(tagger: Tagger) -> dict[str, Any]:
    work = tagger.work
    return {
        "choices": [{"index": choice.kind.value, "reason": choice.reason} for choice in tagger.choices],
        **dict(sorted(work.counts.items())),
        "filters": {state.name.lower(): work.filters[state] for state in FilterState if work.filters[state]},
        "fill": round(work.fill, 4),
        "false_positives": work.false_positives,
        "ms": {stage: round(seconds * 1e3, 3) for stage, seconds in work.seconds.items()},
    }


def _show(out: Output, tagger: Tagger, seconds: float, explain: bool) -> None:
    counts = tagger.work.counts
    keys, located = counts["keys"], counts["found"]
    out.heading(f"{located:,} of {format_count(keys, 'key')} are in the table")
    out.text(f"{share(located, keys)} found, {keys - located:,} in no file; {duration(seconds)}")
    for choice in dict.fromkeys(tagger.choices):
        out.text(f"index {choice.kind.value}: {choice.reason}")
    out.text()
    out.rows(("stage", "count", ""), list(_stages(tagger)), title="What was done")
    out.text("\n--json gives each row with its file", "dim")
    if explain:
        out.text()
        rows = ({"work": name, "count": count} for name, count in sorted(counts.items()))
        out.rows(("work", "count"), rows, title="Counted")
        filters = tagger.work.filters
        if filters:
            out.text()
            rows = ({"filters": state.name.lower(), "count": filters[state]} for state in FilterState if filters[state])
            out.rows(("filters", "count"), rows, title="Bloom filters")
            work = tagger.work
            if filters[FilterState.USABLE]:
                full = f"the fullest filter probed has {100 * work.fill:.0f} % of its bits set"
                out.text(f"{full}, the worst lets {work.false_positives:.2g} of absent keys pass")
        out.text()
        times = ({"stage": stage, "time": duration(spent)} for stage, spent in sorted(tagger.work.seconds.items()))
        out.rows(("stage", "time"), times, title="Time, of all threads together")


def _stages(tagger: Tagger) -> Iterator[dict[str, Any]]:
    for name, meaning in _STAGES:
        if name in tagger.work.counts:
            yield {"stage": name.replace("_", " "), "count": tagger.work.counts[name], "": meaning}
