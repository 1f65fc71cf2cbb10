"""META-67: lower bounds of strings in whole, from what stands beside the type of their records."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import StringColumn
from hudi_core.metadata.whole_strings import whole_lower

STRINGS = st.binary(max_size=3)
RECORDS = st.lists(st.tuples(STRINGS, st.none() | STRINGS), min_size=1, max_size=6)


def details_of(texts: list[bytes | None]) -> StringColumn:
    strings = ByteStrings.from_list([text or b"" for text in texts])
    return StringColumn(strings.offsets, strings.data, np.array([text is not None for text in texts]))


@given(RECORDS, st.data())
def test_a_whole_bound_counts_where_it_begins_with_the_recorded_one(
    records: list[tuple[bytes, bytes | None]], data: st.DataObject
) -> None:
    details = details_of([detail for _, detail in records])
    rows = data.draw(st.none() | st.lists(st.integers(0, len(records) - 1), min_size=1, unique=True).map(sorted))
    chosen = range(len(records)) if rows is None else rows
    lower = ByteStrings.from_list([records[row][0] for row in chosen])
    whole = whole_lower(lower, details, None if rows is None else np.array(rows))
    for place, row in enumerate(chosen):
        bound, detail = records[row]
        assert whole[place] == (detail if detail is not None and detail.startswith(bound) else bound)


def test_records_without_details_stay_as_they_are() -> None:
    lower = ByteStrings.from_list([b"a", b""])
    assert whole_lower(lower, None, None) is lower
    assert whole_lower(lower, details_of([None, None]), None) is lower
