"""`Scan`: a read of chosen columns and rows of a table at an instant: its plan, its rows, and the reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hudi_core.arguments import AnswersOtherWords, take_flag
from hudi_core.arrays import Numbers
from hudi_core.by_need import ModuleByNeed
from hudi_core.engine import ScanReader
from hudi_core.expr.nodes import Expr
from hudi_core.expr.predicate import Column, Predicate, columns_of
from hudi_core.expr.sql_predicate import doubts_of, warnings_of
from hudi_core.expr.text import to_sql
from hudi_core.expr.walk import conjuncts
from hudi_core.notebook import html_table
from hudi_core.parallel.limits import READERS
from hudi_core.parallel.streams import read_ahead
from hudi_core.planning.plan import ALL_MATCH, SKIP, ScanPlan
from hudi_core.planning.prune import Conjunct, bind_conjunct, prune, whole
from hudi_core.planning.shares import PrunedShare, RemotePruning, join_plans, pruning, records_to_read
from hudi_core.planning.sources.column_ranges import Bounds
from hudi_core.planning.sources.planner import PredicatePlanner
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.ahead import MAX_SLICES, FilesAhead
from hudi_core.reading.damage import Damage, OnDamage
from hudi_core.reading.remote import RemoteScan, SliceRead, remote_scan
from hudi_core.reading.result import QueryResult
from hudi_core.reading.slices import SliceReader
from hudi_core.reading.small_files import bytes_of_slices, count_merged, reading_threads, runs_of_small_files
from hudi_core.schema.meta import is_meta
from hudi_core.schema.project import choose_columns, project
from hudi_core.schema.schema import Schema
from hudi_core.tally import READING, Tally
from hudi_core.timeline.slices import FileSlice
from hudi_core.types.nodes import Nested
from hudi_core.types.text import text as type_text

if TYPE_CHECKING:
    from hudi_core.libraries import PandasFrame, PolarsFrame, SparkFrame, SparkSession
    from hudi_core.snapshot import time_travel
    from hudi_core.table import engines
else:
    engines = ModuleByNeed("hudi_core.table.engines")
    time_travel = ModuleByNeed("hudi_core.snapshot.time_travel")

_LIMITED_SLICES = 4
"""Slices that are fetched ahead where the first may already have all rows that are wanted."""


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """The options of a scan. In `where` the current time is already a constant (`expr.sql_predicate`)."""

    where: Expr | None = None
    columns: tuple[str, ...] | None = None
    limit: int | None = None
    meta: bool = True
    case_sensitive: bool = False
    on_damage: OnDamage = OnDamage.ERROR


class Scan(QueryResult, AnswersOtherWords):
    """A read of a table. Predicate and columns are bound when it is made; rows are read on iteration."""

    def __init__(self, sources: Sources, options: ScanOptions, plan: ScanPlan | None = None) -> None:
        self._sources, self._options, self._known_plan = sources, options, plan
        self._snapshot = sources.snapshot
        self._damage = Damage(options.on_damage)
        self.tally: Tally | None = None
        """Gets what is read, as reading goes on; a scan that travels to another process leaves it behind."""
        self._snapshot.expect(statistics=options.where is not None)
        self._conjuncts = [*_commit_conjuncts(sources), *_conjuncts(options, self._snapshot.schema)]
        self.predicate = whole(self._conjuncts)
        self.schema = _project_schema(options, self._snapshot.schema)

    def __repr__(self) -> str:
        """One line; nothing is planned or read for it."""
        options = self._options
        parts = [
            f"where {to_sql(options.where)}" if options.where is not None else "all rows",
            f"columns {', '.join(self.schema.names)}" if options.columns is not None else f"{len(self.schema)} columns",
            *([f"limit {options.limit}"] if options.limit is not None else []),
        ]
        return f"Scan of {self._snapshot.config.name}: {'; '.join(parts)}"

    def _repr_html_(self) -> str:
        """A notebook's table of the columns, under what `repr` shows; nothing is planned or read for it."""
        rows = ((field.name, type_text(field.type)) for field in self.schema.fields)
        return html_table(rows, ("column", "type"), title=repr(self))

    def __reduce__(self) -> tuple[type[Scan], tuple[Any, ...]]:
        """A copy has the plan, if there is one, and so reads the same files."""
        return Scan, (self._sources, self._options, vars(self).get("plan", self._known_plan))

    @cached_property
    def plan(self) -> ScanPlan:
        """The file slices with their verdicts and reasons."""
        if self._known_plan is not None:
            return self._known_plan
        snapshot = self._snapshot
        self._count_headers()
        planner = self._planner()
        plan = prune(snapshot.slices, planner.conjuncts, planner.sources, planner.alternatives)
        return replace(plan, warnings=(*self.warnings, *snapshot.warnings))

    def _count_headers(self) -> None:
        headers = self._sources.headers
        if self.tally is not None or headers.tallies:
            headers.count_for(self.tally)

    @property
    def warnings(self) -> list[str]:
        """A warning for each unknown function of the predicate, with known ones of similar names, for each comparison that is
        hardly meant, and for each damaged file of which something was left out so far."""
        unknown = [text for conjunct in self._conjuncts for text in warnings_of(conjunct.tree, conjunct.predicate)]
        return [*unknown, *self.doubts, *self._damage.warnings]

    @cached_property
    def doubts(self) -> list[str]:
        """A sentence for each part of the predicate that is right and hardly meant, and for a time that is."""
        where, whole, cut = self._options.where, self._snapshot.whole, self._snapshot.timeline
        ahead = None if cut.until is None else time_travel.find_ahead(whole, cut)
        doubts = [f"as of {ahead}, which is yet to come, the rows are the latest ones"] if ahead is not None else []
        return doubts if where is None else [*doubts, *doubts_of(where, self._snapshot.schema)]

    @property
    def sources(self) -> Sources:
        """The sources of the table at the scan's instant."""
        return self._sources

    @property
    def limit(self) -> int | None:
        """The greatest number of rows."""
        return self._options.limit

    def parts(self) -> list[SliceRead]:
        """The slices that are read, in order, to be read one by one, here or on executors."""
        return [
            SliceRead(self._snapshot.slices[number], self._residual(number) is not None, number)
            for number in self._read_slices
        ]

    def pruning(self) -> RemotePruning | None:
        """The task by which executors prune shares of the slices; None where an index is used, which needs all slices."""
        by_index = {index.name for index in self._sources.indexes}
        if any(source.open is not None and source.name in by_index for source in self._planner().sources):
            return None
        return pruning(self._sources, self._conjuncts, case_sensitive=self._options.case_sensitive)

    def records_to_read(self) -> int:
        """The number of records of `column_stats` that planning on the driver reads."""
        return records_to_read(self._sources, self._conjuncts)

    def with_shares(self, numbers: Sequence[Numbers], shares: Sequence[PrunedShare], note: str) -> Scan:
        """The scan with the plan joined from its shares. `note` describes how `column_stats` were read. Reasons are computed
        here, on use."""
        plan = join_plans(self._snapshot.slices, numbers, shares, lambda: self.plan.reasons, note)
        warnings = (*self.warnings, *plan.warnings)
        return Scan(self._sources, self._options, replace(plan, alone=lambda: self.plan.alone(), warnings=warnings))

    def of_slices(self, whole: Sequence[int], *, others: bool) -> Scan:
        """The scan of all rows of these slices, by number; with `others` also of the matching rows of the other slices."""
        codes = self.plan.codes.copy() if others else np.full(len(self._snapshot.slices), SKIP, np.int8)
        codes[list(whole)] = ALL_MATCH
        return Scan(self._sources, self._options, replace(self.plan, codes=codes))

    def remote_scan(self) -> RemoteScan:
        """The remote scan: the task of reading slices of this scan on an executor."""
        return remote_scan(self._snapshot, self.schema, self.predicate)

    def explain(self) -> str:
        """The plan in lines for people: the slices that each step removed, and those that are read."""
        steps = [
            f"{step.source}: {step.removed:,} of {step.before:,} removed{f' ({step.note})' if step.note else ''}"
            for step in self.plan.steps
        ]
        storage = self._snapshot.storage
        traffic, requests = storage.traffic, list[str]()
        if storage.is_remote:
            waited = f"{traffic.waves:,} waves, {traffic.seconds:.2f} s waited"
            requests = [f"{traffic.requests:,} requests of {traffic.bytes:,} bytes in {waited}"]
        return "\n".join(
            [*steps, f"{len(self.plan.kept()):,} of {len(self.plan.slices):,} file slices are read", *requests]
        )

    def conjuncts(self) -> list[dict[str, Any]]:
        """The parts of the predicate's AND, each with the number of slices that it would skip by itself. The statistics are
        those that the plan used: no further file is read.
        """
        return [{"condition": condition, "would_skip_alone": count} for condition, count in self.plan.alone()]

    def to_pandas(self, *, meta: bool = False, dtype_backend: Literal["pyarrow"] | None = None) -> PandasFrame:
        """The rows as a `pandas.DataFrame`; Hudi's own columns are left out unless `meta` is true or the scan names them.

        `dtype_backend` as of `QueryResult.to_pandas`.
        """
        return super(Scan, self._for_frame(meta)).to_pandas(dtype_backend=dtype_backend)

    def to_polars(self, *, meta: bool = False) -> PolarsFrame:
        """The rows as a `polars.DataFrame`; Hudi's own columns are left out unless `meta` is true or the scan names them."""
        return super(Scan, self._for_frame(meta)).to_polars()

    def to_spark(self, session: SparkSession | None = None) -> SparkFrame:
        """The rows as a `pyspark.sql.DataFrame`, in no order: executors read the files when an action runs.

        Without a session it is the running one, or a new local one. Raises `UsageError` for what is no session and
        `UnsupportedError` where PySpark is not installed. Rule TABLE-1559.
        """
        engine = self._snapshot.engine
        reader: Any = engine if isinstance(engine, ScanReader) else engines.load_engine("spark", files=engine.name)
        frame: SparkFrame = reader.frame_of_scan(self, session)
        return frame

    def _for_frame(self, meta: bool) -> Scan:
        if take_flag("meta", meta) or not self._options.meta or self._options.columns is not None:
            return self
        return Scan(self._sources, replace(self._options, meta=False), vars(self).get("plan", self._known_plan))

    def _planner(self) -> PredicatePlanner:
        return PredicatePlanner(self._sources, self._conjuncts, self._options.case_sensitive)

    def column_ranges(self, slice_numbers: Sequence[int]) -> list[tuple[Column, list[Bounds]]]:
        """For each column of the predicate that is not nested, the ranges of its values in these file slices of the plan."""
        columns = columns_of(self.predicate).values()
        return [
            (column, self._sources.bounds(column, slice_numbers))
            for column in columns
            if not isinstance(column.type, Nested)
        ]

    def batches(self) -> Iterator[Any]:
        """The engine's batches of matching rows, slice after slice, bounded in size.

        Slices, or row groups where there are few, are read side by side, a few batches ahead. With a limit they are read
        one after the other, up to the last row. An engine that is a `ScanReader` reads the scan as a whole, in no order.
        """
        engine = self._snapshot.engine
        if isinstance(engine, ScanReader):
            return engine.read_scan(self)
        if self._options.limit is None:
            return self._read_unlimited()
        return self._limit(self._options.limit)

    def batches_of_slices(self) -> Iterator[tuple[int, Any]]:
        """The engine's batches of matching rows, each with the number of its slice in the plan, whatever the limit."""
        with self._snapshot.refuse_missing():
            streams = self._watch(self._number_streams(), lambda pair: self._rows.count(pair[1]))
            yield from read_ahead(streams, self._threads(self._read_slices))

    def _number_streams(self) -> list[Callable[[], Iterator[tuple[int, Any]]]]:
        numbers = self._read_slices
        if len(numbers) < READERS:
            return [partial(_number_batches, *part) for part in self._parts(self._reader, numbers)]
        return self._streams([[number] for number in numbers], self._run_numbered)

    def _run_numbered(self, run: Sequence[int], slices: Iterator[FileSlice]) -> Iterator[tuple[int, Any]]:
        return _number_batches(run[0], partial(self._run_batches, self._reader, run, slices))

    def _read_unlimited(self) -> Iterator[Any]:
        with self._snapshot.refuse_missing():
            numbers = self._read_slices
            yield from read_ahead(self._watch(self._side_by_side(self._reader, numbers)), self._threads(numbers))

    def _threads(self, numbers: Sequence[int]) -> int:
        slices = self._snapshot.slices
        return reading_threads(self._snapshot.storage, bytes_of_slices(slices, numbers), count_merged(slices, numbers))

    def _side_by_side(self, reader: SliceReader, numbers: Sequence[int]) -> list[Callable[[], Iterator[Any]]]:
        """The batches of matching rows of these slices as consecutive streams, which may be read side by side."""
        if len(numbers) < READERS:
            return [part for _, part in self._parts(reader, numbers)]
        runs = runs_of_small_files(self._snapshot.slices, numbers)
        return self._streams(runs, partial(self._run_batches, reader))

    def _parts(self, reader: SliceReader, numbers: Sequence[int]) -> Iterator[tuple[int, Callable[[], Iterator[Any]]]]:
        """Streams of few slices, with their numbers: row groups are read side by side."""
        for number in numbers:
            for part in reader.parts(self._snapshot.slices[number], self._residual(number)):
                yield number, part

    def _watch(
        self, streams: Sequence[Callable[[], Iterator[Any]]], count: Callable[[Any], int] | None = None
    ) -> Sequence[Callable[[], Iterator[Any]]]:
        """The streams, which the tally counts, if there is one; `count` gives the rows of what they give, else of batches."""
        tally = self.tally
        if tally is None:
            return streams
        known = {} if self._conjuncts else self._rows_by_footer()
        all_rows = sum(known.values()) if len(known) == len(self._read_slices) else None
        tally.enter(READING, len(streams) or None, all_rows or None)
        return [tally.count_stream(stream, count or self._rows.count) for stream in streams]

    def _streams(
        self,
        runs: Sequence[Sequence[int]],
        read: Callable[[Sequence[int], Iterator[FileSlice]], Iterator[Any]],
        max_slices: int = MAX_SLICES,
    ) -> list[Callable[[], Iterator[Any]]]:
        """The results of `read` for each run of slices, in order; it gets their numbers, and draws the slices as it reads them.
        On remote storage files are fetched some slices ahead."""
        storage, slices = self._snapshot.storage, self._snapshot.slices
        numbers = [number for run in runs for number in run]
        ahead = FilesAhead(storage, slices, numbers, max_slices) if storage.is_remote else None

        def draw(first: int, run: Sequence[int]) -> Iterator[FileSlice]:
            for position, number in enumerate(run, first):
                if ahead is not None:
                    ahead.reach(position)
                yield slices[number]

        firsts = accumulate(map(len, runs), initial=0)
        return [partial(read, run, draw(first, run)) for first, run in zip(firsts, runs, strict=False)]

    def _limit(self, remaining: int) -> Iterator[Any]:
        rows = self._snapshot.engine.rows
        numbers = self._read_slices if remaining else []
        read = partial(self._run_batches, self._reader)
        with self._snapshot.refuse_missing():
            for stream in self._streams([[number] for number in numbers], read, _LIMITED_SLICES):
                for batch in stream():
                    head = rows.slice(batch, 0, remaining)
                    remaining -= rows.count(head)
                    yield head
                    if remaining == 0:
                        return

    @property
    def _read_slices(self) -> list[int]:
        """The numbers of the slices to read."""
        return [int(number) for number in np.flatnonzero(self.plan.codes != SKIP)]

    def count(self) -> int:
        """The number of matching rows, at most the limit. Rows are read only where there is a residual predicate or where
        files are merged."""
        with self._snapshot.refuse_missing():
            by_footer = self._rows_by_footer()
            others = [number for number in self._read_slices if number not in by_footer]
            batches = read_ahead(self._watch(self._side_by_side(self._row_counter, others)), self._threads(others))
            rows = sum(by_footer.values()) + sum(map(self._rows.count, batches))
        return rows if self._options.limit is None else min(rows, self._options.limit)

    def counts(self) -> list[int]:
        """Matching rows of each slice that is read, in order, whatever the limit."""
        rows = self._rows_by_footer()
        others = [number for number in self._read_slices if number not in rows]
        streams = self._streams([[number] for number in others], self._run_count)
        counted = read_ahead(self._watch(streams, lambda count: int(count)), self._threads(others))
        rows.update(zip(others, counted, strict=True))
        return [rows[number] for number in self._read_slices]

    def _rows_by_footer(self) -> dict[int, int]:
        """The rows of the slices, by number, that base files alone make and all match. Rule TABLE-17."""
        numbers = [
            number
            for number in self._read_slices
            if self._residual(number) is None and not self._snapshot.slices[number].logs
        ]
        bases = {number: base for number in numbers if (base := self._snapshot.slices[number].base)}
        self._count_headers()
        footers = self._sources.headers.footers(list(bases.values()))
        return {number: footers[base.path].rows for number, base in bases.items() if base.path in footers}

    def _run_count(self, run: Sequence[int], slices: Iterator[FileSlice]) -> Iterator[int]:
        yield sum(map(self._rows.count, self._run_batches(self._row_counter, run, slices)))

    def _run_batches(self, reader: SliceReader, run: Sequence[int], slices: Iterator[FileSlice]) -> Iterator[Any]:
        if len(run) == 1:
            return reader.read(next(slices), self._residual(run[0]))
        all_match = all(self._residual(number) is None for number in run)
        return reader.together(slices, None if all_match else self.predicate)

    def _residual(self, number: int) -> Predicate | None:
        """The residual predicate of a slice."""
        all_match = self.plan.codes[number] == ALL_MATCH
        return None if all_match or not self._conjuncts else self.predicate

    @cached_property
    def _reader(self) -> SliceReader:
        return SliceReader(self._sources, self.schema, self.predicate, self._damage)

    @cached_property
    def _row_counter(self) -> SliceReader:
        return SliceReader(self._sources, project(self._snapshot.schema, []), self.predicate, self._damage)


def _number_batches(number: int, stream: Callable[[], Iterator[Any]]) -> Iterator[tuple[int, Any]]:
    for batch in stream():
        yield number, batch


def _commit_conjuncts(sources: Sources) -> list[Conjunct]:
    """The conjunct of an incremental query, before all others: it is the reason that is shown."""
    return [] if sources.commits is None else [sources.commits.condition(sources.snapshot.schema)]


def _conjuncts(options: ScanOptions, schema: Schema) -> list[Conjunct]:
    if options.where is None:
        return []
    return [bind_conjunct(part, schema, case_sensitive=options.case_sensitive) for part in conjuncts(options.where)]


def _project_schema(options: ScanOptions, schema: Schema) -> Schema:
    if options.columns is not None:
        return choose_columns(schema, options.columns, case_sensitive=options.case_sensitive)
    if options.meta:
        return schema
    return project(schema, [(field.name,) for field in schema.fields if not is_meta(field.name)])
