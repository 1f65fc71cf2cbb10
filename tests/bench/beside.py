"""This checkout beside another one, call by call: `python -m tests.bench.beside CHECKOUT NAME [CASE]`.

For each case of a subject both checkouts make their own data, then take turns; the peer is not called. One JSON object a line
gives the least seconds of each and their ratio: above 1 this checkout is faster. A case that the other one does not have is left
out, with the reason. Exit status 2 for an unknown subject, else 0: what is noise is for people to say.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.bench.goals import Goal, chosen, read_goals

ROOT: Final = Path(__file__).parents[2]
TURNS: Final = 7
SECONDS: Final = 60.0
"""A case that takes longer gets fewer turns, but two."""


class Refused(Exception):
    """A checkout does not measure a case; the message says why."""


class Side:
    """The process of one checkout, which makes a case's data and waits."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self) -> float:
        """The seconds of one more call; of the first answer those of making the data."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise Refused(f"its process ended with {self._process.wait()}")
        content = json.loads(answer)
        if "refused" in content:
            raise Refused(content["refused"])
        return float(content["seconds"])


@contextmanager
def opened(checkout: Path, goal: Goal) -> Iterator[Side]:
    """The side of a checkout: its sources come before those that are installed."""
    paths = os.pathsep.join(map(str, (checkout, checkout / "engines")))
    script = Path(__file__).with_name("beside_side.py")
    command = [sys.executable, "-P", str(script), goal.bench, goal.case, goal.peer]
    with subprocess.Popen(
        command, cwd=checkout, env={**os.environ, "PYTHONPATH": paths}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:  # fmt: skip
        try:
            yield Side(process)
        finally:
            process.kill()


def measured(here: Path, there: Path, goal: Goal) -> dict[str, object]:
    """The line of one case."""
    named = {"bench": goal.bench, "case": goal.case}
    with ExitStack() as stack:
        sides = [stack.enter_context(opened(checkout, goal)) for checkout in (here, there)]
        try:
            for side in sides:
                side.ask()
            warm = [side.ask() for side in sides]
            turns = min(TURNS, max(2, int(SECONDS / max(sum(warm), 1e-9))))
            seconds = [[side.ask() for side in sides] for _ in range(turns)]
        except Refused as reason:
            return {**named, "left_out": str(reason)}
    least = [min(times) for times in zip(*seconds, strict=True)]
    return {**named, "turns": turns, "here_s": least[0], "there_s": least[1], "ratio": round(least[1] / least[0], 2)}


def main(checkout: str, *names: str) -> int:
    try:
        goals = chosen(read_goals(), *names)
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    cases = {(goal.bench, goal.case): goal for goal in goals}
    for goal in cases.values():
        print(json.dumps(measured(ROOT, Path(checkout).resolve(), goal)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
