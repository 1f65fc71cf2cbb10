"""`demo`: a guided tour on a real table that is brought along, beside what Apache Hudi answers on it."""

from __future__ import annotations

import json
import shutil
import zipfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any

import typer

from hudi_core.cli.explain import show, write_page
from hudi_core.cli.options import DEFAULT_ENGINE, EngineOption, JsonOption
from hudi_core.cli.output import Output
from hudi_core.schema.meta import is_meta
from hudi_core.table.open import open_table
from hudi_core.table.table import Table

_BROUGHT = files("hudi_core") / "demo"
_SHOWN = 5


def demo(
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="Where the table and the page go.")] = Path(
        "demo-out"
    ),
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Take a tour: a table of rides that Apache Hudi wrote, pruned, explained and read."""
    out = Output(as_json)
    root = _unpacked(to)
    table = open_table(str(root), engine=engine)
    facts = json.loads((_BROUGHT / "tour.json").read_text("utf-8"))
    out.text(
        f"{root}: {len(table.slices())} file slices under {len(table.history())} schema versions, written by {facts['writer']}\n"
    )
    answers = [_answer(table, **said) for said in facts["predicates"]]
    columns = ("where", "rows", "files_that_match", "files_we_keep", "files_hudi_keeps", "rows_hudi_loses")
    out.rows(columns, answers, title=f"Data skipping beside {facts['writer']}, of {len(table.slices())} files")
    worst = max(answers, key=lambda answer: int(answer["rows_hudi_loses"]))
    scan = table.scan(where=worst["where"])
    out.text(f'\nWhy {worst["files_we_keep"]} files: hudi-core explain {root} --where "{worst["where"]}"\n')
    show(out, scan)
    page = to / "explain.html"
    write_page(page, table.config.name, worst["where"], scan)
    rows = list(table.scan(where=worst["where"], columns=_columns(table), limit=_SHOWN).to_json_rows())
    out.text("")
    out.rows(list(rows[0]) if rows else [], rows, title=f"{_SHOWN} of its rows")
    out.text(f"\nPictures of this plan: {page}")


def _unpacked(to: Path) -> Path:
    """The table's root, unpacked anew."""
    to.mkdir(parents=True, exist_ok=True)
    root = to / "rides"
    shutil.rmtree(root, ignore_errors=True)
    with as_file(_BROUGHT / "rides.zip") as archive, zipfile.ZipFile(archive) as opened:
        opened.extractall(to)
    return root


def _answer(table: Table, where: str, hudi_kept: int, hudi_rows: int) -> dict[str, Any]:
    """What we make of a predicate, counted by reading, and what Apache Hudi was seen to make of it."""
    scan = table.scan(where=where)
    counts = scan.counts()
    return {
        "where": where,
        "rows": sum(counts),
        "files_that_match": sum(count > 0 for count in counts),
        "files_we_keep": len(scan.plan.kept()),
        "files_hudi_keeps": hudi_kept,
        "rows_hudi_loses": sum(counts) - hudi_rows,
    }


def _columns(table: Table) -> list[str]:
    return [field.name for field in table.schema.fields if not is_meta(field.name)][:6]
