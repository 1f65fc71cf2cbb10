"""`demo`: a guided tour on a real table that is brought along, beside what Apache Hudi answers on it, and on one of our own."""

from __future__ import annotations

import json
import shutil
import zipfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any

import typer

from hudi_core.cli.demo_writes import tour_of_writes
from hudi_core.cli.explain.command import show, write_page
from hudi_core.cli.options import EngineOption, JsonOption
from hudi_core.cli.output import Output
from hudi_core.cli.words import format_count
from hudi_core.errors import StorageError, UsageError
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.table.open import open_table
from hudi_core.table.table import Table

_BROUGHT = files("hudi_core") / "demo"
_COLUMNS = ("where", "rows", "files_that_match", "files_we_keep", "files_hudi_keeps", "rows_hudi_loses")
_SHOWN = 5


def demo(
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="Where the table and the page go.")] = Path(
        "demo-out"
    ),
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Take a tour: a table of rides that Apache Hudi wrote, pruned, explained and read; and one that is written."""
    if to.exists() and not to.is_dir():
        raise UsageError("--to", expected="a folder", found=f"the file {to}")
    out = Output(as_json)
    table = open_table(str(_unpack(to)), engine=engine)
    tour = json.loads((_BROUGHT / "tour.json").read_text("utf-8"))
    total = len(table.slices())
    answers = [_answer(table, example) for example in tour["predicates"]]
    predicate = max(answers, key=lambda answer: int(answer["rows_hudi_loses"]))["where"]
    scan, page = table.scan(where=predicate), to / "explain.html"
    write_page(page, table, predicate, scan)
    out.text(
        f"{to / 'rides'}: {format_count(total, 'file')} of taxi rides, under {format_count(len(table.history()), 'schema')}, "
        f"written by {tour['writer']}.\n"
    )
    out.rows(
        _COLUMNS, answers, title=f"Which of the {total} files a query reads, beside {tour['writer']}", folded=("where",)
    )
    if not as_json:
        out.text(f'\n$ hudi-core explain {to / "rides"} --where "{predicate}"', "bold", folded=False)
        show(out, predicate, scan)
        out.text(
            f'\n$ hudi-core read {to / "rides"} --where "{predicate}" --limit {_SHOWN} --columns {",".join(tour["columns"])}',
            "bold",
            folded=False,
        )
        read = table.scan(where=predicate, columns=tour["columns"], limit=_SHOWN)
        out.data(read.schema, list(read.to_json_rows()))
        tour_of_writes(out, to / "rides", to, engine)
    out.text(f"\nThe same in pictures: {page}")


def _unpack(to: Path) -> Path:
    """The table's root, unpacked again."""
    root = to / "rides"
    try:
        to.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(root, ignore_errors=True)
        with as_file(_BROUGHT / "rides.zip") as archive, zipfile.ZipFile(archive) as opened:
            opened.extractall(to)
    except OSError as problem:
        raise StorageError(str(to), message=problem.strerror or str(problem)) from problem
    return root


def _answer(table: Table, example: dict[str, Any]) -> dict[str, Any]:
    """Our plan for a predicate, its rows counted by reading them, and the recorded plan of Apache Hudi."""
    scan = table.scan(where=example["where"], columns=table.config.record_key_fields)
    counts = scan.counts()
    return {
        "where": example["where"],
        "rows": sum(counts),
        "files_that_match": sum(count > 0 for count in counts),
        "files_we_keep": len(counts),
        "files_hudi_keeps": example["hudi_kept"],
        "rows_hudi_loses": sum(counts) - example["hudi_rows"],
    }
