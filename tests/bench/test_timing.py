"""What is said of a pair: medians of both, with a part of the work counted up to all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep

import pytest

from tests.bench.timing import Elsewhere, Fresh, Pair, measured

SHORT = 0.004


def _nap() -> None:
    sleep(SHORT)


def test_a_peer_that_is_given_a_tenth_of_the_work_is_counted_ten_times() -> None:
    _, all_of_it = measured(Pair(_nap, _nap, lambda _ours, _theirs: None, seconds=0.0))
    _, tenth = measured(Pair(_nap, _nap, lambda _ours, _theirs: None, seconds=0.0, part=1 / 10))
    assert tenth.best >= 10 * SHORT
    assert all_of_it.best < tenth.best


def test_a_peer_that_ran_elsewhere_reports_its_seconds_and_its_answer() -> None:
    compared = []
    peer = Elsewhere(lambda: ([3.0, 1.0, 2.0], "its answer"))
    _, reported = measured(Pair(_nap, peer, lambda ours, theirs: compared.append((ours, theirs)), seconds=0.0))
    assert (reported.best, reported.median, reported.emptied) == (1.0, 2.0, 2.0)
    assert compared == [(None, "its answer")]


def test_processor_time_leaves_out_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUDI_BENCH_CLOCK", "processor")
    ours, _ = measured(Pair(_nap, lambda: sum(range(200_000)), lambda _ours, _theirs: None, seconds=0.0))
    assert ours.best < SHORT


def test_what_waits_is_timed_by_the_clock_on_the_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUDI_BENCH_CLOCK", "processor")
    ours, peer = measured(Pair(_nap, _nap, lambda _ours, _theirs: None, seconds=0.0, waits=True))
    assert ours.best >= SHORT and peer.best >= SHORT


def test_answers_that_differ_are_an_error_before_anything_is_timed() -> None:
    calls = []

    def check(ours: object, theirs: object) -> None:
        assert ours == theirs

    with pytest.raises(AssertionError):
        measured(Pair(lambda: calls.append(1) or 1, lambda: 2, check, seconds=60.0))
    assert len(calls) == 2


def test_making_what_a_call_works_on_is_not_timed() -> None:
    @contextmanager
    def made() -> Iterator[Callable[[], object]]:
        sleep(10 * SHORT)
        yield _nap

    ours, _ = measured(Pair(Fresh(made), _nap, lambda _ours, _theirs: None, seconds=0.0))
    assert SHORT <= ours.best < 10 * SHORT


def test_each_side_is_called_as_often_in_a_row() -> None:
    calls: list[str] = []
    measured(Pair(lambda: calls.append("ours"), lambda: calls.append("peer"), lambda _ours, _theirs: None, seconds=0.0))
    runs = "".join(call[0] for call in calls)
    assert "pppppooooo" in runs
