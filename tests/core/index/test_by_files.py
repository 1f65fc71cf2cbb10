"""Keys located through files: which bloom filters are read for it. Rules INDEX-5 to INDEX-8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from hudi_core.columns.strings import string_column
from hudi_core.index import by_files
from hudi_core.index.by_files import FileLookup, FilterUse
from hudi_core.index.key_reader import key_columns
from hudi_core.index.places import all_slices
from hudi_core.index.work import TaggingMetrics
from hudi_core.timeline.slices import FileSlice
from tests.laws.test_tagging import Made, MadeKeys


def test_filters_are_read_only_of_slices_whose_range_leaves_keys_to_test(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def recorded(_: object, __: object, slices: Sequence[FileSlice]) -> dict[int, bytes]:
        read.extend(file_slice.file_id for file_slice in slices)
        return {}

    monkeypatch.setattr(by_files, "recorded_texts", recorded)
    in_range = Made("p", (("a", "c"),), logs=False, recorded=False, in_footer=True, filter="good")
    out_of_range = Made("p", (("x", "z"),), logs=False, recorded=False, in_footer=True, filter="good")
    stored: Any = MadeKeys([in_range, out_of_range])
    keys = key_columns(string_column(["a", "b"]), string_column(["p", "p"]))
    work = TaggingMetrics()
    placed = all_slices(keys, stored.sources.snapshot.slices)
    locations = FileLookup(stored, FilterUse.ALL).locate(keys, placed, work)
    assert locations.slices.tolist() == [0, -1]
    assert read == ["f0"]
    assert sum(work.filters.values()) == 1
