"""Measures every goal there is, or those of one subject: `python -m tests.bench [NAME [CASE]]`.

Prints one JSON object a line for each goal, and to standard error which goals are not met. Exit status 1 when a goal is missed,
when answers differ, or when a goal of what is built could not be measured; 2 when there is no such goal.
"""

from __future__ import annotations

import json
import sys

from tests.bench.goals import GOALS, Verdict, chosen, line, read_goals, summary


def main(*names: str) -> int:
    if not GOALS.is_file():
        print(f"{GOALS}: expected the list of goals, which is not there", file=sys.stderr)
        return 2
    try:
        goals = chosen(read_goals(), *names)
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    lines = []
    for goal in goals:
        lines.append(line(goal))
        print(json.dumps(lines[-1]), flush=True)
    print(*summary(lines), sep="\n", file=sys.stderr)
    return int(any(Verdict(item["verdict"]).fails for item in lines))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
