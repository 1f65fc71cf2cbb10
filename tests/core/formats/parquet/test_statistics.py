"""Statistics of leaves as footers have them: bounds cut inside a character, and counts and orders in doubt."""

from __future__ import annotations

import io
import struct
import sys
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.formats.parquet.chunks import ChunkStatistics, LeafChunks
from hudi_core.formats.parquet.statistics import FooterChunks, FooterStatistics, Leaf
from hudi_core.types import nodes as t


def statistics_of(
    kind: t.Primitive, *chunks: ChunkStatistics, physical: str = "BYTE_ARRAY", unsigned: bool = False, writer: str = ""
) -> Any:
    """What is known of a column with these chunks, one a row group."""
    column = LeafChunks(physical, unsigned, chunks)
    rows = sum(chunk.value_count for chunk in chunks)
    return FooterStatistics(_OneColumn(column), writer, rows, {("x",): Leaf(0, kind)})["x",]


class _OneColumn(FooterChunks):
    """The chunks of one column."""

    def __init__(self, column: LeafChunks) -> None:
        self.column = column

    def chunks_of(self, index: int) -> LeafChunks:
        return self.column


def chunk(
    lower: bytes | None, upper: bytes | None, null_count: int | None = 0, value_count: int = 4
) -> ChunkStatistics:
    return ChunkStatistics(value_count, null_count, lower, upper)


def test_a_bound_cut_inside_a_character_is_trusted_where_it_still_encloses_the_values() -> None:
    """FILE-5."""
    cut = "aä".encode()[:-1]
    statistics = statistics_of(t.String(), chunk(cut, cut))
    assert statistics == LeafStatistics(t.String(), "a", None, 0, 4, nans=False)
    whole = "aä".encode()
    assert statistics_of(t.String(), chunk(whole, whole)) == LeafStatistics(t.String(), "aä", "aä", 0, 4, nans=False)


def test_an_upper_bound_that_one_row_group_has_cut_is_unknown_in_the_file() -> None:
    cut = "zä".encode()[:-1]
    statistics = statistics_of(t.String(), chunk(b"a", b"b"), chunk(b"b", cut))
    assert (statistics.lower, statistics.upper) == ("a", None)


@pytest.mark.parametrize("of", [t.Enumeration(("a",), "e"), t.Uuid()])
def test_other_string_types_are_truncated_alike(of: t.Primitive) -> None:
    cut = "aä".encode()[:-1]
    statistics = statistics_of(of, chunk(cut, cut))
    assert (statistics.lower, statistics.upper) == ("a", None)


def test_a_uuid_of_another_size_is_no_bound() -> None:
    of = t.Uuid(t.Fixed(16, "u"))
    low = bytes(16)
    statistics = statistics_of(of, chunk(low, low[:8]), physical="FIXED_LEN_BYTE_ARRAY")
    assert (statistics.lower, statistics.upper) == ("00000000-0000-0000-0000-000000000000", None)


def test_known_and_unknown_counts_are_not_added() -> None:
    assert statistics_of(t.String(), chunk(b"a", b"b", 1), chunk(b"a", b"b", None)).null_count is None
    assert statistics_of(t.String(), chunk(b"a", b"b", 1), chunk(b"a", b"b", 2)).null_count == 3


def test_a_row_group_of_nulls_alone_needs_no_bound() -> None:
    statistics = statistics_of(t.String(), chunk(b"c", b"d"), chunk(None, None, 4))
    assert (statistics.lower, statistics.upper, statistics.null_count) == ("c", "d", 4)


def test_a_row_group_has_statistics_of_its_own() -> None:
    column = LeafChunks("BYTE_ARRAY", False, (chunk(b"a", b"b", 1), chunk(b"c", b"d", 2), chunk(None, None, None)))
    leaves = {("x",): Leaf(0, t.String())}
    groups = [FooterStatistics(_OneColumn(column), "", 4, leaves, number)["x",] for number in range(3)]
    assert groups == [
        LeafStatistics(t.String(), "a", "b", 1, 4, nans=False),
        LeafStatistics(t.String(), "c", "d", 2, 4, nans=False),
        LeafStatistics(t.String(), None, None, None, 4, nans=False),
    ]


def test_int96_has_no_order() -> None:
    statistics = statistics_of(t.Timestamp(), chunk(bytes(12), bytes(12)), physical="INT96")
    assert (statistics.lower, statistics.upper) == (None, None)


@pytest.mark.parametrize(
    ("writer", "may_hold_nan"),
    [
        ("parquet-mr version 1.10.1 (build x)", False),
        ("parquet-mr version 1.15.2", False),
        ("parquet-mr version 1.9.0", True),
        ("parquet-mr version 1.16.0", True),
        ("parquet-cpp-arrow version 20.0.0", True),
        ("", True),
    ],
)
def test_bounds_prove_the_absence_of_nan_where_the_writer_orders_it_last(writer: str, may_hold_nan: bool) -> None:
    bounds = struct.pack("<d", 1.0), struct.pack("<d", 2.0)
    statistics = statistics_of(t.Double(), chunk(*bounds), physical="DOUBLE", writer=writer)
    assert (statistics.lower, statistics.upper, statistics.nans) == (1.0, 2.0, may_hold_nan)


def test_nan_as_a_bound_makes_both_unknown() -> None:
    """FILE-3."""
    one, nan = struct.pack("<d", 1.0), struct.pack("<d", float("nan"))
    statistics = statistics_of(t.Double(), chunk(one, nan), physical="DOUBLE", writer="parquet-mr version 1.12.3")
    assert (statistics.lower, statistics.upper, statistics.nans) == (None, None, True)
    statistics = statistics_of(
        t.Double(), chunk(one, one), chunk(nan, one), physical="DOUBLE", writer="parquet-mr version 1.12.3"
    )
    assert (statistics.lower, statistics.upper, statistics.nans) == (None, None, True)


def test_numbers_without_sign_sort_as_such() -> None:
    """FILE-3."""
    low, high = struct.pack("<i", 1), struct.pack("<i", -1)
    statistics = statistics_of(t.Long(), chunk(low, high), physical="INT32", unsigned=True)
    assert (statistics.lower, statistics.upper) == (1, 2**32 - 1)


def test_a_bound_of_another_size_is_unknown() -> None:
    statistics = statistics_of(t.Int(), chunk(b"\x01", struct.pack("<i", 3)), physical="INT32")
    assert (statistics.lower, statistics.upper) == (None, 3)


def footer_of(size: int) -> bytes:
    """The footer of a file of one column, with a text of so many characters, as a bloom filter is."""
    content = io.BytesIO()
    pq.write_table(pa.table({"x": [1, 2]}).replace_schema_metadata({"filter": "a" * size}), content)
    footer = content.getvalue()
    return footer[-8 - int.from_bytes(footer[-8:-4], "little") : -8]


@pytest.mark.parametrize(("size", "is_kept"), [(10, True), (100_000, False)])
def test_bytes_of_a_large_footer_are_not_kept(size: int, is_kept: bool) -> None:
    """SOURCE-1380."""
    footer = footer_of(size)
    before = sys.getrefcount(footer)
    chunks = FooterChunks("f", footer)
    assert sys.getrefcount(footer) - before == 1
    chunks.release()
    assert sys.getrefcount(footer) - before == is_kept
    assert chunks.chunks_of(0).chunks[0].value_count == 2
    assert sys.getrefcount(footer) == before


@pytest.mark.parametrize("size", [10, 100_000])
def test_damage_to_a_footer_is_an_error_where_statistics_are_asked_for(size: int) -> None:
    chunks = FooterChunks("f", footer_of(size)[:-20])
    chunks.release()
    for _ in range(2):
        with pytest.raises(CorruptFileError, match=r"^f: expected a Parquet footer"):
            chunks.chunks_of(0)
