"""The boundary, on one page: what the core needs of an engine, and the records that cross.

An engine gives the core hands. It supplies operations on *columns of values* (`V`) and on *masks* (`M`, a yes or no for
each row, never null), and reads and stores bytes. It holds no rule of Hudi: what a predicate means, how a file's schema
becomes the wanted one, what key a row has is written once, in the core, over these operations.

    engine        V, a column of values           M, a mask
    hudi_plain    a Python value (one row)        bool
    hudi_arrow    a pyarrow.Array (a batch)       a boolean pyarrow.Array without nulls
    hudi_spark    a Column (a plan)               a boolean Column that is never null

Values cross in the form of `hudi_core.values.domain`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, Protocol, TypeVar, runtime_checkable

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import Column, StructColumn
from hudi_core.formats.files import FileInfo as FileInfo
from hudi_core.formats.files import RewrittenRows, WrittenFile
from hudi_core.formats.footer import Footer as Footer
from hudi_core.formats.footer import RowGroup as RowGroup
from hudi_core.schema.schema import Path, Schema
from hudi_core.types.nodes import Field, Map, Timestamp, Type, Union

if TYPE_CHECKING:
    from hudi_core.expr.predicate import Cut
    from hudi_core.formats.random_access import RandomAccess
    from hudi_core.functions.record import Function
    from hudi_core.functions.scalar.like import Pattern
    from hudi_core.parallel.reach import Reach
    from hudi_core.parallel.requests import Traffic

V = TypeVar("V")
M = TypeVar("M")
B = TypeVar("B")
MaskIn = TypeVar("MaskIn", contravariant=True)
MaskOut = TypeVar("MaskOut", covariant=True)
BatchOut = TypeVar("BatchOut", covariant=True)
BatchIn = TypeVar("BatchIn", contravariant=True)
Task = TypeVar("Task")
Result = TypeVar("Result")


class ValueReader(Protocol[V, MaskOut]):
    """Getters: take structs and unions apart."""

    def field(self, struct: V, position: int) -> V:
        """A field; null where the struct is null."""
        ...

    def is_branch(self, union: V, position: int) -> MaskOut: ...

    def branch(self, union: V, position: int) -> V:
        """The values of one branch; null where the row is of another."""
        ...


class StructWriter(Protocol[V, MaskIn]):
    """Setters: put structs, unions, lists and maps together."""

    def struct(self, fields: Sequence[tuple[Field, V]], nulls: MaskIn, like: V) -> V:
        """A struct of these fields, null where `nulls` is true. `like` gives the number of rows when there is no field."""
        ...

    def union(self, type: Union, parts: Sequence[tuple[MaskIn, int, V]], like: V) -> V:
        """Unions: where a mask is true, a value of that branch; null in rows that no mask takes. Masks exclude each other."""
        ...

    def elements(self, array: V, element: Field, change: Callable[[V], V]) -> V:
        """The lists with what `change` makes of their elements, put to it as one column. Nulls stay."""
        ...

    def entries(self, map: V, type: Map, change: Callable[[V], V]) -> V:
        """The maps of type `type` with what `change` makes of their values. Nulls stay."""
        ...

    def literal(self, value: object, type: Type, like: V) -> V:
        """The same value (None for null) in every row of `like`."""
        ...


class Values(ValueReader[V, M], StructWriter[V, M], Protocol[V, M]):
    """What scalar rules are written in. Order: NaN equals itself and is greatest, -0.0 equals 0.0, text by UTF-8 bytes."""

    def is_null(self, value: V) -> M: ...

    def below(self, value: V, cut: Cut, type: Type) -> M:
        """The value lies below the cut; no for null."""
        ...

    def one_of(self, value: V, values: tuple[object, ...], type: Type) -> M:
        """The value equals one of these; no for null."""
        ...

    def within(self, value: V, values: tuple[object, ...], members: tuple[bool, ...], type: Type) -> M:
        """The value is in a set, as `Within` has it; no for null."""
        ...

    def less(self, left: V, right: V, or_equal: bool, type: Type) -> M:
        """`left < right` (or `<=`) in the order of the type; no when either is null."""
        ...

    def matches(self, value: V, pattern: Pattern | str) -> M:
        """The text matches a LIKE pattern (tuple) as a whole, or a regular expression (str) somewhere; no for null."""
        ...

    def matches_one(self, value: V, patterns: tuple[Pattern | str, ...]) -> M:
        """The text matches one of the patterns, as `matches` does for each; false for null."""
        ...

    def apply(self, function: Function, arguments: Sequence[V], types: Sequence[Type], type: Type) -> V:
        """A function of values, as its record defines it; `types` are the arguments' types, `type` the result's."""
        ...

    def convert(self, value: V, source: Type, to: Type) -> V:
        """Stored values read as another type, as `values.cast` does; `SchemaError` for one without a counterpart."""
        ...

    def relabel(self, value: V, source: Timestamp, to: Timestamp) -> V:
        """The times whose ticks, counted in the unit of `to`, are those of the values, counted in the unit of `source`."""
        ...

    def choose(self, when: M, then: V, otherwise: V, type: Type) -> V: ...

    def replace(self, value: V, where: M, constant: object, type: Type) -> V:
        """The values of a primitive type, a constant (None for null) where the mask is true."""
        ...

    def join(self, parts: Sequence[str | V]) -> V:
        """Texts one after another, columns and constants; null where a column is. At least one part is a column.

        Also of a single column, which the engine then has without encodings.
        """
        ...

    def map(self, value: V, rule: Callable[[Any], Any], source: Type, to: Type) -> V:
        """The result of a rule for each value, both in the form of `hudi_core.values.domain`; null stays null.

        The rule has no state and can be pickled. It may be put once to each distinct value.
        """
        ...

    def number_rows(self, like: V, first: int, prefix: str) -> V:
        """Texts: the prefix with `first`, `first + 1` and so on, in the order of the rows."""
        ...

    def refuse(self, value: V, where: M, expected: str, found: str) -> V:
        """The values. Raises `RowError` with the first row that the mask takes: at once, or when an action needs them."""
        ...

    def every(self, masks: Sequence[M], like: V) -> M: ...

    def some(self, masks: Sequence[M], like: V) -> M: ...

    def no(self, mask: M) -> M: ...


class Storage(Protocol):
    """The files of one table. Paths are relative to the table's root and written with slashes.

    Methods raise `StorageError` with the path, best `NoSuchFileError` for one that is not there; `list` is then empty.
    """

    @property
    def uri(self) -> str: ...

    @property
    def is_remote(self) -> bool: ...

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        """Files in a folder, sorted by path; with `recursive` those below it too, but for a folder right below it of the name
        `without`. None where there is no such folder. Raises `StorageError` with the path of what cannot be listed."""
        ...

    def exists(self, path: str) -> bool: ...

    def read(self, path: str) -> bytes: ...

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        """A file that never changes. `size`, as the table lists it, saves a request and is not trusted."""
        ...

    def expect(
        self, *, folders: Sequence[str] = (), trees: Sequence[str] = (), files: Sequence[FileInfo | str] = ()
    ) -> None:
        """Announces what will be listed (`trees` recursively), read or opened next; files that never change with their size. A
        remote storage begins to fetch it and gives each answer once, unless it changed the folder or file since; others do
        nothing. Errors are raised where the answer is used. Rule STORE-4."""
        ...

    @property
    def traffic(self) -> Traffic: ...

    def create(self, path: str, content: bytes) -> None:
        """A new file, which appears whole. Raises `AlreadyExistsError` when there is one, whoever else creates it at the same
        time, and `UnsupportedError` where the store cannot promise that."""
        ...

    def replace(self, path: str, content: bytes) -> None:
        """A file, whole, in place of another or of none."""

    def delete(self, path: str) -> None:
        """No error where there is no such file."""

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        """Many files, with few requests; `in_order` each before the next. Else as `delete`. Rule STORE-1150."""

    def delete_folder(self, path: str) -> None:
        """A folder with all that is in it. No error where there is none."""

    def read_modified(self, path: str) -> datetime | None:
        """When the file was written last, in UTC; None where there is no such file."""

    def output(self, path: str) -> AbstractContextManager[BinaryIO]:
        """A new file written as a stream. It appears when the block ends; with an error nothing remains of it.

        For names that nobody else writes to.
        """
        ...


class OpenedFile(Protocol[BatchOut]):
    """A base file for its footer and its rows, which need no second reading of the footer. Nothing of it has to be closed.

    What is wrong with the file, or its absence, is raised when it is opened or when this is used.
    """

    @property
    def footer(self) -> Footer: ...

    def batches(
        self,
        columns: Sequence[str | Path] | None = None,
        row_groups: Sequence[int] | None = None,
        keep: Bools | None = None,
    ) -> Iterator[BatchOut]:
        """The file's rows in file order, bounded in size. `row_groups` are the parts of the file to read, None for all.

        `keep` has a flag for each row of these parts: only rows with a true one are returned, and of the others as little as
        possible is read.

        `columns` are top-level columns by name, or parts of them by path of names, None for all. The batches have the
        footer's schema with these columns (`schema.project`), in the file's order.
        """
        ...


class FileReader(Protocol[BatchOut]):
    """Base files of one format."""

    def open(self, storage: Storage, file: FileInfo) -> OpenedFile[BatchOut]:
        """The file. A small one is in memory as a whole while it is kept."""
        ...


class FileWriter(Protocol[BatchIn]):
    """Batches to base files of one format."""

    def write(
        self,
        storage: Storage,
        path: str,
        schema: Schema,
        batches: Iterable[BatchIn],
        metadata: Callable[[], Mapping[str, str]],
    ) -> WrittenFile:
        """A new file with the rows of the batches, which have the columns of the schema, in their order.

        `metadata` gives the key-value pairs of the footer once all batches are drawn, both in one thread at a time, which need
        not be the caller's. With an error, of the batches' too, no file remains.
        """
        ...

    def rewrite(
        self,
        storage: Storage,
        path: str,
        schema: Schema,
        rows: Iterable[RewrittenRows[BatchIn]],
        metadata: Callable[[], Mapping[str, str]],
        older: OpenedFile[Any],
        as_stored: Set[str],
    ) -> WrittenFile:
        """As `write`, of rows of an older file whose columns `as_stored` they have as it stores them: what no row changes need
        not be encoded again."""
        ...


@dataclass(frozen=True, slots=True)
class InputRows(Generic[B]):
    """Rows that come from outside: their schema, and batches of it that are read on as they are taken."""

    schema: Schema
    batches: Iterator[B]
    inferred: bool = False
    """The types follow from the values: a frame of pandas has floating-point numbers where an integer is missing."""
    index: frozenset[str] = frozenset()
    """The columns that were an index of a frame of pandas."""


class Rows(Protocol[V, MaskIn, B]):
    """The operations of a scan on batches."""

    spills: bool
    """Whether `write` makes files with the extension `.arrow`, which `read` maps into memory."""

    def root(self, batch: B) -> V:
        """The rows as a column of structs, none of them null."""

    def batch(self, root: V) -> B:
        """The rows of a column of structs."""

    def count(self, batch: B) -> int: ...

    def filter(self, batch: B, mask: MaskIn) -> B: ...

    def flags(self, mask: MaskIn) -> Bools:
        """A mask of a batch's rows as one bool a row."""

    def keep(self, batch: B, flags: Bools) -> B:
        """The rows whose flag is true."""

    def gather(self, batches: Sequence[B], sources: Sequence[Numbers], schema: Schema) -> Iterator[B]:
        """Rows put together from rows of batches of the schema, of which there is at least one.

        Row i has in column c what row `sources[c][i]` has there, counted over all batches; null where that is negative.
        """
        ...

    def slice(self, batch: B, first: int, count: int) -> B:
        """At most `count` rows from the one with the number `first` on."""

    def compact(self, batch: B) -> B:
        """The rows in memory of their own: pickled they are as many bytes as they have, whatever they are a part of."""

    def from_columns(self, columns: StructColumn, schema: Schema, where: str) -> Iterator[B]:
        """Decoded columns as batches in the types of the schema, which the writer's Avro schema defines or a part of it.

        Each field of the schema is found by name; all rows, in their order. Raises `CorruptFileError` with `where` for a
        decimal that its type cannot have, `SchemaError` for columns of another schema.
        """
        ...

    def to_column(self, value: V, type: Type, where: str) -> Column:
        """Values as a column in the physical form that Avro gives their type: the form in which they are encoded.

        Raises `SchemaError` with `where` for a decimal or a symbol that the type cannot have.
        """
        ...

    def to_json(self, batch: B, schema: Schema) -> list[dict[str, Any]]:
        """The rows in the form of `values.json`; the batch has the columns of the schema."""

    def json_lines(self, batch: B, schema: Schema) -> bytes | memoryview:
        """The rows as lines of JSON in UTF-8, each what `json.dumps` makes of its form in `to_json`, letters as they are."""

    def stream(self, schema: Schema, batches: Iterable[B]) -> Any:
        """The rows as an object with `__arrow_c_stream__` and `read_all`, read on as the taker goes."""

    def frame(self, schema: Schema, batches: Iterable[B], backend: str | None) -> Any:
        """The rows as a `pandas.DataFrame` with types of its own, or of the backend `pyarrow`."""

    def read_given(self, data: object, like: Schema | None = None, *, whole: bool = False) -> InputRows[B]:
        """The rows of an object with `__arrow_c_stream__`, or another form that the engine knows; none of `__arrow_c_schema__`
        alone. Values without a type get that of `like`. `UsageError` for others; if `whole`, `RowError` for a row with a gap."""

    def read(self, path: str, like: Schema | None = None, *, whole: bool = False) -> InputRows[B]:
        """The rows of a local file whose extension names the format, or of a folder of Parquet files; `whole` as of `given`.

        Formats without types (JSON, CSV) take those of `like` by name, and guess the others. Raises `UsageError` for an
        extension of no known format, `StorageError` and `CorruptFileError`.
        """

    def write(self, path: str, schema: Schema, batches: Iterable[B]) -> int:
        """Rows to a local file whose extension names the format; gives their number. The file appears when it is whole."""


class Runner(Protocol):
    """Runs tasks somewhere: in this thread, in threads, on other machines; the core decides on them. `parallelism` is how many
    run at the same time, at least 1, `reach` what they see of the calling process. Rules ENGINE-9, ENGINE-10."""

    @property
    def parallelism(self) -> int: ...

    @property
    def reach(self) -> Reach: ...

    def run(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """The result of `work` for each task, in the order of the tasks. All of these can be pickled. A task may run more than
        once, so it changes nothing. Raises when a task raises: its error, or the runner's own that quotes it."""
        ...


class Engine(Protocol[V, M, B]):
    """A named bundle of capabilities; what the entry point `hudi_core.engines` gives."""

    @property
    def name(self) -> str: ...

    @property
    def values(self) -> Values[V, M]: ...

    @property
    def rows(self) -> Rows[V, M, B]: ...

    @property
    def runner(self) -> Runner: ...

    def storage(self, uri: str, options: Mapping[str, str] | None = None) -> Storage:
        """The storage whose root is the URI or local path.

        `options` are the options of the library that opens it (credentials, region, endpoint). Raises `UsageError` for one
        that it does not support.
        """

    @property
    def formats(self) -> frozenset[str]:
        """The extensions of base files that it reads, as `parquet`."""

    def reader(self, extension: str) -> FileReader[B]:
        """The reader of base files with this extension; `UnsupportedError` names what is missing."""

    def writer(self, extension: str, codec: str | None = None, held: int | None = None) -> FileWriter[B]:
        """The writer of base files; else `UnsupportedError`. With `held` bytes of rows in a row group memory counts, not time."""


@runtime_checkable
class ScanReader(Protocol[BatchOut]):
    """An optional part of an engine that reads scans as a whole: on several machines."""

    def read_scan(self, scan: Any) -> Iterator[BatchOut]:
        """The rows of a `table.scan.Scan`, its limit kept, as batches of the engine; in no order."""

    def frame_of_scan(self, scan: Any, session: Any) -> Any:
        """The same rows as a plan of the library that runs the engine, in a session of it; None is the running one."""


@runtime_checkable
class LayeredEngine(Protocol):
    """The alternative object of an entry point: an engine that leaves footers, files and storage to another."""

    def over(self, files: Engine[Any, Any, Any]) -> Engine[Any, Any, Any]:
        """The engine, on top of one that reads files. Raises `UnsupportedError` where it cannot build on that one."""
