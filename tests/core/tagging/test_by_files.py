"""Keys located through files: which bloom filters are read for it. Rules INDEX-5 to INDEX-8."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from hudi_core.columns.strings import string_column
from hudi_core.engine import FileInfo
from hudi_core.tagging import by_files
from hudi_core.tagging.by_files import FileLookup, FilterUse
from hudi_core.tagging.key_columns import all_slices
from hudi_core.tagging.key_reader import key_columns
from hudi_core.tagging.work import TaggingMetrics
from hudi_core.timeline.slices import FileSlice
from tests.laws.test_tagging import Made, MadeKeys


def test_filters_are_read_only_of_slices_whose_range_leaves_keys_to_test(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def recorded(_: object, __: object, slices: Sequence[FileSlice]) -> dict[int, bytes]:
        read.extend(file_slice.file_id for file_slice in slices)
        return {}

    monkeypatch.setattr(by_files, "read_recorded_texts", recorded)
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


LARGE, SMALL, WITH_LOGS = range(3)


def lookup(use: FilterUse) -> FileLookup:
    """A lookup in a large slice, a small one and one with log files, of a table whose filters are in footers."""
    base, log = FileInfo("large", 100_000_000), FileInfo("log", 1)
    slices = [
        FileSlice("", "large", "1", base),
        FileSlice("", "small", "1", FileInfo("small", 1_000)),
        FileSlice("", "merged", "1", base, (log,)),
    ]
    snapshot = SimpleNamespace(slices=slices, usable=lambda _: None)
    return FileLookup(SimpleNamespace(sources=SimpleNamespace(snapshot=snapshot)), use)  # type: ignore[arg-type]


@pytest.mark.parametrize(("number", "keys", "requested"), [(LARGE, 1, True), (LARGE, 20, False), (SMALL, 1, False)])
def test_a_filter_is_probed_where_it_is_likely_to_save_more_than_it_costs(
    number: int, keys: int, requested: bool
) -> None:
    """INDEX-18."""
    assert lookup(FilterUse.CHEAPER)._uses_filter(number, keys) is requested


def test_a_slice_with_log_files_is_not_filtered_by_the_filter_of_its_base_file() -> None:
    """INDEX-6."""
    assert not lookup(FilterUse.CHEAPER)._uses_filter(WITH_LOGS, 1)


def test_a_requested_index_probes_all_filters_or_none() -> None:
    """INDEX-17."""
    assert lookup(FilterUse.ALL)._uses_filter(SMALL, 20)
    assert not lookup(FilterUse.NONE)._uses_filter(LARGE, 1)
