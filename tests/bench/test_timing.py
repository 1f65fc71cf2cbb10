"""What is said of a pair: medians of both, with a part of the work counted up to all of it."""

from __future__ import annotations

from time import sleep

from tests.bench.timing import Pair, measured

SHORT = 0.004


def _nap() -> None:
    sleep(SHORT)


def test_a_peer_that_is_given_a_tenth_of_the_work_is_counted_ten_times() -> None:
    _, all_of_it = measured(Pair(_nap, _nap, lambda _ours, _theirs: None, seconds=0.0))
    _, tenth = measured(Pair(_nap, _nap, lambda _ours, _theirs: None, seconds=0.0, part=1 / 10))
    assert tenth.best >= 10 * SHORT
    assert all_of_it.best < tenth.best


def test_a_peer_that_ran_elsewhere_tells_its_seconds() -> None:
    _, told = measured(Pair(_nap, [3.0, 1.0, 2.0], lambda _ours, _theirs: None, seconds=0.0))
    assert (told.best, told.median, told.cold) == (1.0, 2.0, 2.0)
