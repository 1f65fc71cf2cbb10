"""How much one run of a service does. UPKEEP-863, UPKEEP-864."""

from __future__ import annotations

import pytest

from hudi_core.errors import UsageError
from hudi_core.services.bounds import NO_BOUNDS, PutOff, Work, WorkBounds, work_within

PIECES = [Work("a", 5, 10), Work("b", 4, 40), Work("c", 7, 20), Work("d", 1, 5)]


@pytest.mark.parametrize(
    ("bounds", "done", "put_off"),
    [
        (NO_BOUNDS, "abcd", PutOff()),
        (WorkBounds(bytes=17), "abcd", PutOff()),
        (WorkBounds(bytes=9), "ab", PutOff(2, 8)),
        (WorkBounds(bytes=1), "a", PutOff(3, 12)),
        (WorkBounds(memory=20), "acd", PutOff(1, 4, 40)),
        (WorkBounds(bytes=12, memory=20), "ac", PutOff(2, 5, 40)),
        (WorkBounds(memory=1), "", PutOff(4, 17, 40)),
    ],
)
def test_the_first_pieces_are_done_in_their_order(bounds: WorkBounds, done: str, put_off: PutOff) -> None:
    assert work_within(bounds, PIECES) == (list(done), put_off)


def test_every_piece_is_done_at_last() -> None:
    left, rounds = list(PIECES), 0
    while left:
        done, _ = work_within(WorkBounds(bytes=1), left)
        left = [work for work in left if work.piece not in done]
        rounds += 1
    assert rounds == len(PIECES)


def test_bounds_are_above_0() -> None:
    with pytest.raises(UsageError, match="memory: expected a number above 0, found 0"):
        WorkBounds(memory=0)
