"""Files that are written anew beside an older one: rows, statistics and bytes are those of a new file, whatever is copied."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st

from hudi_arrow.arrays import to_values
from hudi_arrow.files import copied_chunks
from hudi_arrow.files.parquet import OpenedParquet, ParquetReader
from hudi_arrow.files.parquet_write import ParquetWriter
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.errors import StorageError
from hudi_core.formats.files import RewrittenRows, WrittenFile
from hudi_core.formats.parquet.chunks import ChunkedFooter
from hudi_core.formats.parquet.statistics import leaf_numbers
from hudi_core.front.opening import create_table, open_table
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.contract.files import SCHEMAS
from tests.contract.harness import law
from tests.core.formats.parquet.test_file_of_chunks import footer_of
from tests.engines.arrow.test_parquet_write import batch_of, schema_of
from tests.support.column_parts import WAYS, columns_encoded
from tests.support.strategies import rows_of

Rows = Sequence[Any]


@pytest.fixture(params=WAYS, scope="module", autouse=True)
def _way(request: pytest.FixtureRequest) -> Iterator[None]:
    """WRITE-1601: what is copied and what is encoded is the same in both ways."""
    with columns_encoded(request.param):
        yield


class Rewrite:
    """An older file of some rows, and files that are written anew from it."""

    def __init__(self, folder: Path, schema: Schema, rows: Rows, **settings: Any) -> None:
        self.storage, self.folder, self.schema = ArrowStorage(str(folder)), folder, schema
        self.old, self.names = self._write("old.parquet", rows, **settings), [field.name for field in schema.fields]
        self.open()

    def open(self) -> None:
        """Opens the older file."""
        size = (self.folder / "old.parquet").stat().st_size
        opened = ParquetReader().open(self.storage, FileInfo("old.parquet", size))
        assert isinstance(opened, OpenedParquet)
        self.opened = opened

    def _write(self, name: str, rows: Rows, notes: Mapping[str, str] | None = None, **settings: Any) -> WrittenFile:
        size = settings.get("row_group_rows", len(rows))
        batches = [batch_of(self.schema, list(rows[first : first + size])) for first in range(0, len(rows), size)]
        return ParquetWriter(**settings).write(
            self.storage, name, self.schema, batches, lambda: {"made": "old", **(notes or {})}
        )

    def again(
        self, made: Iterable[RewrittenRows[pa.RecordBatch]], as_stored: Iterable[str] | None = None, **settings: Any
    ) -> WrittenFile:
        """The file of these rows."""
        names = frozenset(self.names if as_stored is None else as_stored)
        return ParquetWriter(**settings).rewrite(
            self.storage, "new.parquet", self.schema, made, lambda: {"made": "new"}, self.opened, names
        )

    def beside(self, rows: Rows) -> Iterator[RewrittenRows[pa.RecordBatch]]:
        """Rows, as many as the older file has and in its batches, each beside what it was."""
        first = 0
        for batch in self.opened.batches():
            new = batch_of(self.schema, list(rows[first : first + batch.num_rows]))
            yield RewrittenRows(new, batch, first)
            first += batch.num_rows

    def copied(self) -> list[list[str]]:
        """The columns of each row group of the new file whose pages are those of the older one, to the byte."""
        groups = []
        contents = [(self.folder / name).read_bytes() for name in ("old.parquet", "new.parquet")]
        footers = [ChunkedFooter(footer_of(content), "") for content in contents]
        for number in range(pq.ParquetFile(self.folder / "new.parquet").metadata.num_row_groups):
            pages = [
                [content[chunk.pages[0] : sum(chunk.pages)] for chunk in footer.chunks(number) if chunk is not None]
                for footer, content in zip(footers, contents, strict=True)
            ]
            leaves = zip(self.names, leaf_numbers(self.schema.record, self.schema.record), strict=True)
            groups.append([name for name, below in leaves if all(pages[0][leaf] == pages[1][leaf] for leaf in below)])
        return groups


def read(folder: Path, schema: Schema, name: str = "new.parquet") -> list[Any]:
    file = FileInfo(name, (folder / name).stat().st_size)
    batches = ParquetReader().open(ArrowStorage(str(folder)), file).batches()
    return [row for batch in batches for row in to_values(batch.to_struct_array(), schema.record)]


@law(SCHEMAS.filter(lambda schema: bool(schema.fields)), st.data(), st.integers(1, 4))
def test_rows_and_statistics_are_those_of_a_new_file(
    tmp_path_factory: pytest.TempPathFactory, schema: Schema, data: st.DataObject, group_rows: int
) -> None:
    """WRITE-1470. Columns of all types; of each row group some rows change in some columns, or go away, and others are added."""
    folder = tmp_path_factory.mktemp("files")
    rows = data.draw(st.lists(rows_of(schema), min_size=1, max_size=8))
    rewrite = Rewrite(folder, schema, rows, row_group_rows=group_rows)
    others = data.draw(st.lists(rows_of(schema), min_size=len(rows), max_size=len(rows)))
    changes = data.draw(
        st.lists(st.frozensets(st.integers(0, len(schema.fields) - 1)), min_size=len(rows), max_size=len(rows))
    )
    new = [
        tuple(other[number] if number in changed else row[number] for number in range(len(schema.fields)))
        for row, other, changed in zip(rows, others, changes, strict=True)
    ]
    gone = data.draw(st.frozensets(st.integers(0, len(rows) - 1), max_size=2))
    added = data.draw(st.lists(rows_of(schema), max_size=2))

    def made() -> Iterator[RewrittenRows[pa.RecordBatch]]:
        for part in rewrite.beside(new):
            stay = [number for number in range(part.first, part.first + part.rows.num_rows) if number not in gone]
            if len(stay) == part.rows.num_rows:
                yield part
            else:
                yield RewrittenRows(batch_of(schema, [new[number] for number in stay]))
        if added:
            yield RewrittenRows(batch_of(schema, added))

    limit = data.draw(st.sampled_from([group_rows, 100]))
    again = rewrite.again(made(), row_group_rows=limit, row_group_bytes=data.draw(st.sampled_from([1, 1 << 20])))
    wanted = [row for number, row in enumerate(new) if number not in gone] + added
    assert list(map(repr, read(folder, schema))) == list(map(repr, wanted))
    assert again.size == (folder / "new.parquet").stat().st_size
    assert again.footer.rows == len(wanted)
    assert again.footer.metadata == {"made": "new"}
    plain = ParquetWriter().write(rewrite.storage, "plain.parquet", schema, [batch_of(schema, wanted)], dict)
    for path, known in plain.footer.statistics.items():
        mine = again.footer.statistics[path]
        assert repr((mine.lower, mine.upper)) == repr((known.lower, known.upper)) or mine.lower is None
        assert (mine.null_count, mine.value_count, mine.nans) == (known.null_count, known.value_count, known.nans)
    if not gone and not added and limit == group_rows == 1:
        same = [
            [name for number, name in enumerate(rewrite.names) if repr(row[number]) == repr(old[number])]
            for row, old in zip(new, rows, strict=True)
        ]
        for names, copied in zip(same, rewrite.copied(), strict=True):
            assert set(copied) <= set(rewrite.names)
            assert {name for name in names if _is_plain(schema, name)} <= set(copied)


def _is_plain(schema: Schema, name: str) -> bool:
    """Whether values of a column are compared whatever they are: those with floating-point numbers inside others are not."""
    return not isinstance(schema.get(name).field.type, t.Nested)


SCHEMA = schema_of(n=t.Long(), s=t.String(), x=t.Double())
ROWS = [(number, f"text {number}", number / 8) for number in range(100)]


def test_a_column_without_another_value_is_copied(tmp_path: Path) -> None:
    """WRITE-1470."""
    rewrite = Rewrite(tmp_path, SCHEMA, ROWS)
    rewrite.again(rewrite.beside([(number, text, x + (number == 7)) for number, text, x in ROWS]))
    assert rewrite.copied() == [["n", "s"]]
    rewrite.again(rewrite.beside(ROWS))
    assert rewrite.copied() == [["n", "s", "x"]]


def test_the_sign_of_zero_is_another_value(tmp_path: Path) -> None:
    """WRITE-1470."""
    nested = t.Record((t.Field(0, "y", t.Double(), optional=True),))
    schema = schema_of(x=t.Double(), f=t.Float(), r=nested)
    rewrite = Rewrite(tmp_path, schema, [(0.0, 0.0, (0.0,)), (math.nan, math.nan, (math.nan,))])
    rewrite.again(rewrite.beside([(-0.0, -0.0, (-0.0,)), (math.nan, math.nan, (math.nan,))]))
    assert rewrite.copied() == [[]]
    assert repr(read(tmp_path, schema)) == repr([(-0.0, -0.0, (-0.0,)), (math.nan, math.nan, (math.nan,))])


def test_days_in_another_calendar_are_not_copied(tmp_path: Path) -> None:
    """WRITE-1470, FORMAT-1571: the new file does not say that it has them."""
    schema = schema_of(n=t.Long(), d=t.Date())
    notes = {"org.apache.spark.version": "3.5.9", "org.apache.spark.legacyDateTime": ""}
    rewrite = Rewrite(tmp_path, schema, [(1, -719_164), (2, 0)], notes=notes)
    rewrite.again(rewrite.beside([(1, -719_162), (2, 0)]))
    assert read(tmp_path, schema) == [(1, -719_162), (2, 0)]


def test_only_columns_that_are_read_as_stored_are_copied(tmp_path: Path) -> None:
    rewrite = Rewrite(tmp_path, SCHEMA, ROWS)
    calls = []
    chosen = copied_chunks.ChunkCopies.choose

    def note(copies: copied_chunks.ChunkCopies, group: int, columns: frozenset[str]) -> Any:
        calls.append(columns)
        return chosen(copies, group, columns)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copied_chunks.ChunkCopies, "choose", note)
        rewrite.again(rewrite.beside(ROWS), as_stored=["s"])
    assert calls == [{"s"}]


def test_encoded_row_groups_do_not_wait_for_the_end(tmp_path: Path) -> None:
    """Their indexes do, which are a small part of them: a file whose codec changes has no column to copy."""
    copies = copied_chunks.chunk_copies(Rewrite(tmp_path, SCHEMA, ROWS).opened, set(SCHEMA.names), SCHEMA, "snappy")
    assert copies is not None
    made: list[weakref.ref[pa.Buffer]] = []

    def encode(rows: pa.Table) -> pa.Buffer:
        output = pa.BufferOutputStream()
        pq.write_table(rows, output, store_schema=False, write_page_index=True)
        buffer = output.getvalue()
        made.append(weakref.ref(buffer))
        return buffer

    file = copied_chunks.ChunkedFile(lambda _: None, SCHEMA, lambda _: encode, lambda rows: [rows], copies)
    file.write(pq.read_table(tmp_path / "old.parquet"), (0, frozenset(SCHEMA.names)))
    assert {buffer() for buffer in made} == {None}
    assert file.finish({}).num_rows == len(ROWS)


def test_chunks_are_read_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that one call requests is in memory together."""
    calls = []
    read_spans = OpenedParquet.read_spans

    def note(opened: OpenedParquet, spans: Sequence[tuple[int, int]]) -> list[memoryview]:
        calls.append(len(spans))
        return read_spans(opened, spans)

    monkeypatch.setattr(OpenedParquet, "read_spans", note)
    rewrite = Rewrite(tmp_path, SCHEMA, ROWS)
    for size, expected in ((1 << 23, [9]), (0, [3, 3, 3])):
        monkeypatch.setattr(copied_chunks, "_READ_BYTES", size)
        rewrite.again(rewrite.beside(ROWS))
        assert rewrite.copied() == [["n", "s", "x"]]
        assert calls == expected
        calls.clear()


def test_another_codec_is_taken(tmp_path: Path) -> None:
    """WRITE-640: the new file has the codec that is asked for."""
    rewrite = Rewrite(tmp_path, SCHEMA, ROWS, compression="gzip")
    rewrite.again(rewrite.beside(ROWS), compression="snappy")
    group = pq.ParquetFile(tmp_path / "new.parquet").metadata.row_group(0)
    assert {group.column(number).compression for number in range(3)} == {"SNAPPY"}
    assert read(tmp_path, SCHEMA) == ROWS


@pytest.mark.parametrize(
    "older",
    [
        pa.table({"n": pa.array([1], pa.int32()), "s": ["a"], "x": [1.0]}),
        pa.table({"n": [1], "s": ["a"], "x": [1.0], "z": [1]}),
        pa.table({"s": ["a"], "n": [1], "x": [1.0]}),
    ],
)
def test_files_of_other_schemas_are_not_copied(tmp_path: Path, older: pa.Table) -> None:
    pq.write_table(older, tmp_path / "old.parquet", compression="zstd")
    opened = ParquetReader().open(ArrowStorage(str(tmp_path)), FileInfo("old.parquet", 1))
    assert copied_chunks.chunk_copies(opened, {"n", "s", "x"}, SCHEMA, "zstd") is None


@law(
    st.lists(st.integers(0, 9).map(str), min_size=2, max_size=6),
    st.sets(st.sampled_from(["n", "s", "x"])),
    st.booleans(),
    st.data(),
)
def test_what_an_older_file_does_not_state_is_not_known(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], bounded: set[str], indexed: bool, data: st.DataObject
) -> None:
    """WRITE-1470. Another program used the same library, and stated bounds of some columns, or no page index."""
    folder = tmp_path_factory.mktemp("files")
    rows = [(number, text, number / 8) for number, text in enumerate(texts)]
    rewrite = Rewrite(folder, SCHEMA, rows)
    stored = pq.read_table(folder / "old.parquet")
    settings = {"compression": "zstd", "store_schema": False, "write_page_index": indexed}
    pq.write_table(stored, folder / "old.parquet", row_group_size=1, write_statistics=sorted(bounded), **settings)
    rewrite.open()
    changed = data.draw(st.sets(st.integers(0, len(rows) - 1), max_size=2))
    new = [(number, "5" if number in changed else text, x) for number, text, x in rows]
    again = rewrite.again(rewrite.beside(new), row_group_rows=1, row_group_bytes=1)
    assert read(folder, SCHEMA) == new
    for number, path in enumerate([("n",), ("s",), ("x",)]):
        values, known = [row[number] for row in new], again.footer.statistics[path]
        assert known.lower in (None, min(values))
        assert known.upper in (None, max(values))
        assert known.null_count in (None, 0)
    footer = pq.ParquetFile(folder / "new.parquet").metadata
    chunks = [footer.row_group(group).column(at) for group in range(len(rows)) for at in range(3)]
    assert all(chunk.has_offset_index for chunk in chunks)


def test_small_row_groups_are_joined_and_large_ones_stay(tmp_path: Path) -> None:
    """WRITE-1470: they do not become more and smaller from write to write."""
    rewrite = Rewrite(tmp_path, SCHEMA, ROWS, row_group_rows=10)
    rewrite.again(rewrite.beside(ROWS))
    assert pq.ParquetFile(tmp_path / "new.parquet").metadata.num_row_groups == 1
    rewrite.again(rewrite.beside(ROWS), row_group_rows=10)
    assert rewrite.copied() == [["n", "s", "x"]] * 10
    rewrite.again([*rewrite.beside(ROWS), RewrittenRows(batch_of(SCHEMA, [(1, "new", 2.0)]))], row_group_bytes=1 << 9)
    groups = pq.ParquetFile(tmp_path / "new.parquet").metadata
    assert [groups.row_group(number).num_rows for number in range(groups.num_row_groups)] == [*[10] * 10, 1]
    assert read(tmp_path, SCHEMA) == [*ROWS, (1, "new", 2.0)]


@pytest.mark.parametrize(("share", "is_cut"), [(0.6, False), (0.4, True)])
def test_a_large_row_group_stays_whole_up_to_twice_the_size(tmp_path: Path, share: float, is_cut: bool) -> None:
    """WRITE-1470. Rows that are read take more memory than they did when they came: texts were numbers of a dictionary."""
    rewrite = Rewrite(tmp_path, SCHEMA, ROWS)
    made = list(rewrite.beside(ROWS))
    pieces = [
        RewrittenRows(one.rows.slice(first, 5), one.before.slice(first, 5), one.first + first)
        for one in made
        if one.before is not None
        for first in range(0, one.rows.num_rows, 5)
    ]
    rewrite.again(pieces, row_group_bytes=int(share * sum(one.rows.nbytes for one in pieces)))
    assert (pq.ParquetFile(tmp_path / "new.parquet").metadata.num_row_groups > 1) is is_cut
    assert is_cut or rewrite.copied() == [["n", "s", "x"]]
    assert read(tmp_path, SCHEMA) == ROWS


def test_nothing_is_left_where_rewriting_fails(tmp_path: Path) -> None:
    rewrite = Rewrite(tmp_path, SCHEMA, ROWS)

    def failing() -> Iterator[RewrittenRows[pa.RecordBatch]]:
        yield from rewrite.beside(ROWS)
        raise StorageError("rows", message="no more rows")

    with pytest.raises(StorageError, match="no more rows"):
        rewrite.again(failing())
    assert [file.name for file in tmp_path.iterdir()] == ["old.parquet"]


def pages_of(folder: Path, column: str) -> bytes:
    """The pages of a column in the latest file of a table of one file."""
    file = max(folder.glob("*.parquet"), key=lambda path: path.name.rpartition("_")[2])
    content, footer = file.read_bytes(), pq.ParquetFile(file).metadata
    chunk = ChunkedFooter(footer_of(content), "").chunks(0)
    number = next(at for at in range(footer.num_columns) if footer.schema.column(at).path == column)
    stored = chunk[number]
    assert stored is not None
    return content[stored.pages[0] : sum(stored.pages)]


def test_tables_write_changed_columns_alone(tmp_path: Path) -> None:
    """WRITE-1470: by upserts and by updates, in the file that the commit makes and in the one that the next one makes of it."""
    rows = pa.table({"id": [f"key {number}" for number in range(50)], "a": list(range(50)), "b": list(range(50))})
    table = create_table(tmp_path, rows, "id", indexes=("column_stats", "bloom_filters"))
    table.append(rows)
    before = {name: pages_of(tmp_path, name) for name in ("_hoodie_record_key", "id", "a", "b")}
    table.update({"a": -7}, where="id = 'key 3'")
    after = {name: pages_of(tmp_path, name) for name in before}
    assert [name for name in before if before[name] == after[name]] == ["_hoodie_record_key", "id", "b"]
    table.upsert(pa.table({"id": ["key 4"], "a": [4], "b": [-1]}))
    last = {name: pages_of(tmp_path, name) for name in before}
    assert [name for name in before if last[name] == after[name]] == ["_hoodie_record_key", "id", "a"]
    assert open_table(tmp_path).scan("a < 0 or b < 0", columns=["id"]).to_arrow()["id"].to_pylist() == [
        "key 3",
        "key 4",
    ]
    assert list(open_table(tmp_path).validate()) == []
