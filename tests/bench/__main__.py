"""Measures every goal there is, or those of one subject: `python -m tests.bench [NAME [CASE]]`."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.bench.timing import Missing, Pair, measured

GOALS = Path(os.environ.get("HUDI_CONFORMANCE") or Path(__file__).parents[3] / "shared") / "goals.json"


def lines(only: str = "", case: str = "") -> Iterator[dict[str, Any]]:
    """One object for each goal, in the order of the list; those whose case begins so. Ends the process where there is none."""
    goals = json.loads(GOALS.read_text("utf-8"))
    asked = [goal for goal in goals if goal["bench"] == (only or goal["bench"])]
    chosen = [goal for goal in asked if goal["case"].startswith(case)]
    if not chosen:
        known = dict.fromkeys(goal["case"] for goal in asked) or dict.fromkeys(goal["bench"] for goal in goals)
        sys.exit(f"{only} {case}: expected one of {', '.join(known)}")
    for goal in chosen:
        named = {"bench": goal["bench"], "case": goal["case"], "peer": goal["peer"]}
        try:
            ours, peer = measured(_pair(**named))
        except Missing as reason:
            yield {**named, "missing": str(reason)}
            continue
        yield {
            **named,
            "ours_s": ours.median,
            "peer_s": peer.median,
            "ratio": round(peer.median / ours.median, 2),
            "at_least": goal["at_least"],
            "best_ratio": round(peer.best / ours.best, 2),
            "cold_ratio": round(peer.cold / ours.cold, 2),
            "ours_best_s": ours.best,
            "peer_best_s": peer.best,
            "ours_cold_s": ours.cold,
            "peer_cold_s": peer.cold,
        }


def _pair(bench: str, case: str, peer: str) -> Pair:
    try:
        module: ModuleType = importlib.import_module(f"tests.bench.{bench}")
    except ModuleNotFoundError as error:
        if error.name != f"tests.bench.{bench}":
            raise Missing(f"{error.name} is not installed") from None
        raise Missing("no measurement of this subject yet") from None
    found: Pair = module.pair(case, peer)
    return found


def main() -> None:
    if not GOALS.is_file():
        sys.exit(f"{GOALS}: expected the list of goals, found nothing")
    for line in lines(*sys.argv[1:3]):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
