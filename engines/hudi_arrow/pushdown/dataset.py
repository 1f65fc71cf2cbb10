"""A table as a `pyarrow.dataset.Dataset`, for engines that scan datasets. Rule TABLE-695.

Engines ask a dataset for a scanner with columns and a filter. The filter goes to the planner so far as it can be expressed,
and is applied by pyarrow to the rows that are read: so rows are those that pyarrow's own meaning of the filter chooses.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyarrow import fs

from hudi_arrow.output import stream
from hudi_arrow.pushdown.arrow_predicates import push_predicate
from hudi_core.errors import UnsupportedError

if TYPE_CHECKING:
    from hudi_core.table.scan import Scan
    from hudi_core.table.view import View

Columns = list[str] | dict[str, pc.Expression] | None
"""Names, or expressions by name; None for all columns."""

_UNUSED = "hudi"
"""The path of the one file that pyarrow's own code believes in; nothing opens it but code that passes by `scanner`."""


class HudiDataset(ds.FileSystemDataset):  # type: ignore[misc]  # pyarrow has no types
    """A table at an instant. Each scan reads the rows again.

    pyarrow's C++ code cannot read Hudi's rows: what hands the dataset to it (`Scanner.from_dataset`, a union of datasets) gets an
    error. All else goes through `scanner`.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._arrow = stream(view.schema, ()).schema
        file_format = ds.ParquetFileFormat()
        fragment = file_format.make_fragment(_UNUSED, fs.PyFileSystem(_Refusal()))
        super().__init__([fragment], self._arrow, file_format, fragment.filesystem)

    def __reduce__(self) -> tuple[type[HudiDataset], tuple[View]]:
        return HudiDataset, (self._view,)

    def __repr__(self) -> str:
        return f"HudiDataset of {self._view.table.config.name}: {len(self._arrow)} columns"

    @property
    def schema(self) -> pa.Schema:
        """The columns with their types."""
        return self._arrow

    @property
    def files(self) -> list[str]:
        """The paths of the base files; rows of log files and deleted rows are not seen in them."""
        slices = self._view.scan().plan.slices
        return [file_slice.base.path for file_slice in slices if file_slice.base is not None]

    def scanner(self, columns: Columns = None, filter: pc.Expression | None = None, **options: Any) -> HudiScanner:
        """A reader of columns of the rows that match. pyarrow's options of threads, batches and files change nothing."""
        pushed = None if filter is None else push_predicate(filter, self._view.schema)
        scan = self._view.scan(None if pushed is None else pushed.expr, self._columns(columns, filter))
        return HudiScanner(scan, columns, filter, self._arrow)

    def get_fragments(self, filter: pc.Expression | None = None) -> Iterator[HudiFragment]:
        """The parts of the dataset: one, which plans with the filter of its own scanner."""
        return iter([HudiFragment(self)])

    def count_rows(self, filter: pc.Expression | None = None, **options: Any) -> int:
        """Counts the rows that match; without a filter by footers, where they tell."""
        if filter is None:
            return self._view.scan().count()
        return int(self.scanner([], filter, **options).count_rows())

    def filter(self, expression: pc.Expression) -> NoReturn:
        """Not offered."""
        raise _make_refusal("filter", "give the filter to `scanner`, `to_table` or `to_batches`")

    def replace_schema(self, schema: pa.Schema) -> NoReturn:
        """Not offered."""
        raise _make_refusal("replace_schema", "cast the rows")

    def join(self, *arguments: Any, **options: Any) -> NoReturn:
        """Not offered."""
        raise _make_refusal("join", "join tables: `dataset.to_table().join(...)`")

    def join_asof(self, *arguments: Any, **options: Any) -> NoReturn:
        """Not offered."""
        raise _make_refusal("join_asof", "join tables: `dataset.to_table().join_asof(...)`")

    def sort_by(self, sorting: Any, **options: Any) -> ds.Dataset:
        """The rows in memory, sorted."""
        return ds.dataset(self.to_table(**options).sort_by(sorting))

    def _columns(self, columns: Columns, filter: pc.Expression | None) -> list[str] | None:
        """The columns to read: those asked for and those of the filter; one where none are, which carries the count of rows."""
        if columns is None or isinstance(columns, dict):
            return None
        needed = set(columns)
        if filter is not None:
            needed |= _names_in(filter, self._arrow)
        if not needed:
            cheap = (field.name for field in self._arrow if pa.types.is_primitive(field.type))
            needed = {next(cheap, self._arrow.names[0])}
        return [name for name in self._arrow.names if name in needed]


class HudiScanner:
    """What engines take for a `pyarrow.dataset.Scanner`. Each call reads the rows again.

    pyarrow's own scanner reads ahead in threads of its own, which go on after a query with a limit has its rows, and end the
    process with an error where Python ends first. Here rows are read as they are taken.
    """

    def __init__(self, scan: Scan, columns: Columns, filter: pc.Expression | None, schema: pa.Schema) -> None:
        self._scan, self._columns, self._filter, self._schema = scan, columns, filter, schema

    @cached_property
    def projected_schema(self) -> pa.Schema:
        """The columns of the result."""
        return self._choose(self.dataset_schema.empty_table()).schema

    @property
    def dataset_schema(self) -> pa.Schema:
        """The columns that are read."""
        return stream(self._scan.schema, ()).schema

    def to_reader(self) -> pa.RecordBatchReader:
        """The rows as a stream."""
        return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, batch after batch."""
        for batch in self._scan.to_stream():
            yield from self._choose(batch).to_batches()

    def to_table(self) -> pa.Table:
        """The rows in memory."""
        return pa.Table.from_batches(self.to_batches(), self.projected_schema)

    def head(self, num_rows: int) -> pa.Table:
        """The first rows."""
        taken: list[pa.RecordBatch] = []
        for batch in self.to_batches():
            if num_rows <= 0:
                break
            taken.append(batch.slice(0, num_rows))
            num_rows -= len(taken[-1])
        return pa.Table.from_batches(taken, self.projected_schema)

    def take(self, indices: object) -> pa.Table:
        """The rows at these numbers."""
        return self.to_table().take(indices)

    def count_rows(self) -> int:
        """Counts the rows."""
        return sum(map(len, self.to_batches()))

    def _choose(self, rows: pa.RecordBatch | pa.Table) -> pa.Table:
        if self._filter is None and self._columns is None:
            return rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])
        if self._filter is None and isinstance(self._columns, list):
            return (rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])).select(self._columns)
        return ds.InMemoryDataset(rows).scanner(columns=self._columns, filter=self._filter).to_table()


class HudiFragment:
    """What engines that read a dataset by its fragments take for one: the dataset as a whole."""

    def __init__(self, dataset: HudiDataset) -> None:
        self._dataset = dataset

    @property
    def physical_schema(self) -> pa.Schema:
        """The schema of the dataset."""
        return self._dataset.schema

    @property
    def partition_expression(self) -> pc.Expression:
        """What is known of all its rows: nothing, as the planner knows more."""
        return pc.scalar(True)

    def scanner(self, schema: pa.Schema | None = None, **options: Any) -> HudiScanner:
        """As the dataset's."""
        return self._dataset.scanner(**options)


def _names_in(expression: pc.Expression, schema: pa.Schema) -> set[str]:
    """The top-level columns that a filter can refer to: those whose names are in its text, and maybe more."""
    text = str(expression)
    return {name for name in schema.names if name in text}


def _make_refusal(what: str, instead: str) -> UnsupportedError:
    return UnsupportedError(f"{what} of a dataset of a Hudi table", message=instead)


class _Refusal(fs.FileSystemHandler):  # type: ignore[misc]  # pyarrow has no types
    """A file system whose one file cannot be opened: an error for code that passes by `scanner`, in the place of no rows."""

    def get_type_name(self) -> str:
        return "hudi"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> list[fs.FileInfo]:
        return [fs.FileInfo(path, fs.FileType.File, size=1) for path in paths]

    def open_input_stream(self, path: str) -> NoReturn:
        raise _make_refusal("a scan of files", "use the dataset's own `scanner`")

    def open_input_file(self, path: str) -> NoReturn:
        raise _make_refusal("a scan of files", "use the dataset's own `scanner`")

    def get_file_info_selector(self, selector: Any) -> list[fs.FileInfo]:
        return []

    def _refuse_change(self, *arguments: Any) -> NoReturn:
        raise _make_refusal("a change of files", "use the methods of the table")

    create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = delete_file = _refuse_change
    move = copy_file = open_output_stream = open_append_stream = _refuse_change
