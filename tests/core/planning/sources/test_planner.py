"""The order in which sources are asked."""

from __future__ import annotations

import itertools

from hudi_core.front.opening import open_table
from tests.support.commands import rides

ORDER = ["partition values", "record_index", "partition_stats", "column_stats", "bloom_filters", "footers"]
"""Those of the sources that the packaged table has."""


def test_sources_are_consulted_from_the_cheapest_on_for_the_slices_left() -> None:
    """SOURCE-1."""
    steps = open_table(rides()).scan(where="city = 'oslo' AND ride_id = 'nobody' AND fare > 90").plan.steps
    names = [step.source for step in steps if step.source in ORDER]
    assert len(names) > 3
    assert names == [name for name in ORDER if name in names]
    assert all(later.before == earlier.after for earlier, later in itertools.pairwise(steps))
