"""Goals as data, the modules that measure them, and what one measurement says of its goal.

A goal is an object of `goals.json`: `bench`, `case`, `peer`, and `at_least`, how many times faster ours has to be. The case is
measured by the module `tests.bench.BENCH_CASE` where there is one, else by `tests.bench.BENCH`; either has
`pair(case, peer) -> Pair`. `WITHOUT_GOAL` of a module lists further cases, (case, peer) each, that are shown beside the goals.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.bench.timing import Elsewhere, Missing, Pair, Unbuilt, measured

GOALS = Path(os.environ.get("HUDI_CONFORMANCE") or Path(__file__).parents[3] / "shared") / "goals.json"


class Verdict(StrEnum):
    """What became of a goal."""

    MET = "met"
    MISSED = "missed"
    WRONG = "wrong"
    """The answers differ, so that there is nothing to compare times of."""
    NOT_MEASURED = "not measured"
    """The machine lacks what it takes."""
    MISSING = "missing"
    """The capability is yet to be built."""
    SHOWN = "shown"
    """A case without a goal."""

    @property
    def fails(self) -> bool:
        return self in (Verdict.MISSED, Verdict.WRONG, Verdict.NOT_MEASURED)


@dataclass(frozen=True, slots=True)
class Goal:
    """`at_least` is None for a case that is shown without a goal."""

    bench: str
    case: str
    peer: str
    at_least: float | None = None

    @property
    def name(self) -> str:
        return f"{self.bench}/{self.case} against {self.peer}"


def read_goals(file: Path = GOALS) -> list[Goal]:
    """The goals of a file, each followed by the cases without a goal of its subject when it is the last one of that."""
    goals = [Goal(**{key: goal[key] for key in ("bench", "case", "peer", "at_least")}) for goal in _objects(file)]
    shown = [
        Goal(bench, case, peer)
        for bench in dict.fromkeys(goal.bench for goal in goals)
        for case, peer in _without_goal(bench)
    ]
    order = list(dict.fromkeys(goal.bench for goal in goals))
    return sorted([*goals, *shown], key=lambda goal: order.index(goal.bench))


def _objects(file: Path) -> Sequence[Mapping[str, Any]]:
    objects: Sequence[Mapping[str, Any]] = json.loads(file.read_text("utf-8"))
    return objects


def _without_goal(bench: str) -> Sequence[tuple[str, str]]:
    name = f"tests.bench.{bench}"
    if importlib.util.find_spec(name) is None:
        return ()
    cases: Sequence[tuple[str, str]] = getattr(importlib.import_module(name), "WITHOUT_GOAL", ())
    return cases


def chosen(goals: Sequence[Goal], bench: str = "", case: str = "") -> list[Goal]:
    """The goals of one subject whose case begins so. Raises `LookupError`, with the names there are, for none."""
    of_bench = [goal for goal in goals if goal.bench == (bench or goal.bench)]
    found = [goal for goal in of_bench if goal.case.startswith(case)]
    if not found:
        known = dict.fromkeys(goal.case for goal in of_bench) or dict.fromkeys(goal.bench for goal in goals)
        raise LookupError(f"{bench} {case}".strip() + f": expected one of {', '.join(known)}")
    return found


def pair_of(goal: Goal) -> Pair:
    """The measurement of a goal. Raises `Unbuilt` where no module measures it, and `Missing` for what the machine lacks."""
    names = (f"tests.bench.{goal.bench}_{goal.case}", f"tests.bench.{goal.bench}")
    name = next((name for name in names if importlib.util.find_spec(name) is not None), None)
    if name is None:
        raise Unbuilt("no measurement of this subject")
    try:
        module: ModuleType = importlib.import_module(name)
        pair: Pair = module.pair(goal.case, goal.peer)
    except ModuleNotFoundError as error:
        raise Missing(f"{error.name} is not installed") from None
    return pair


def line(goal: Goal) -> dict[str, Any]:
    """What one measurement says: the verdict, and the seconds of both sides, or the reason why there are none."""
    named = {"bench": goal.bench, "case": goal.case, "peer": goal.peer, "at_least": goal.at_least}
    try:
        pair = pair_of(goal)
        ours, peer = measured(pair)
        cold = {side: _cold_seconds(goal, side) for side in ("ours", "peer") if side == "ours" or _is_here(pair)}
    except Unbuilt as reason:
        return {**named, "verdict": Verdict.MISSING, "reason": str(reason)}
    except Missing as reason:
        return {**named, "verdict": Verdict.NOT_MEASURED, "reason": str(reason)}
    except AssertionError as error:
        return {**named, "verdict": Verdict.WRONG, "reason": str(error) or "the answers differ"}
    ratio = peer.median / ours.median
    return {
        **named,
        "verdict": verdict(goal.at_least, ratio),
        "ratio": round(ratio, 2),
        "ours_s": ours.median,
        "peer_s": peer.median,
        "best_ratio": round(peer.best / ours.best, 2),
        "ours_best_s": ours.best,
        "peer_best_s": peer.best,
        "emptied_caches_ratio": round(peer.emptied / ours.emptied, 2),
        "ours_emptied_caches_s": ours.emptied,
        "peer_emptied_caches_s": peer.emptied,
        **{f"{side}_terms": text for side, text in pair.terms.items()},
        **{f"{side}_cold_s": seconds * (1 if side == "ours" else 1 / pair.part) for side, seconds in cold.items()},
    }


def verdict(at_least: float | None, ratio: float) -> Verdict:
    """What a ratio of medians says of a goal."""
    if at_least is None:
        return Verdict.SHOWN
    return Verdict.MET if ratio >= at_least else Verdict.MISSED


def _is_here(pair: Pair) -> bool:
    return not isinstance(pair.peer, Elsewhere)


def _cold_seconds(goal: Goal, side: str) -> float:
    """The first call of a new process, which has made or found its input and read nothing of it."""
    run = [sys.executable, "-m", "tests.bench.cold", side, goal.bench, goal.case, goal.peer]
    ended = subprocess.run(run, capture_output=True, text=True, check=False)
    if ended.returncode:
        last = ended.stderr.strip().splitlines()[-1:] or [f"status {ended.returncode}"]
        raise Missing(f"the first call of {side} in a new process failed: {last[0]}")
    return float(ended.stdout.splitlines()[-1])


def summary(lines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """For people: how many goals have which verdict, and the name of each that is not met."""
    for kind in Verdict:
        of_kind = [item for item in lines if item["verdict"] == kind]
        if of_kind:
            yield f"{kind}: {len(of_kind)}"
        if kind in (Verdict.MET, Verdict.SHOWN):
            continue
        for item in of_kind:
            name = f"{item['bench']}/{item['case']} against {item['peer']}"
            reason = item.get("reason") or f"{item['ratio']} times as fast, expected {item['at_least']}"
            yield f"  {name}: {reason}"
