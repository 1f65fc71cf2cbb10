"""Footers from their own bytes: what pyarrow says of sound ones, and an error for every damage."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.files.parquet import ParquetReader
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError, HudiError
from hudi_core.formats.parquet import chunks
from hudi_core.formats.parquet.chunks import leaf_chunks

NESTED = pa.struct([("l", pa.list_(pa.float64())), ("u", pa.uint16())])
TABLE = pa.table(
    {
        "a": [1, None, 3, 4],
        "s": ["x", "y", None, "z"],
        "n": pa.array([{"l": [1.5, 2.5], "u": 7}, None, {"l": None, "u": None}, {"l": [], "u": 9}], NESTED),
        "i": pa.array([None] * 4, pa.int32()),
    }
)


def written(**options: object) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(TABLE, buffer, row_group_size=3, **options)
    return buffer.getvalue()


def footer_of(content: bytes) -> bytes:
    return content[-8 - int.from_bytes(content[-8:-4], "little") : -8]


@pytest.mark.parametrize("options", [{}, {"write_statistics": False}, {"version": "1.0"}, {"data_page_version": "2.0"}])
def test_chunks_are_those_that_pyarrow_shows(options: dict[str, object]) -> None:
    content = written(**options)
    metadata, stated = (pq.read_metadata(io.BytesIO(item)) for item in (content, written()))
    found = leaf_chunks(footer_of(content), "f")
    assert len(found) == metadata.num_columns
    for number, leaf in enumerate(found):
        assert len(leaf.chunks) == metadata.num_row_groups
        for group, chunk in enumerate(leaf.chunks):
            known = metadata.row_group(group).column(number)
            assert (leaf.physical, chunk.value_count) == (known.physical_type, known.num_values)
            statistics = known.statistics if known.is_stats_set else None
            # Without statistics the counts of definition levels tell as much.
            assert chunk.null_count == stated.row_group(group).column(number).statistics.null_count
            assert (chunk.lower is not None) == (statistics is not None and statistics.has_min_max)


def test_contradictory_counts_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """META-131."""
    original = chunks.structure

    def altered(counts: object) -> list[int | None]:
        def structure(content: bytes) -> object:
            fields, end = original(content)
            for group in fields[4]:
                group[1][0][3][16][3] = counts
            return fields, end

        monkeypatch.setattr(chunks, "structure", structure)
        return [chunk.null_count for chunk in leaf_chunks(footer_of(written(write_statistics=False)), "f")[0].chunks]

    assert altered([1, 2]) == [1, None]
    assert altered([-1, 4]) == altered([]) == altered([b"3"]) == altered(3) == [None, None]


def test_unsigned_numbers_are_recognised() -> None:
    assert [leaf.unsigned for leaf in leaf_chunks(footer_of(written()), "f")] == [False, False, False, True, False]


def test_cut_footers_are_corrupt() -> None:
    footer = footer_of(written())
    for length in range(len(footer)):
        with pytest.raises(CorruptFileError, match=r"^f: "):
            leaf_chunks(footer[:length], "f")


def test_damaged_footers_give_errors_of_ours_or_statistics() -> None:
    footer, dice = footer_of(written()), random.Random(17)
    for _ in range(3_000):
        damaged = bytearray(footer)
        for _ in range(dice.randint(1, 3)):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        try:
            leaf_chunks(bytes(damaged), "f")
        except CorruptFileError as error:
            assert "\n" not in str(error)


def test_nesting_and_counts_without_end_are_corrupt() -> None:
    for endless in (b"\x1c" * 100_000, b"\x19\xfc\xff\xff\xff\xff\x0f", b"\x15" + b"\xff" * 100):
        with pytest.raises(CorruptFileError):
            leaf_chunks(endless, "f")


def test_damaged_files_give_errors_of_ours_or_the_right_number_of_rows(tmp_path: Path) -> None:
    content, dice = written(write_page_checksum=True), random.Random(23)
    storage, reader = ArrowStorage(str(tmp_path)), ParquetReader()
    for number in range(300):
        damaged = bytearray(content)
        damaged[dice.randrange(4, len(damaged))] ^= 1 << dice.randrange(8)
        file = FileInfo(f"f{number}", len(damaged))
        (tmp_path / file.path).write_bytes(damaged)
        try:
            opened = reader.open(storage, file)
            footer = opened.footer
            list(footer.statistics.values())
            assert sum(batch.num_rows for batch in opened.batches()) == footer.rows
        except HudiError as error:
            assert "\n" not in str(error)
