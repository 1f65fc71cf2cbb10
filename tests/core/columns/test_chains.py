"""Of chains walked from guesses, only what is linked to the first item counts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.chains import walk


@given(st.lists(st.integers(1, 9), min_size=1, max_size=200), st.data())
def test_what_is_proved_is_the_chain(sizes: list[int], data: st.DataObject) -> None:
    marks = np.cumsum([0, *sizes])
    end = int(marks[-1])
    leads_to = np.full(end, 3 * end)  # nothing begins anywhere else
    leads_to[marks[:-1]] = marks[1:]
    guesses = np.array(sorted(data.draw(st.sets(st.integers(1, end), max_size=9))), np.int64)
    most = data.draw(st.integers(1, 300))
    origins = np.append(0, guesses[guesses < end])
    found, whole = walk(lambda at: leads_to[np.minimum(at, end - 1)], origins, end, most)
    assert found.tolist() == marks[: len(found)].tolist()
    assert whole == (len(found) == len(sizes))
    assert len(found) >= min(most, len(sizes))
