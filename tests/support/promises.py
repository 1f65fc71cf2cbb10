"""All questions about the history of a table, and what a clean or an archive promises about the answers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from hudi_core.errors import NoSuchFileError, UsageError
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import open_table
from hudi_core.timeline.instants import time_order

Question = tuple[str, str]
"""What the question is about, and of which time."""
Answer = list[str]

REFUSED: Answer = ["refused"]


def answers(path: Path, mode: MetadataMode = MetadataMode.AUTO, *, dying: bool = False) -> dict[Question, Answer]:
    """The rows of the table as of each time of a write and since it, the changes from it to the next time, all changes, and the
    latest rows. With `dying` a clean is half done: then a file that is not there is as good as a refusal.

    The changes since each time would read those of a late write again for every time before it.
    """
    refusals = (UsageError, NoSuchFileError) if dying else (UsageError,)

    def answer(question: Callable[[], Any]) -> Answer:
        try:
            return sorted(map(str, question()))
        except refusals:
            return REFUSED

    table = open_table(path, metadata=mode)
    history = table.timeline.with_archived()
    times = {time for one in history.commits for time in (one.requested_time, one.completion_time) if time is not None}
    found: dict[Question, Answer] = {("latest", ""): answer(lambda: table.scan().to_json_rows())}
    found["base files", ""] = answer(lambda: table.scan(read_optimized=True).to_json_rows())
    ordered = sorted(times, key=time_order)
    for time, until in pairwise([*ordered, None]):
        found["as of", time] = answer(lambda time=time: table.scan(as_of=time).to_json_rows())
        found["since", time] = answer(lambda time=time: table.scan(since=time).to_json_rows())
        found["changes", time] = answer(lambda time=time, until=until: table.changes(time, until).to_json_rows())
    for time in ordered[:1]:
        found["all changes", time] = answer(lambda time=time: table.changes(since=time).to_json_rows())
    return found


def broken(before: dict[Question, Answer], after: dict[Question, Answer], retained: str | None) -> list[Question]:
    """The questions whose answers are not as promised: since `retained` they are the same, earlier ones are the same or refused.
    With None the latest rows alone are promised."""
    return [
        question
        for question, answer in before.items()
        if after.get(question, REFUSED) != answer
        and (_is_promised(question, retained) or after.get(question) != REFUSED)
    ]


def _is_promised(question: Question, retained: str | None) -> bool:
    kind, time = question
    if kind in ("latest", "base files", "since"):
        return True
    return retained is not None and time_order(time) >= time_order(retained)
