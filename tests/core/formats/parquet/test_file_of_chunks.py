"""Files of column chunks of other files: what is read from them is what those had, with their pages in new places."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError
from hudi_core.formats.parquet import thrift
from hudi_core.formats.parquet.chunks import (
    ChunkedFooter,
    CopiedChunk,
    FileOfChunks,
    FooterFrame,
    StoredChunk,
)
from hudi_core.formats.parquet.page_index import page_rows

ROWS = pa.table(
    {
        "n": list(range(300)),
        "s": [f"text {number % 7}" * (number % 5) for number in range(300)],
        "l": [[number, None] if number % 3 else None for number in range(300)],
        "x": [None if number % 4 else number / 8 for number in range(300)],
    }
)


def file_of(rows: pa.Table, **options: object) -> bytes:
    output = io.BytesIO()
    pq.write_table(rows, output, **{"store_schema": False, "write_page_index": True, "data_page_size": 64, **options})
    return output.getvalue()


def footer_of(content: bytes) -> bytes:
    end = len(content) - 8
    return content[end - int.from_bytes(content[end : end + 4], "little") : end]


def chunks_of(content: bytes, group: int) -> list[CopiedChunk]:
    return read_chunks(ChunkedFooter(footer_of(content), "a file"), content, group)


def read_chunks(footer: ChunkedFooter, content: bytes, group: int) -> list[CopiedChunk]:
    made = []
    for stored in footer.chunks(group):
        assert stored is not None
        made.append(CopiedChunk(stored, *(content[start : start + size] for start, size in CopiedChunk.spans(stored))))
    return made


def joined(sources: list[tuple[int, list[CopiedChunk]]], pairs: dict[str, str]) -> bytes:
    output = io.BytesIO()
    file = FileOfChunks(output.write, FooterFrame.parse(footer_of(file_of(ROWS.slice(0, 0)))))
    for rows, chunks in sources:
        file.add(rows, chunks)
    footer = file.finish(pairs)
    assert footer_of(output.getvalue()) == footer
    return output.getvalue()


@given(
    st.sampled_from(["zstd", "snappy", "none", "gzip"]),
    st.sampled_from([7, 50, 300]),
    st.booleans(),
    st.permutations(range(4)).map(lambda order: order[:2]),
)
def test_columns_of_two_files_are_one_file(codec: str, group: int, dictionary: bool, of_other: list[int]) -> None:
    """FORMAT-1471. Row groups, codecs and columns of two files with the same rows are put together in every way."""
    options = {"row_group_size": group, "use_dictionary": dictionary}
    one, other = file_of(ROWS, compression=codec, **options), file_of(ROWS, compression="snappy", **options)
    groups = pq.ParquetFile(io.BytesIO(one)).metadata.num_row_groups
    sources = []
    footers = [ChunkedFooter(footer_of(content), "a file") for content in (one, other)]
    for number in range(groups):
        chunks = [read_chunks(footer, content, number) for footer, content in zip(footers, (one, other), strict=True)]
        chosen = [both[1 if column in of_other else 0] for column, both in enumerate(zip(*chunks, strict=True))]
        sources.append((min(group, 300 - number * group), chosen))
    made = joined(sources, {"key": "value", "bloom": "x" * 5000})
    read = pq.ParquetFile(io.BytesIO(made), page_checksum_verification=True)
    assert read.read().equals(ROWS)
    assert read.metadata.metadata == {b"key": b"value", b"bloom": b"x" * 5000}
    assert read.metadata.created_by == pq.ParquetFile(io.BytesIO(one)).metadata.created_by
    own, made_footer = pq.ParquetFile(io.BytesIO(one)).metadata, ChunkedFooter(footer_of(made), "made")
    for number in range(groups):
        group_made, group_own = read.metadata.row_group(number), own.row_group(number)
        assert group_made.num_rows == group_own.num_rows
        for column in range(4):
            chunk = group_made.column(column)
            assert chunk.has_offset_index and chunk.has_column_index
            assert chunk.statistics == group_own.column(column).statistics
            assert chunk.compression == ("SNAPPY" if column in of_other else own.row_group(0).column(0).compression)
        for chunk in read_chunks(made_footer, made, number):
            pages = page_rows(memoryview(chunk.offset_index), chunk.stored.pages, group_made.num_rows, "made")
            assert pages.firsts[0] == 0


def test_a_damaged_index_of_pages_is_left_out() -> None:
    """FORMAT-1471. Nobody looked at it so far, and readers do without it."""
    content = file_of(ROWS)
    chunks = chunks_of(content, 0)
    chunks[0].offset_index = b"\xff" * 20
    chunks[1].offset_index = chunks_of(content, 0)[3].offset_index  # that of other pages
    chunks[2].offset_index = b""
    made = joined([(300, chunks)], {})
    read = pq.ParquetFile(io.BytesIO(made))
    assert read.read().equals(ROWS)
    assert [read.metadata.row_group(0).column(number).has_offset_index for number in range(4)] == [
        False,
        False,
        False,
        True,
    ]


def test_a_chunk_that_cannot_be_moved_is_told_apart() -> None:
    """FORMAT-1471. One in another file, one with a bloom filter of its own."""
    footer = footer_of(file_of(ROWS.select(["n"])))

    def with_field(
        chunk_field: tuple[int, int, bytes] | None, meta_field: tuple[int, int, bytes] | None
    ) -> StoredChunk | None:
        fields = []
        for number, kind, value in thrift.raw_fields(footer):
            if number == 4:
                group = {field[0]: field for field in thrift.raw_fields(value[1:])}
                chunk = list(thrift.raw_fields(group[1][2][1:]))
                meta = list(thrift.raw_fields(next(part for at, _, part in chunk if at == 3)))
                made = sorted([*meta, *([meta_field] if meta_field else [])])
                parts = [part for part in chunk if part[0] != 3] + [thrift.struct(3, thrift.encode(made))]
                encoded = thrift.encode(sorted([*parts, *([chunk_field] if chunk_field else [])]))
                rebuilt = [thrift.structs(1, [encoded]), *(field for at, field in sorted(group.items()) if at > 1)]
                fields.append(thrift.structs(4, [thrift.encode(rebuilt)]))
            else:
                fields.append((number, kind, value))
        return ChunkedFooter(thrift.encode(fields), "a file").chunks(0)[0]

    assert with_field(None, None) is not None
    assert with_field(thrift.binary(1, b"other.parquet"), None) is None
    assert with_field(None, thrift.i64(14, 5)) is None


@pytest.mark.parametrize("cut", [0, 1, 30, 200])
def test_a_footer_that_is_none_is_refused(cut: int) -> None:
    with pytest.raises(CorruptFileError, match="a file: expected a Parquet footer"):
        ChunkedFooter(footer_of(file_of(ROWS))[:cut], "a file").chunks(0)


def test_row_groups_are_there_in_any_order_and_no_more_of_them() -> None:
    content = footer_of(file_of(ROWS, row_group_size=-(-len(ROWS) // 3)))
    footer = ChunkedFooter(content, "a file")
    in_turn = [ChunkedFooter(content, "a file").chunks(number) for number in range(3)]
    assert [footer.chunks(number) for number in (2, 0, 1)] == [in_turn[2], in_turn[0], in_turn[1]]
    assert in_turn[0] != in_turn[1] != in_turn[2]
    with pytest.raises(CorruptFileError, match="row group 3 of 3"):
        footer.chunks(3)


def test_a_frame_fits_files_of_one_schema_alone() -> None:
    frame = FooterFrame.parse(footer_of(file_of(ROWS)))
    assert frame.fits(footer_of(file_of(ROWS.slice(7, 3), row_group_size=2)))
    assert frame.fits(footer_of(file_of(ROWS.slice(7, 3).replace_schema_metadata({"own": "pairs"}))))
    for other in (
        ROWS.select(["n", "s", "l"]),
        ROWS.rename_columns(["n", "s", "l", "y"]),
        ROWS.set_column(0, "n", ROWS["n"].cast(pa.int32())),
        ROWS.cast(pa.schema([pa.field("n", pa.int64(), nullable=False), *list(ROWS.schema)[1:]])),
    ):
        assert not frame.fits(footer_of(file_of(other)))
