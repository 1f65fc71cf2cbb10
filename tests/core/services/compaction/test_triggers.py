"""Whether a compaction is due."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hudi_core.creating.create import create_table
from hudi_core.services.compaction.options import CompactionOptions, Trigger
from hudi_core.services.compaction.triggers import is_due
from hudi_core.table.open import open_table
from hudi_core.table.table import Table
from hudi_core.timeline.commits import CommitMetadata
from hudi_core.timeline.instants import Instant, InstantState
from hudi_core.timeline.timeline import InstantContents
from tests.support.written_tables import TYPES


def instant(at: int, action: str, completed_at: int | None = None, state: int = 2) -> Instant:
    completed = None if state < InstantState.COMPLETED else time(completed_at or at + 1)
    return Instant(time(at), action, InstantState(state), completed, f"{at}.{action}")


def time(minute: int) -> str:
    return f"202403011{minute // 60}{minute % 60:02}00000"


def clock(minute: int) -> Callable[[], datetime]:
    return lambda: datetime(2024, 3, 1, 10 + minute // 60, minute % 60, tzinfo=UTC)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    path = tmp_path_factory.mktemp("due") / "t"
    create_table(path, TYPES, "id", type="mor")
    return open_table(path)


def with_instants(table: Table, *given: tuple[Instant, str]) -> Table:
    contents = InstantContents()
    for one, operation in given:
        contents.metadata_like(one)[one] = CommitMetadata(operationType=operation)
    timeline = replace(table.timeline, instants=tuple(one for one, _ in given), _contents=contents)
    return Table(table.engine, table.storage, table.config, timeline)


FIVE = [(instant(at, "deltacommit"), "UPSERT") for at in (0, 2, 4, 6, 8)]
COMPACTED = (instant(5, "commit", 9), "COMPACT")
BULK = (instant(7, "commit"), "BULK_INSERT")
SCHEDULED = (instant(5, "compaction", state=0), "")
PENDING = (instant(10, "deltacommit", state=1), "")
LOG_COMPACTED = (instant(5, "deltacommit", 6), "LOG_COMPACT")
LOG_SCHEDULED = (instant(9, "logcompaction", state=0), "")

NUM, AFTER, LATE = Trigger.NUM_COMMITS, Trigger.NUM_COMMITS_AFTER_LAST_REQUEST, Trigger.TIME_ELAPSED


@pytest.mark.parametrize(
    ("given", "trigger", "limit", "at", "due"),
    [
        ([], NUM, 0, 0, False),
        (FIVE, NUM, 5, 0, True),
        (FIVE, NUM, 6, 0, False),
        ([*FIVE[:3], COMPACTED, *FIVE[3:]], NUM, 3, 0, False),  # those that completed since it was requested
        ([*FIVE[:3], COMPACTED, *FIVE[3:]], NUM, 2, 0, True),
        ([*FIVE[:4], BULK, *FIVE[4:]], NUM, 5, 0, True),
        ([*FIVE, PENDING], NUM, 6, 0, False),
        ([*FIVE[:3], SCHEDULED, *FIVE[3:], PENDING], NUM, 5, 0, True),
        ([*FIVE[:3], SCHEDULED, *FIVE[3:], PENDING], AFTER, 4, 0, False),
        ([*FIVE[:3], SCHEDULED, *FIVE[3:], PENDING], AFTER, 3, 0, True),
        ([*FIVE[:3], COMPACTED, *FIVE[3:]], AFTER, 2, 0, True),
        (FIVE, AFTER, 5, 0, True),
        (FIVE, LATE, 9, 60, True),  # an hour after the first delta commit
        (FIVE, LATE, 9, 59, False),
        ([*FIVE[:3], COMPACTED, *FIVE[3:]], LATE, 9, 65, True),
        ([*FIVE[:3], COMPACTED, *FIVE[3:]], LATE, 9, 64, False),
        (FIVE, Trigger.NUM_AND_TIME, 5, 59, False),
        (FIVE, Trigger.NUM_AND_TIME, 5, 60, True),
        (FIVE, Trigger.NUM_OR_TIME, 6, 60, True),
        (FIVE, Trigger.NUM_OR_TIME, 5, 0, True),
        (FIVE, Trigger.NUM_OR_TIME, 6, 0, False),
    ],
)
def test_a_compaction_is_due(
    table: Table, given: list[tuple[Instant, str]], trigger: Trigger, limit: int, at: int, due: bool
) -> None:
    """COMPACT-355."""
    options = CompactionOptions(trigger=trigger, max_delta_commits=limit, clock=clock(at))
    assert is_due(with_instants(table, *given), options) is due


@pytest.mark.parametrize(
    ("given", "limit", "due"),
    [
        (FIVE, 5, True),
        (FIVE, 6, False),
        ([*FIVE[:3], LOG_COMPACTED, *FIVE[3:]], 3, True),  # itself, and two since
        ([*FIVE[:3], LOG_COMPACTED, *FIVE[3:]], 4, False),
        ([*FIVE, LOG_SCHEDULED], 1, False),
        ([*FIVE[:3], COMPACTED, *FIVE[3:]], 3, False),
    ],
)
def test_a_log_compaction_is_due(table: Table, given: list[tuple[Instant, str]], limit: int, due: bool) -> None:
    """COMPACT-355."""
    options = CompactionOptions(of_logs=True, min_log_blocks=limit)
    assert is_due(with_instants(table, *given), options) is due
