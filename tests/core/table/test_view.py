"""A table as another engine reads it. Its users are tested in `tests/engines/arrow/pushdown`.

Also covers: `libraries.py`.
"""

from __future__ import annotations

import pickle

import pytest

import hudi_core
from hudi_core import UnknownColumnError
from hudi_core.table.view import View, ViewMaker, view_maker
from tests.support.commands import rides


def test_names_of_columns_are_exact_whatever_the_table_says() -> None:
    """TABLE-690."""
    view = View(hudi_core.open(rides(), case_sensitive=False))
    assert view.scan(hudi_core.parse_predicate("fare > 95"), ["fare"], 2).count() == 2
    with pytest.raises(UnknownColumnError, match="FARE"):
        view.scan(columns=["FARE"])


def test_a_view_goes_to_other_processes_and_shows_the_same() -> None:
    view = View(hudi_core.open(rides()), meta=True)
    copy = pickle.loads(pickle.dumps(view))
    assert copy.schema == view.schema and copy.schema.names[0] == "_hoodie_commit_time"
    assert isinstance(view_maker(copy.table), ViewMaker)
