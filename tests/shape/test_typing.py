"""Mistakes in scripts of users are named by a type checker, before anything runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hudi_core.cluster.options import ClusterOptions
from hudi_core.front import keywords
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.writing.write_run import WriteOptions

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(__file__).parent / "typing"


def lines_named_by_mypy(script: Path) -> tuple[set[int], str]:
    """The numbers of the lines with errors, and all that mypy prints."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-warn-unreachable", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    numbers = re.findall(rf"{re.escape(script.name)}:(\d+): error:", done.stdout)
    return {int(number) for number in numbers}, done.stdout + done.stderr


def test_a_script_without_a_mistake_passes() -> None:
    named, printed = lines_named_by_mypy(SCRIPTS / "right.py")
    assert named == set(), printed
    assert "Success" in printed


def test_each_mistake_is_named() -> None:
    script = SCRIPTS / "mistakes.py"
    lines = script.read_text("utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert len(wrong) >= 15
    named, printed = lines_named_by_mypy(script)
    assert named == wrong, printed


@pytest.mark.parametrize(
    ("named", "options"),
    [
        (keywords.WriteKeywords, WriteOptions),
        (keywords.ClusterKeywords, ClusterOptions),
        (keywords.CompactionKeywords, CompactionOptions),
        (keywords.IndexKeywords, IndexOptions),
    ],
)
def test_keywords_are_the_fields_of_the_options(named: type, options: type) -> None:
    assert list(named.__annotations__) == list(options.__dataclass_fields__)  # type: ignore[attr-defined]
