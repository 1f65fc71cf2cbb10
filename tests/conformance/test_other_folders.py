"""The suite runs on another folder of the same form: other names, few tables, few vectors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.conformance import ROOT, TableEntry, tables

TABLES, CASES_APART = 3, 37


def smallest() -> list[TableEntry]:
    """The tables that take the least time."""
    return sorted(tables(), key=lambda entry: (entry.folder / "table.zip").stat().st_size)[:TABLES]


def copy_renamed(entry: TableEntry, folder: Path) -> None:
    """The table under the name of the folder, with no word about what it is."""
    folder.mkdir(parents=True)
    with zipfile.ZipFile(entry.folder / "table.zip") as old, zipfile.ZipFile(folder / "table.zip", "w") as new:
        for member in old.infolist():
            root, _, rest = member.filename.partition("/")
            if root != "__MACOSX":
                new.writestr(f"{folder.name}/{rest}", old.read(member))
    expected = {**entry.expected, "name": folder.name, "what": "a table"}
    (folder / "expected.json").write_text(json.dumps(expected), "utf-8")


def copy_some_cases(vectors: Path, folder: Path) -> None:
    """Some cases of a file of vectors, with ids that are no numbers."""
    cases = json.loads(vectors.read_text("utf-8"))[::CASES_APART]
    renamed = [{**case, "id": f"case {number:x}/é"} for number, case in enumerate(cases)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / vectors.name).write_text(json.dumps(renamed), "utf-8")


def test_the_suite_runs_on_few_entries_of_other_names(tmp_path: Path) -> None:
    if not tables():
        pytest.skip("corpus and golden tables not present")
    for number, entry in enumerate(smallest()):
        copy_renamed(entry, tmp_path / "data" / "golden" / f"other {number}")
    for vectors in ROOT.glob("vectors/*.json"):
        copy_some_cases(vectors, tmp_path / "data" / "vectors")
    here = Path(__file__)
    command = [sys.executable, "-m", "pytest", str(here.parent), "-q", "-p", "no:cacheprovider", "--ignore", str(here)]
    environment = {**os.environ, "HUDI_CONFORMANCE": str(tmp_path / "data"), "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        command, cwd=here.parents[2], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert " passed" in done.stdout
