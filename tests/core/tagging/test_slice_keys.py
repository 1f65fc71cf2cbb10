"""What is known of the keys of file slices.

Also covers: `tagging/row_keys.py`.
"""

from __future__ import annotations

import numpy as np
import pytest

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.engine import Footer
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.pruning.statistics import from_values
from hudi_core.schema.schema import Schema
from hudi_core.tagging import slice_keys
from hudi_core.tagging.slice_keys import KeyBounds, footer_bounds, leaf_bounds
from hudi_core.types import nodes as t


def test_bounds_are_completed_by_place() -> None:
    low, high = ByteStrings.from_list([b"a", b"", b""]), ByteStrings.from_list([b"c", b"", b""])
    bounds = KeyBounds(low, high, np.array([True, False, False]), np.array([False, False, True]))
    found = bounds.complete_with({1: (b"d", b"f")})
    assert [(found.lower[at], found.upper[at]) for at in (0, 1)] == [(b"a", b"c"), (b"d", b"f")]
    assert found.known.tolist() == [True, True, False]
    assert found.empty.tolist() == [False, False, True]
    assert bounds.complete_with({}).known.tolist() == [True, False, False]


def joined(*files: tuple[int, str | None, str | None, int | None, int | None]) -> KeyBounds:
    """The bounds of slices 0 to 2; of each file the number of its slice, both bounds, nulls and rows."""
    pieces = [
        (np.array([number]), from_values(t.String(), [low], [high], [nulls], [rows]))
        for number, low, high, nulls, rows in files
    ]
    return slice_keys._join(np.arange(3), pieces)


def test_bounds_of_a_slice_are_those_of_all_its_files() -> None:
    found = joined((0, "d", "f", 0, 3), (0, "b", "c", 0, 3), (0, "e", "h", 0, 3), (2, "x", "y", 0, 1))
    assert (found.lower[0], found.upper[0], found.lower[2], found.upper[2]) == (b"b", b"h", b"x", b"y")
    assert found.known.tolist() == [True, False, True] and not found.empty.any()


def test_one_file_without_bounds_makes_those_of_its_slice_unknown() -> None:
    assert joined((0, "a", "b", 0, 3), (0, None, "z", 0, 3)).known.tolist() == [False] * 3
    assert joined((0, None, None, None, None), (0, "a", "b", 0, 3)).known.tolist() == [False] * 3


def test_files_without_keys_neither_hide_bounds_nor_are_they_unknown() -> None:
    found = joined((0, "a", "b", 0, 3), (0, None, None, 0, 0), (1, None, None, 2, 2))
    assert found.known.tolist() == [True, False, False]
    assert found.empty.tolist() == [False, True, False]


def test_bounds_in_the_wrong_order_are_unknown() -> None:
    """INDEX-3."""
    assert not joined((0, "b", "a", 0, 3)).known.any()


def footer(noted: tuple[str, str] | None, leaf: LeafStatistics | None = None) -> Footer:
    metadata = dict(zip((slice_keys.MIN_KEY, slice_keys.MAX_KEY), noted, strict=True)) if noted else {}
    statistics = {("_hoodie_record_key",): leaf} if leaf else {}
    return Footer(1, Schema(t.Record(())), metadata, statistics)


@pytest.mark.parametrize(
    ("noted", "expected"),
    [
        (("a", "b"), (b"a", b"b")),
        (None, None),
        (("a", "z\ufffd"), None),
        (("\ufffda", "z"), None),
        (("\U0001f600", "z"), None),
        (("a", "\ue000"), None),
        (("a", "\uff5a"), None),
        (("a", "\U0001f600"), (b"a", "\U0001f600".encode())),
        (("a", "\ud7ff"), (b"a", "\ud7ff".encode())),
    ],
)
def test_noted_keys_are_bounds_where_java_orders_as_bytes_do(
    noted: tuple[str, str] | None, expected: tuple[bytes, bytes] | None
) -> None:
    """INDEX-5."""
    assert footer_bounds(footer(noted)) == expected


def test_statistics_of_the_key_column_precede_the_noted_key_range() -> None:
    """INDEX-5."""
    of = t.String()
    assert footer_bounds(footer(("a", "z"), LeafStatistics(of, "c", "d"))) == (b"c", b"d")
    assert footer_bounds(footer(("a", "z"), LeafStatistics(of, "c", None))) == (b"a", b"z")
    assert leaf_bounds({("_hoodie_record_key",): LeafStatistics(t.Binary(), b"c", b"d")}) is None
    assert leaf_bounds({}) is None
