"""Work on parts gives its results in order, in bounded memory, whatever the processors."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from functools import partial

import pytest

from hudi_core.parallel import ordered
from hudi_core.parallel.ordered import MOST_WAITING, CallsAside, SameThread, in_order, work_alone


@pytest.mark.parametrize("processors", [1, 2, 3])
@pytest.mark.parametrize("parts", [0, 1, 2, 40])
def test_results_come_in_order(monkeypatch: pytest.MonkeyPatch, processors: int, parts: int) -> None:
    monkeypatch.setattr(ordered, "PROCESSORS", processors)
    assert list(in_order(lambda part: part * part, range(parts))) == [part * part for part in range(parts)]


class Part:
    """Something that a weak reference can follow."""


@pytest.mark.parametrize("processors", [1, 2])
def test_parts_are_not_kept_once_their_results_are_taken(monkeypatch: pytest.MonkeyPatch, processors: int) -> None:
    monkeypatch.setattr(ordered, "PROCESSORS", processors)
    references: list[weakref.ref[Part]] = []

    def parts() -> Iterator[Part]:
        for _ in range(40):
            part = Part()
            references.append(weakref.ref(part))
            yield part
            del part

    results = in_order(lambda _: None, parts())
    for _ in range(30):
        next(results)
    assert not any(reference() for reference in references[:20])


def test_no_more_is_made_than_a_few_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered, "PROCESSORS", 2)
    made: list[int] = []
    results = in_order(made.append, range(100))
    next(results)
    results.close()
    assert len(made) <= 3


def test_the_first_failure_is_raised_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered, "PROCESSORS", 2)
    results = in_order(lambda part: 1 // (part - 3), range(9))
    assert [next(results) for _ in range(3)] == [-1, -1, -1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_parts_are_worked_on_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered, "PROCESSORS", 2)
    both = threading.Barrier(2, timeout=30)
    assert len(list(in_order(lambda _: both.wait(), range(2)))) == 2


def test_work_that_waits_for_storage_has_the_workers_of_its_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered, "PROCESSORS", 1)
    all_four = threading.Barrier(4, timeout=30)
    assert sorted(in_order(lambda _: all_four.wait(), range(4), 4)) == [0, 1, 2, 3]


def name_of_thread(_: object) -> str:
    return threading.current_thread().name


def test_a_thread_among_others_works_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered, "PROCESSORS", 2)
    workers: set[str] = set()

    def one_of_several() -> None:
        work_alone()
        workers.update(in_order(name_of_thread, range(5)))

    caller = threading.Thread(name="one of several", target=one_of_several)
    caller.start()
    caller.join()
    assert workers == {"one of several"}


def test_a_worker_works_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered, "PROCESSORS", 2)

    def workers_inside(part: int) -> tuple[str, set[str]]:
        return name_of_thread(part), set(in_order(name_of_thread, range(5)))

    for worker, inside in in_order(workers_inside, range(4)):
        assert inside == {worker}


def test_a_thread_of_another_program_shares_its_work_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered, "PROCESSORS", 2)
    both = threading.Barrier(2, timeout=30)
    waited: list[int] = []
    caller = threading.Thread(target=lambda: waited.extend(in_order(lambda _: both.wait(), range(2))))
    caller.start()
    caller.join()
    assert sorted(waited) == [0, 1]


def test_work_in_the_same_thread_is_done_when_it_is_submitted() -> None:
    def fail() -> None:
        raise ValueError("broken")

    with SameThread() as here:
        assert here.submit(threading.get_ident).result() == threading.get_ident()
        with pytest.raises(ValueError, match="broken"):
            here.submit(fail)


@pytest.mark.parametrize(("few", "processors", "aside"), [(False, 2, True), (True, 2, False), (False, 1, False)])
def test_calls_are_made_in_order_aside_where_that_gains_time(
    monkeypatch: pytest.MonkeyPatch, few: bool, processors: int, aside: bool
) -> None:
    monkeypatch.setattr(ordered, "PROCESSORS", processors)
    calls, made, names = CallsAside("aside", few=few), list[int](), set[str]()

    def call(number: int) -> None:
        made.append(number)
        names.add(threading.current_thread().name)

    for number in range(3 * MOST_WAITING):
        calls.submit(partial(call, number))
    calls.finish()
    assert made == list(range(3 * MOST_WAITING))
    assert names == ({"aside_0"} if aside else {threading.current_thread().name})


def test_so_many_calls_wait_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for more waits until the first is made, and hears of one that failed."""
    monkeypatch.setattr(ordered, "PROCESSORS", 2)
    calls, go_on = CallsAside("aside", few=False), threading.Event()
    calls.submit(lambda: assert_true(go_on.wait(30)))
    for _ in range(MOST_WAITING - 1):
        calls.submit(lambda: None)
    full = threading.Thread(target=lambda: calls.submit(fail))
    full.start()
    full.join(0.2)
    assert full.is_alive()
    go_on.set()
    full.join(30)
    assert not full.is_alive()
    with pytest.raises(ZeroDivisionError):
        calls.finish()


def assert_true(value: bool) -> None:
    assert value


def fail() -> None:
    raise ZeroDivisionError
