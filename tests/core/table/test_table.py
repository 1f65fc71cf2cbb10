"""`Table`: instants that it can be asked about."""

from __future__ import annotations

import pytest

from hudi_core.errors import UsageError
from hudi_core.table.open import open_table
from tests.support.commands import rides


def test_a_time_before_the_first_commit_is_refused_with_the_first_one() -> None:
    table = open_table(str(rides()))
    first = table.timeline.commits[0].requested_time
    with pytest.raises(UsageError, match=first):
        table.slices("2020-01-01")
    assert table.slices(first)
    assert len(table.slices(first)) < len(table.slices())
