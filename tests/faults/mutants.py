"""`python -m tests.faults.mutants [--each N] [--seed N] [PACKAGE ...]`: a sample of cosmic-ray's mutants of packages of the core.

Each is planted by itself, as known faults are, and run against the test of its module, then against those of its package and the
laws about it. Each is printed with the line that it changes and what became of it. The exit status is 0 where `LEAST` or more of
those with an answer were caught. Mutants that change annotations alone, or whether `zip` is strict or a class is frozen or has
slots, or do not compile, are none.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.faults.faults import ROOT
from tests.faults.planting import Field, Outcome, Verdict
from tests.shape.test_mirror import COVERED

LAWS = {
    "metadata": ("tests/core/planning/sources",),
    "timeline": ("tests/laws/test_latest_slices.py",),
    "keys": ("tests/laws/test_keys.py", "tests/engines/plain/test_contract.py::TestKeys"),
    "index": ("tests/laws/test_tagging.py",),
    "merge": ("tests/laws/test_merging.py",),
}
"""The packages, and tests outside their mirror that stand for their rules."""

LEAST = 0.8
_LONGEST = 120
"""Seconds after which tests of a mutant are taken to hang."""
_NOT_ASKED = (
    "Variable",
    "Decorator",
    "ExceptionReplacer",
    "_Pow",
    "_RShift",
    "_LShift",
    "_BitXor",
    "BitAnd_Mul",
    "BitOr_Add",
)
"""Operators whose mutants seldom mean anything, or mean the same: of masks `*` is `&`, and `+` is `|`."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A source with one change. `tests` are those that have to fail, the nearest first."""

    file: str
    operator: str
    source: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        before = (ROOT / self.file).read_text("utf-8").splitlines()
        changed = list(difflib.unified_diff(before, self.source.splitlines(), n=0, lineterm=""))[2:]
        return "\n    ".join([f"{self.file} ({self.operator})", *changed])


def main(arguments: list[str]) -> int:
    """Runs the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.mutants")
    parser.add_argument("packages", nargs="*", default=[], help=f"of {', '.join(LAWS)}; all without one")
    parser.add_argument("--each", type=int, default=20, help="mutants of each package")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    tried: Counter[Outcome] = Counter()
    with tempfile.TemporaryDirectory(prefix="hudi-mutants-", ignore_cleanup_errors=True) as folder:
        field = Field(Path(folder) / "0", longest=_LONGEST)
        for package in given.packages or LAWS:
            for mutant in sample(package, given.each, random.Random(given.seed)):
                verdict = _tried(field, mutant)
                tried[verdict.outcome] += 1
                print(f"{verdict.outcome.value:10}", mutant, flush=True)
    caught, survived = tried[Outcome.CAUGHT], tried[Outcome.SURVIVED]
    print(f"{caught} caught, {survived} survived, {tried[Outcome.BROKEN]} did not load or did not end")
    return int(caught < LEAST * (caught + survived) or not caught)


def sample(package: str, count: int, r: random.Random) -> list[Mutant]:
    """Some of the mutants of a package, drawn by the number of places: a module with more of them has more."""
    places = [place for path in sorted((ROOT / "hudi_core" / package).glob("*.py")) for place in _places(path)]
    r.shuffle(places)
    mutants: list[Mutant] = []
    for path, operator, occurrence in places:
        if len(mutants) == count:
            break
        source = path.read_text("utf-8")
        mutated = mutate_code(source, get_operator(operator)(), occurrence)
        if mutated is not None and _differs(source, mutated):
            file = path.relative_to(ROOT).as_posix()
            mutants.append(Mutant(file, operator.partition("/")[2], mutated, _tests(path, package)))
    return mutants


def _places(path: Path) -> Iterator[tuple[Path, str, int]]:
    """Where operators apply: the name of each, and which of its places in the file."""
    nodes = list(ast_nodes(get_ast(path.read_text("utf-8"))))
    for name in operator_names():
        if any(part in name for part in _NOT_ASKED):
            continue
        operator = get_operator(name)()
        count = sum(1 for node in nodes for _ in operator.mutation_positions(node))
        yield from ((path, name, occurrence) for occurrence in range(count))


def _differs(source: str, mutated: str) -> bool:
    """The mutant compiles, and differs in more than what answers do not depend on."""
    try:
        return _meaning(mutated) != _meaning(source)
    except SyntaxError:
        return False


def _meaning(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef():
                node.returns = None
            case ast.arg():
                node.annotation = None
            case ast.AnnAssign():
                node.annotation = ast.Constant(None)
            case ast.keyword(arg="strict" | "frozen" | "slots"):
                node.value = ast.Constant(None)
    return ast.dump(tree)


def _tests(path: Path, package: str) -> tuple[str, ...]:
    module = f"{package}/{path.name}"
    own = ROOT / "tests" / "core" / package / f"test_{path.name}"
    nearest = [own] if own.exists() else [test for test, modules in COVERED.items() if module in modules]
    return tuple(
        dict.fromkeys(
            (*(test.relative_to(ROOT).as_posix() for test in nearest), f"tests/core/{package}", *LAWS[package])
        )
    )


def _tried(field: Field, mutant: Mutant) -> Verdict:
    """Runs the nearest tests alone, and the others only where these do not fail."""
    verdict = field.ran_with(mutant.file, mutant.source, mutant.tests[:1])
    if verdict.outcome is Outcome.SURVIVED:
        verdict = field.ran_with(mutant.file, mutant.source, mutant.tests[1:])
    return verdict


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
