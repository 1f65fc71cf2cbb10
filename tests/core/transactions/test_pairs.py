"""The table of pairs: what conflict detection reads from it, and the guide that shows it. `model/test_pairs.py` plays it."""

from __future__ import annotations

import pytest

from hudi_core.transactions.pairs import PAIRS, Meeting, conflicting_meetings
from tests.support.pairs_page import PAGE, with_table

ALWAYS = {Meeting.FILE_GROUP, Meeting.NEW_BUCKET, Meeting.KEY}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("INSERT", "INSERT", ALWAYS),
        ("BULK_INSERT", "UPSERT", ALWAYS),
        *(
            (first, second, ALWAYS | {Meeting.NEW_FILE_GROUP, Meeting.NEW_ROW})
            for first in ("UPSERT", "DELETE")
            for second in ("INSERT", "UPSERT", "INSERT_OVERWRITE", "CLUSTER", "AN_UNKNOWN_ONE", None)
        ),
        *(
            (first, second, ALWAYS | {Meeting.NEW_FILE_GROUP})
            for first in ("INSERT_OVERWRITE", "INSERT_OVERWRITE_TABLE", "DELETE_PARTITION")
            for second in ("INSERT", "UPSERT", "INSERT_OVERWRITE", "CLUSTER", "AN_UNKNOWN_ONE", None)
        ),
        ("CLUSTER", "UPSERT", ALWAYS),
        ("ALTER_SCHEMA", "UPSERT", ALWAYS),
        *((first, "COMPACT", {Meeting.FILE_GROUP, Meeting.NEW_BUCKET}) for first in ("UPSERT", "INSERT", "CLUSTER")),
        ("UPSERT", "LOG_COMPACT", {Meeting.FILE_GROUP, Meeting.NEW_BUCKET}),
        ("COMPACT", "UPSERT", set()),
        ("LOG_COMPACT", "COMPACT", set()),
    ],
)
def test_what_two_writes_may_not_have_in_common(first: str, second: str | None, expected: set[Meeting]) -> None:
    """CONFLICT-890, CONFLICT-1, CONFLICT-2, CONFLICT-530, CONFLICT-584, CONFLICT-1433."""
    assert conflicting_meetings(first, second) == expected


def test_an_insert_that_looks_its_keys_up_conflicts_as_an_upsert() -> None:
    """WRITE-1153, CONFLICT-2."""
    assert conflicting_meetings("INSERT", "INSERT", looks_up=True) == conflicting_meetings("UPSERT", "INSERT")


def test_each_pair_has_a_name_and_says_what_apache_hudi_does() -> None:
    assert len({pair.name for pair in PAIRS}) == len(PAIRS)
    for pair in PAIRS:
        assert pair.rules and pair.hudi.endswith("."), pair.name


def test_the_guide_shows_the_pairs() -> None:
    """`python -m tests.support.pairs_page` makes it anew."""
    page = PAGE.read_text("utf-8")
    assert page == with_table(page)
