"""What a reader of base files has to give: rows as they were written, and statistics that never exclude one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from hudi_core.engine import FileInfo, FileReader, Footer, OpenedFile, Storage
from hudi_core.errors import CorruptFileError, HudiError, StorageError, UnknownColumnError
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.walk import walk, with_children
from hudi_core.values.order import less
from tests.contract.harness import law
from tests.support.strategies import rows_of, schemas


@dataclass(frozen=True)
class Files:
    """A reader under test, and a folder with its storage to put files into."""

    reader: FileReader[Any]
    storage: Storage
    root: Path
    write: Callable[[Sequence[Any], Schema, int], bytes]
    """A file's bytes: rows, their schema, and at most how many rows in a row group."""
    rows: Callable[[Any, Schema], list[Any]]
    """The rows of a batch as values."""

    def put(self, content: bytes) -> FileInfo:
        """A new file each time, since readers may remember one."""
        name = f"file-{len(list(self.root.iterdir()))}"
        (self.root / name).write_bytes(content)
        return FileInfo(name, len(content))

    def open(self, file: FileInfo) -> OpenedFile[Any]:
        return self.reader.open(self.storage, file)

    def footer(self, file: FileInfo) -> Footer:
        return self.open(file).footer


def _writable(schema: Schema) -> Schema:
    """Without what writers refuse: required fields, which look null below a null struct."""
    record = _relaxed(schema.record)
    assert isinstance(record, t.Record)
    return Schema(record)


def _relaxed(of: t.Type) -> t.Type:
    inner = [replace(c, type=_relaxed(c.type), optional=True, default=t.ABSENT) for c in t.children(of)]
    return with_children(of, (of.key, inner[1]) if isinstance(of, t.Map) else tuple(inner))


def _has_empty_records(schema: Schema) -> bool:
    return any(
        isinstance(of, t.Record) and not of.fields for of in (schema.record, *(f.type for _, f in walk(schema.record)))
    )


SCHEMAS = (
    schemas(plain=True, named=False, disguised=False)
    .filter(lambda schema: not _has_empty_records(schema))
    .map(_writable)
)
FLAT = Schema(t.Record(tuple(t.Field(n, name, t.Long()) for n, name in enumerate(["a", "b", "a.b", "c"]))))
ROWS = [(n, -n, 2 * n, None) for n in range(10)]


class FileReaderContract:
    """Give a fixture `files`."""

    @law(SCHEMAS, st.data(), st.integers(1, 3))
    def test_rows_come_back_in_order_and_within_the_statistics(
        self, files: Files, schema: Schema, data: st.DataObject, size: int
    ) -> None:
        """FILE-3, FILE-6."""
        rows = data.draw(st.lists(rows_of(schema), max_size=5))
        file = files.put(files.write(rows, schema, size))
        opened = files.open(file)
        footer = opened.footer
        assert footer.rows == len(rows)
        assert [field.name for field in footer.schema.fields] == [field.name for field in schema.fields]
        found = [row for batch in opened.batches() for row in files.rows(batch, footer.schema)]
        assert list(map(repr, found)) == list(map(repr, rows))
        for path, known in footer.statistics.items():
            values = [_at(row, footer.schema, path) for row in found]
            present = [value for value in values if value is not None]
            assert known.value_count == len(rows)
            assert known.null_count in (None, len(values) - len(present))
            for value in present:
                if value == value:  # bounds of floats leave NaN out
                    assert known.lower is None or not less(value, known.lower, known.type)
                    assert known.upper is None or not less(known.upper, value, known.type)

    def test_columns_and_row_groups_are_chosen(self, files: Files) -> None:
        file = files.put(files.write(ROWS, FLAT, 4))

        def read(names: list[str] | None, groups: list[int] | None, *shown: str) -> list[Any]:
            part = Schema(t.Record(tuple(FLAT.get((name,)).field for name in shown)))
            batches = files.open(file).batches(names, groups)
            return [row for batch in batches for row in files.rows(batch, part)]

        assert read(["c", "a"], None, "a", "c") == [(a, c) for a, _, _, c in ROWS]
        assert read(None, [2, 0], "a", "b", "a.b", "c") == ROWS[8:] + ROWS[:4]
        assert read(["a.b"], None, "a.b") == [(n,) for _, _, n, _ in ROWS]
        assert read(["a"], None, "a") == [(n,) for n, *_ in ROWS]

    @law(st.lists(st.booleans(), min_size=10, max_size=10))
    def test_rows_are_chosen_by_flags(self, files: Files, keep: list[bool]) -> None:
        file = files.put(files.write(ROWS, FLAT, 4))
        batches = files.open(file).batches(None, [2, 0], np.array(keep[8:] + keep[:4]))
        wanted = [row for row, kept in zip(ROWS[8:] + ROWS[:4], keep[8:] + keep[:4], strict=True) if kept]
        assert [row for batch in batches for row in files.rows(batch, FLAT)] == wanted

    def test_no_columns_still_count_rows(self, files: Files) -> None:
        """FILE-6."""
        file = files.put(files.write(ROWS, FLAT, 4))
        nothing = Schema(t.Record(()))
        for keep, count in ((None, 10), (np.arange(10) % 3 == 0, 4)):
            batches = files.open(file).batches([], None, keep)
            assert [row for batch in batches for row in files.rows(batch, nothing)] == [()] * count

    def test_an_absent_column_is_named(self, files: Files) -> None:
        file = files.put(files.write(ROWS, FLAT, 4))
        with pytest.raises(UnknownColumnError, match="zzz"):
            next(iter(files.open(file).batches(["a", "zzz"])))

    def test_an_absent_file_is_an_error_of_storage(self, files: Files) -> None:
        with pytest.raises(StorageError, match="nothing"):
            files.footer(FileInfo("nothing", 100))

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"not a file of this format at all" * 10])
    def test_other_bytes_are_corrupt(self, files: Files, content: bytes) -> None:
        """FILE-7."""
        file = files.put(content)
        with pytest.raises(CorruptFileError) as raised:
            files.footer(file)
        assert file.path in str(raised.value) and "\n" not in str(raised.value)

    @law(st.data())
    def test_a_truncated_file_is_corrupt(self, files: Files, data: st.DataObject) -> None:
        """FILE-7."""
        content = files.write(ROWS, FLAT, 4)
        file = files.put(content[: data.draw(st.integers(0, len(content) - 1))])
        with pytest.raises(HudiError):
            files.footer(file)


def _at(row: Any, schema: Schema, path: tuple[str, ...]) -> Any:
    for position in schema.get(path).positions:
        row = None if row is None else row[position]
    return row
