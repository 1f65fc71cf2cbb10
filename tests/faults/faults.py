"""The list of faults, read from `lists/*.toml` and checked: a fragment stands in its source exactly once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LISTS = Path(__file__).parent / "lists"

SOURCES = ("hudi_core", "engines")
"""The folders that faults are planted in."""

SUITES = "tests/contract"
"""The folder of the suites that tests of engines claim."""

_FIELDS = {"name": str, "file": str, "right": str, "wrong": str, "tests": list}


@dataclass(frozen=True, slots=True)
class Fault:
    """A wrong rule: in `file`, `right` is replaced by `wrong`, and one of `tests` (node ids of pytest) has to fail."""

    subject: str
    name: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.subject}: {self.name}"

    def planted(self, source: str) -> str:
        """The source with the fault."""
        return source.replace(self.right, self.wrong)


def all_faults() -> list[Fault]:
    """The faults of all lists, by subject and in their order. Raises `ValueError` for an entry that is not whole."""
    return [
        _fault(path.stem, entry)
        for path in sorted(LISTS.glob("*.toml"))
        for entry in tomllib.loads(path.read_text("utf-8"))["fault"]
    ]


def stale(faults: list[Fault], root: Path = ROOT) -> list[str]:
    """What of the list does not fit the sources (any more), a line for each: a fragment that does not stand in its file
    exactly once or lies outside the sources, tests that are not there, names given twice."""
    answer = []
    names = [str(fault) for fault in faults]
    for fault in faults:
        problem = _problem(fault, root)
        if names.count(str(fault)) > 1:
            problem = "its name is given twice"
        if problem:
            answer.append(f"{fault} ({fault.file}): {problem}")
    return answer


def _problem(fault: Fault, root: Path) -> str | None:
    path = root / fault.file
    if Path(fault.file).parts[0] not in SOURCES or not path.is_file():
        return "there is no such source"
    count = path.read_text("utf-8").count(fault.right)
    if count != 1:
        return f"{fault.right!r} stands there {count} times"
    if fault.right == fault.wrong:
        return "nothing is wrong with it"
    missing = [test for test in fault.tests if not _is_there(test, root)]
    return f"there is no {missing[0]}" if missing else None


def _is_there(test: str, root: Path) -> bool:
    """The file or folder is there, and classes and tests that are named are defined in it, or in a suite that it may claim."""
    file, *names = test.split("::")
    if not (root / file).exists():
        return False
    texts = [path.read_text("utf-8") for path in (root / file, *sorted((root / SUITES).glob("*.py"))) if path.is_file()]
    return all(any(_defines(text, name.partition("[")[0]) for text in texts) for name in names)


def _defines(text: str, name: str) -> bool:
    return f"def {name}(" in text or f"class {name}(" in text or f"class {name}:" in text


def _fault(subject: str, entry: dict[str, Any]) -> Fault:
    if entry.keys() != _FIELDS.keys() or not all(isinstance(entry[name], of) for name, of in _FIELDS.items()):
        raise ValueError(f"{subject}: expected the fields {', '.join(_FIELDS)}, found {entry}")
    if not entry["tests"]:
        raise ValueError(f"{subject}: expected tests that catch it, found none for {entry['name']}")
    return Fault(subject, entry["name"], entry["file"], entry["right"], entry["wrong"], tuple(entry["tests"]))
