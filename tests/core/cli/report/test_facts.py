"""The facts of a report, held as a text for the packaged table, and against the commands that show them one by one.

`python -m tests.core.cli.report.test_facts` writes the text again; look at what changed.
"""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core import create
from hudi_core.cli.report.facts import MOST_COLUMNS, table_report
from hudi_core.errors import UnknownColumnError
from hudi_core.front.opening import create_table, open_table
from tests.support.commands import ran, rides

GOLDEN = Path(__file__).with_name("rides.jsonl")


def printed() -> str:
    """The facts of the packaged table as lines of JSON."""
    with chdir(rides().parent):
        return ran("report", "rides", "--json").out


def test_the_facts_of_the_packaged_table() -> None:
    """CLI-980."""
    assert printed().splitlines() == GOLDEN.read_text("utf-8").splitlines()


def test_facts_are_those_of_other_commands() -> None:
    """CLI-980."""
    lines = [json.loads(line) for line in printed().splitlines()]
    kinds = {
        kind: [
            {name: value for name, value in line.items() if name != "kind"} for line in lines if line["kind"] == kind
        ]
        for kind in ("table", "commit", "files", "partition", "column", "index")
    }
    assert kinds["commit"] == ran("commits", rides(), "--json").lines
    assert kinds["column"] == ran("stats", rides(), *_columns(kinds["column"]), "--json").lines
    assert [line["bytes"] for line in kinds["index"]] == [
        line["bytes"] for line in ran("index", "list", rides(), "--json").lines
    ]
    sizes = {line["partition"]: line["bytes"] for line in ran("partitions", rides(), "--json").lines}
    assert {line["partition"]: line["bytes"] for line in kinds["partition"]} == sizes
    (table,) = kinds["table"]
    assert table["bytes"] == sum(sizes.values()) == sum(line["bytes"] for line in kinds["files"])
    assert table["file_slices"] == sum(line["files"] for line in kinds["files"]) == 287


def _columns(columns: list[dict[str, str]]) -> list[str]:
    return [word for column in columns for word in ("-c", column["column"])]


def test_wide_and_empty_tables(tmp_path: Path) -> None:
    """CLI-980: a table without rows has a report; of many columns the first are looked into."""
    fields = [
        ("id", pa.string()),
        *((f"c{number}", pa.int32()) for number in range(40)),
        ("m", pa.map_(pa.string(), pa.int32())),
    ]
    table = create_table(tmp_path / "t", pa.schema(fields), "id")
    made = table_report(table)
    assert (len(made.columns), made.columns_left_out) == (MOST_COLUMNS, 41 - MOST_COLUMNS)
    assert (made.file_slices, made.bytes, made.sizes, made.partitions, made.commits) == (0, 0, [], [], [])
    chosen = table_report(table, ["c39"])
    assert ([column.column for column in chosen.columns], chosen.columns_left_out) == (["c39"], 0)
    with pytest.raises(UnknownColumnError, match="c99"):
        table_report(table, ["c99"])


def test_damage_is_a_finding(tmp_path: Path) -> None:
    """CLI-980: the checks that open no data file run."""
    rows = [{"id": "a", "n": 1}]
    create(tmp_path / "t", rows, key="id").insert(rows)
    (base,) = tmp_path.glob("t/*.parquet")
    base.write_bytes(base.read_bytes() + b"x")
    made = table_report(open_table(tmp_path / "t"), ["n"])
    assert [finding.check for finding in made.findings] == ["commits"]


def test_advice_comes_with_queries() -> None:
    """CLI-980."""
    made = table_report(open_table(rides()), ["fare"], ["rider = 'rider-0300'"])
    assert made.advice is not None and made.advice.queries == ("rider = 'rider-0300'",)
    assert [line["kind"] for line in made.records()].count("advice") == 1 + len(made.advice.proposals)


if __name__ == "__main__":
    GOLDEN.write_text(printed(), "utf-8")
