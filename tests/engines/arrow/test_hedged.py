"""Reads that are asked a second time where the first answer is late. Rule STORE-9."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from hudi_arrow.stores.hedged import Hedge

LONG = 60.0


class Store:
    """Answers the requests in their order: after some seconds, by an answer or an error."""

    def __init__(self, *answers: tuple[float, object]) -> None:
        self.answers, self.requested, self.dropped = answers, 0, 0

    def __call__(self) -> Awaitable[object]:
        return self._answer()

    async def _answer(self) -> object:
        self.requested += 1
        seconds, answer = self.answers[self.requested - 1]
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self.dropped += 1
            raise
        if isinstance(answer, Exception):
            raise answer
        return answer


def hedge() -> Hedge:
    return Hedge(first_patience=0.05, least_patience=0.05)


def test_an_answer_in_time_is_requested_once() -> None:
    store = Store((0.0, "first"))
    assert (Hedge().answer(store), store.requested) == ("first", 1)


def test_a_late_request_is_repeated_and_dropped() -> None:
    store = Store((LONG, "late"), (0.0, "second"))
    assert hedge().answer(store) == "second"
    assert (store.requested, store.dropped) == (2, 1)


@pytest.mark.parametrize(
    "answers",
    [[(0.3, "good"), (0.0, ValueError("bad"))], [(0.1, ValueError("bad")), (0.3, "good")]],
    ids=["second fails", "first fails"],
)
def test_one_good_answer_suffices(answers: Sequence[tuple[float, object]]) -> None:
    assert hedge().answer(Store(*answers)) == "good"


def test_two_errors_are_one() -> None:
    with pytest.raises(ValueError, match="bad"):
        hedge().answer(Store((0.1, ValueError("bad")), (0.3, ValueError("bad"))))


def test_an_error_in_time_is_not_repeated() -> None:
    store = Store((0.0, ValueError("bad")))
    with pytest.raises(ValueError, match="bad"):
        hedge().answer(store)
    assert store.requested == 1


def test_a_store_that_is_slow_as_a_whole_gets_no_second_load() -> None:
    reads = hedge()
    stores = [Store((0.1, n), (0.1, n)) for n in range(12)]
    answers: list[Callable[[], object]] = [lambda store=store: reads.answer(store) for store in stores]  # type: ignore[misc]
    assert [answer() for answer in answers] == list(range(12))
    assert sum(store.requested for store in stores) == 13


def test_lateness_is_learnt_from_recent_answers() -> None:
    reads = Hedge(first_patience=LONG, least_patience=0.01)
    for n in range(8):
        assert reads.answer(Store((0.01, n))) == n
    store = Store((LONG, "late"), (0.0, "second"))
    assert (reads.answer(store), store.requested) == ("second", 2)


def test_no_read_is_repeated_where_hedging_is_off() -> None:
    store = Store((0.2, "late"))
    assert (Hedge(False, first_patience=0.05).answer(store), store.requested) == ("late", 1)
