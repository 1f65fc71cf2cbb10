"""The first call of one side in a process of its own: `python -m tests.bench.cold ours|peer BENCH CASE PEER` prints seconds.

The input is made first, or lies in storage, and the modules are imported; what the side reads and prepares is part of its call.
"""

from __future__ import annotations

import sys

from tests.bench.goals import Goal, pair_of
from tests.bench.timing import Elsewhere, first_call


def main(side: str, bench: str, case: str, peer: str) -> None:
    pair = pair_of(Goal(bench, case, peer))
    call = pair.ours if side == "ours" else pair.peer
    assert not isinstance(call, Elsewhere)
    print(first_call(call))


if __name__ == "__main__":
    main(*sys.argv[1:])
