"""`Table`: an open Hudi table: its schema, file slices and rows at any instant."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from hudi_core.arguments import AnswersOtherWords, take_flag
from hudi_core.by_need import ModuleByNeed
from hudi_core.engine import Engine, ScanReader, Storage
from hudi_core.errors import CorruptFileError, UnsupportedError, UsageError, describe
from hudi_core.notebook import html_table
from hudi_core.options import PROPERTIES_PATH, UNRELEASED, UNRELEASED_VERSION, TableConfig
from hudi_core.portable import Portable
from hudi_core.reading.damage import OnDamage
from hudi_core.schema.names import names
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.storage_parts import StorageWithLinks
from hudi_core.timeline.instants import Instant
from hudi_core.timeline.timeline import Timeline

if TYPE_CHECKING:
    from hudi_core.changes import changes as changing
    from hudi_core.changes import incremental
    from hudi_core.changes.changes import Changes
    from hudi_core.evolve import apply as evolution
    from hudi_core.evolve.changes import Change
    from hudi_core.expr import sql_predicate
    from hudi_core.expr.build import ExpressionBuilder
    from hudi_core.expr.nodes import Expr
    from hudi_core.metadata.table import MetadataTable
    from hudi_core.planning.sources import sources as planning
    from hudi_core.planning.sources.commits import CommitTimes
    from hudi_core.planning.sources.sources import Sources
    from hudi_core.schema.schema import Schema
    from hudi_core.snapshot import snapshot as snapshots
    from hudi_core.snapshot import time_travel
    from hudi_core.snapshot.footer_cache import FooterCache
    from hudi_core.snapshot.snapshot import Snapshot
    from hudi_core.table import change_effects
    from hudi_core.table import scan as scanning
    from hudi_core.table.scan import Scan
    from hudi_core.timeline import times
    from hudi_core.timeline.slices import FileSlice
    from hudi_core.timeline.times import Time
else:
    # A table is open as soon as its timeline is listed: what plans and reads it is loaded by the first query.
    changing = ModuleByNeed("hudi_core.changes.changes")
    evolution = ModuleByNeed("hudi_core.evolve.apply")
    incremental = ModuleByNeed("hudi_core.changes.incremental")
    change_effects = ModuleByNeed("hudi_core.table.change_effects")
    planning = ModuleByNeed("hudi_core.planning.sources.sources")
    scanning = ModuleByNeed("hudi_core.table.scan")
    snapshots = ModuleByNeed("hudi_core.snapshot.snapshot")
    sql_predicate = ModuleByNeed("hudi_core.expr.sql_predicate")
    time_travel = ModuleByNeed("hudi_core.snapshot.time_travel")
    times = ModuleByNeed("hudi_core.timeline.times")

_TimelineKey = tuple[str | None, str | None, frozenset[str], tuple[Instant, ...]]
"""The key of a cut of the timeline: its limits by requested and by completion time, excluded times, and instants."""


@dataclass(frozen=True)
class Table(Portable, AnswersOtherWords):
    """An open table. It shows the timeline as of opening; `refreshed` returns it with later commits.

    Tables, scans and plans may be shared by threads, and be copied and sent to other processes: a copy shows the same.
    """

    engine: Engine[Any, Any, Any]
    storage: Storage
    config: TableConfig
    timeline: Timeline
    metadata_mode: MetadataMode = MetadataMode.AUTO
    case_sensitive: bool = False
    footer_cache: FooterCache | None = field(default=None, compare=False)
    earlier: MetadataTable | None = field(default=None, repr=False, compare=False)
    """The metadata table as it was read before the table was refreshed."""
    key_options: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    """Options of the key generator that a write states, since the table does not store them (`writing.key_options`)."""
    _snapshots: dict[_TimelineKey, Snapshot] = field(default_factory=dict, repr=False, compare=False)
    _whole: set[_TimelineKey] = field(default_factory=set, repr=False, compare=False)
    """The cuts of which it is known that all files are there."""
    _sources: dict[tuple[*_TimelineKey, CommitTimes | None], Sources] = field(
        default_factory=dict, repr=False, compare=False
    )
    _base_files: dict[_TimelineKey, Sources] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        """A few lines from the properties and the timeline; nothing is read for it."""
        return "\n".join([f"Table {self.config.name}", *(f"  {name}: {value}" for name, value in self._describe())])

    def _repr_html_(self) -> str:
        """What `repr` shows, as a notebook's table."""
        return html_table(self._describe(), title=self.config.name)

    def _describe(self) -> Iterator[tuple[str, str]]:
        config, commits = self.config, self.timeline.commits
        keys, partitions = ", ".join(config.record_key_fields), ", ".join(config.partition_fields)
        yield "at", self.storage.uri
        yield "kind", f"{config.type.value.lower().replace('_', ' ')}, version {config.version}"
        yield "key", f"{keys or 'made by Hudi'}{f', partitioned by {partitions}' if partitions else ''}"
        latest = f", latest {commits[-1].requested_time}" if commits else ""
        yield "commits", f"{len(commits)}{latest}"

    @property
    def schema(self) -> Schema:
        """The latest schema, with column ids, the meta columns first."""
        return self.snapshot().schema

    def schema_at(self, as_of: Time | None) -> Schema:
        """The schema at an instant."""
        return self.snapshot(as_of).schema

    def history(self, as_of: Time | None = None) -> tuple[Schema, ...]:
        """Every schema the table's files were written under, oldest first."""
        return self.snapshot(as_of).history.schemas

    def evolved(self, changes: str | Change | Iterable[str | Change]) -> Schema:
        """The latest schema after changes, as `hudi_core.evolve` makes it; nothing is written.

        Warns (`UserWarning`) for each key, partition or ordering column that is dropped or renamed, since the table's properties
        name it, or whose new type gives stored rows other keys or another order. Raises as `hudi_core.evolve`.
        """
        after = evolution.evolve(self.schema, changes, case_sensitive=self.case_sensitive)
        for warning in change_effects.find_effects(self, after):
            warnings.warn(warning, stacklevel=3)  # behind the look at its arguments
        return after

    def slices(
        self, as_of: Time | None = None, *, where: str | Expr | ExpressionBuilder | None = None
    ) -> Sequence[FileSlice]:
        """The latest slice of each live file group at an instant, by partition and file id; with `where` those alone that can
        hold a matching row. Raises as `scan`, whose plan also has the reasons."""
        return self.snapshot(as_of).slices if where is None else self.scan(where, as_of=as_of).plan.kept()

    def scan(
        self,
        where: str | Expr | ExpressionBuilder | None = None,
        columns: Sequence[str] | None = None,
        as_of: Time | None = None,
        limit: SupportsIndex | None = None,
        meta: bool = True,
        since: Time | None = None,
        until: Time | None = None,
        read_optimized: bool = False,
        on_damage: OnDamage | str = OnDamage.ERROR,
    ) -> Scan:
        """A read of the table: rows that match, columns by dotted name in the order given, at most `limit` of them.

        Without `columns` there are all, with `meta` Hudi's own too. With `since` or `until` the rows are those that changed
        after the one and up to the other, each in its latest state at the end; `since` may be `earliest`. With
        `read_optimized` log files are left out: rows as of the last compaction. Damaged files are an error; with `on_damage` as
        `skip` what cannot be read of them is left out, which `Scan.warnings` names. Nothing is read yet.

        Times are instants, dates and moments as strings, or Python's `datetime` and `date`. A datetime with a zone is a moment;
        without one it is in the zone of the table's timeline, as a string without an offset is. Rule TIME-5. Raises
        `ExpressionError` and `UnknownColumnError` for a predicate or columns that do not fit the schema, `UsageError` for
        what is no predicate, time, limit or list of columns, and for times whose files are cleaned away. Warns
        (`ConditionWarning`) of a condition that is hardly meant: rule EXPR-1513; and of a time that is yet to come: QUERY-1524.
        """
        scan = self._scan(where, columns, as_of, limit, meta, since, until, read_optimized, on_damage)
        if scan.doubts:
            sql_predicate.warn_of(scan.doubts)
        return scan

    def _scan(
        self,
        where: str | Expr | ExpressionBuilder | None,
        columns: Sequence[str] | None,
        as_of: Time | None,
        limit: SupportsIndex | None,
        meta: object,
        since: Time | None,
        until: Time | None,
        read_optimized: object,
        on_damage: OnDamage | str,
    ) -> Scan:
        tree = None if where is None else sql_predicate.predicate_tree(where)
        choice = self._on_damage(on_damage)
        own = take_flag("meta", meta)
        options = scanning.ScanOptions(tree, _names(columns), row_limit(limit), own, self.case_sensitive, choice)
        if take_flag("read_optimized", read_optimized):
            if since is not None or until is not None:
                raise UsageError("read_optimized", expected="no since or until beside it", found="a range of times")
            return scanning.Scan(self._base_files_of(self.snapshot(as_of)), options)
        if since is None and until is None:
            return scanning.Scan(self._sources_of(self.snapshot(as_of), None), options)
        if as_of is not None:
            raise UsageError("as_of", expected="either a time or a range of times", found="both a time and a range")
        begin, end = _time_string(since, "since"), _time_string(until, "until")
        commit_range = incremental.between(self.timeline, self.config, begin, end)
        # Like Apache Hudi under the latest schema, also where the range ends before that schema.
        return scanning.Scan(
            self._sources_of(self._snapshot_of_range(commit_range, end), commit_range.commits), options
        )

    def _on_damage(self, choice: str) -> OnDamage:
        if choice not in OnDamage.__members__.values():
            raise UsageError("on_damage", expected=" or ".join(OnDamage), found=describe(choice))
        if choice == OnDamage.SKIP and isinstance(self.engine, ScanReader):
            raise UnsupportedError(
                "on_damage", expected="an engine that reads in this process", found=f"the engine {self.engine.name}"
            )
        return OnDamage(choice)

    def changes(
        self,
        since: Time | None = None,
        until: Time | None = None,
        where: str | Expr | ExpressionBuilder | None = None,
        columns: Sequence[str] | None = None,
        limit: SupportsIndex | None = None,
        meta: bool = True,
    ) -> Changes:
        """The changes of commits after `since` and up to `until`, one by one: inserts, updates and deletes of rows, each with the
        row before and after, in the columns `op`, `ts_ms`, `before` and `after`.

        `where` and `columns` refer to these columns and their fields (`after.price`); with `meta` rows have Hudi's own
        columns too, which logs of changes lack: without them a table that keeps such logs reads fewer files. Nothing is read
        yet. Raises as `scan` does; reading raises `UsageError` where files that are to be compared are cleaned away. Warns
        as `scan` does.
        """
        chosen, max_rows = _names(columns), row_limit(limit)
        begin, end = _time_string(since, "since"), _time_string(until, "until")
        commit_range = incremental.between(self.timeline, self.config, begin, end)
        return changing.changes(
            self._cut_of(commit_range.timeline, self.timeline),  # each file group is looked at by itself: QUERY-17
            commit_range,
            where,
            chosen,
            max_rows,
            meta=take_flag("meta", meta),
            case_sensitive=self.case_sensitive,
        )

    def snapshot(self, as_of: Time | None = None) -> Snapshot:
        """The table at an instant: a requested time, or another form of a time, as `scan` takes them. None is the latest.

        Raises `UsageError` for a time before the first commit that is known, and for one whose files are cleaned away.
        """
        time = _time_string(as_of, "as_of")
        cut = self.timeline.as_of(time)
        if time is not None:
            time_travel.refuse_unknown(time, self.timeline, cut)
        return self._snapshot_of(cut, time)

    def _snapshot_of(self, cut: Timeline, requested_time: str | None, named_by: Timeline | None = None) -> Snapshot:
        """The snapshot at a cut of the timeline. Raises `UsageError` where files that were current at the requested time may be
        cleaned away."""
        snapshot, key = self._cut_of(cut, named_by), _timeline_key(cut)
        if key not in self._whole:
            time = cut.until or cut.completed_until
            if requested_time is not None and time is not None:
                time_travel.refuse_cleaned(requested_time, time, self.timeline, cut, lambda: snapshot.slices)
            self._whole.add(key)
        return snapshot

    def _snapshot_of_range(self, commit_range: incremental.CommitRange, end: str | None) -> Snapshot:
        """The snapshot at the end of a range, whose files beside those of the range may be cleaned away. Raises `UsageError`
        where files of the range may be."""
        try:
            return self._snapshot_of(commit_range.timeline, end, self.timeline)
        except UsageError as cleaned:
            snapshot = self._cut_of(commit_range.timeline, self.timeline)
            incremental.refuse_lost(commit_range, snapshot.slices, cleaned)
            return snapshot

    def _cut_of(self, cut: Timeline, named_by: Timeline | None) -> Snapshot:
        """What is there of the snapshot at a cut of the timeline: files of it may be cleaned away."""
        key = _timeline_key(cut)
        if key not in self._snapshots:
            self._refuse_other_layout()
            self._snapshots[key] = snapshots.Snapshot(
                self.engine,
                self.storage,
                self.config,
                self.timeline,
                cut,
                self.metadata_mode,
                named_by,
                footer_cache=self.footer_cache,
                earlier=self.earlier,
                resolved=snapshots.resolve_listing(self.timeline),
            )
        return self._snapshots[key]

    def _refuse_other_layout(self) -> None:
        """Raises `CorruptFileError` where the timeline is looked for in the folder of other versions: no row would come."""
        config = self.config
        if config.layout != config.layout_of_version:
            expected = f"{config.layout_of_version} as hoodie.timeline.layout.version, as table version {config.version} has it"
            where = f"{self.storage.uri}/{PROPERTIES_PATH}"
            raise CorruptFileError(where, expected=expected, found=str(config.layout))

    def _base_files_of(self, snapshot: Snapshot) -> Sources:
        key = _timeline_key(snapshot.timeline)
        if key not in self._base_files:
            self._base_files[key] = planning.Sources(replace(snapshot, read_optimized=True))
        return self._base_files[key]

    def _sources_of(self, snapshot: Snapshot, commits: CommitTimes | None) -> Sources:
        key = (*_timeline_key(snapshot.timeline), commits)
        if key not in self._sources:
            self._sources[key] = planning.Sources(snapshot, commits)
        return self._sources[key]

    @property
    def metadata_read(self) -> MetadataTable | None:
        """The metadata table as a query of the latest instant has read it so far, or one before it."""
        return next(
            (metadata for snapshot in self._snapshots.values() if (metadata := snapshot.metadata_read)), self.earlier
        )

    @property
    def warnings(self) -> list[str]:
        """Metadata that could not be used so far, with the reasons, links in the table's folders, and a version that no release
        writes."""
        links = self.storage.links if isinstance(self.storage, StorageWithLinks) else ()
        root = self.storage.uri.rstrip("/")
        return [
            *([UNRELEASED] if self.config.version == UNRELEASED_VERSION else ()),
            *(warning for snapshot in self._snapshots.values() for warning in snapshot.warnings),
            *(f"{root}/{link}: a link, which is not followed" for link in links),
        ]

    def findings(self) -> Iterator[str]:
        """Warnings about the table's properties, one sentence each."""
        yield from self.config.findings
        if self.config.base_file_format.value.lower() not in self.engine.formats:
            yield f"base files are {self.config.base_file_format.value}: their rows cannot be read"
        if not self.config.populate_meta_fields:
            yield "virtual keys: rows have no columns of Hudi's own"
        if self.timeline.pending:
            pending = sorted({f"{instant.action} {instant.requested_time}" for instant in self.timeline.pending})
            yield f"not completed: {', '.join(pending)}"
        if self.config.metadata_partitions_inflight:
            yield f"indexes under construction: {', '.join(sorted(self.config.metadata_partitions_inflight))}"


def _time_string(time: Time | None, name: str) -> str | None:
    return None if time is None else times.time_text(time, name)


def _names(columns: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if columns is None else names(columns, "columns")


def row_limit(limit: SupportsIndex | None) -> int | None:
    """The greatest number of rows. Raises `UsageError` for what is no whole number from 0 on."""
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, SupportsIndex):
        raise UsageError("limit", expected="a whole number of rows", found=describe(limit))
    max_rows = index(limit)
    if max_rows < 0:
        raise UsageError("limit", expected="0 rows or more", found=str(max_rows))
    return min(max_rows, sys.maxsize)


def _timeline_key(timeline: Timeline) -> _TimelineKey:
    return timeline.until, timeline.completed_until, timeline.excluded_times, timeline.instants
