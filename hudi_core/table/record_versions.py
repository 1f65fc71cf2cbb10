"""Every stored version of a record: the file that holds it, the write that made it, and why readers see it or not.

Rules TABLE-671, TABLE-672.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from hudi_core.columns.strings import string_column
from hudi_core.engine import FileInfo
from hudi_core.errors import UnsupportedError, UsageError, list_names
from hudi_core.expr.bind import bind
from hudi_core.expr.build import col
from hudi_core.expr.predicate import Predicate
from hudi_core.expr.sql_predicate import predicate_tree
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.merge.records import NO_ROW, Precedence
from hudi_core.merge.rules import MergeRules, merge_rules
from hudi_core.notebook import show_briefly
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.merged_slices import MergedSlices
from hudi_core.reading.selection import Selection
from hudi_core.schema.meta import COMMIT_SEQNO, COMMIT_TIME, RECORD_KEY
from hudi_core.table.table import Table
from hudi_core.tally import READING_FILES, Tally
from hudi_core.timeline.instants import time_order
from hudi_core.timeline.slices import FileSlice, slices_of

_WINS: Final = {
    Precedence.HIGHER: ("the higher value", "the newer version"),
    Precedence.HIGHER_OR_OLDER: ("the higher value", "the older version"),
    Precedence.LOWER: ("the lower value", "the newer version"),
}
"""Which of two ordering values wins, and which of two versions with equal ones."""


@show_briefly
@dataclass(frozen=True, slots=True)
class RecordVersion:
    """One stored copy of a record, or its delete.

    `instant` is the write that made this version, `file_instant` the one that wrote the file. A later write of the file group
    copies what it leaves as it is: `copies` counts the files that have the version, `file` is the latest of them. `seen` says
    whether readers of the latest state get it, `why` the reason.
    """

    instant: str | None
    operation: str | None
    partition: str
    file: str
    file_instant: str
    deletes: bool
    ordering: tuple[Any, ...]
    copies: int
    seen: bool
    why: str
    row: Mapping[str, Any] | None

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**fields, "ordering": list(self.ordering), "row": None if self.row is None else dict(self.row)}


def record_versions(
    table: Table, key: str, partition: str | None = None, tally: Tally | None = None
) -> list[RecordVersion]:
    """The versions of a record that the table's files hold, the oldest write first; with `partition` those of one partition.
    `tally` gets how many of the files are looked into.

    All base files of which the footer does not rule the key out are opened, and all log files. Raises `UnsupportedError` for a
    table with virtual keys, and as reading does.
    """
    if not table.config.populate_meta_fields:
        raise UnsupportedError(table.storage.uri, expected="rows with their record keys", found="virtual keys")
    snapshot = table.snapshot()
    files = list(snapshot.listing.infos())
    partitions = sorted({of_partition for of_partition, _ in files})
    if partition is not None and partition not in partitions:
        raise UsageError(
            "partition", expected=f"a partition of the table ({list_names(partitions)})", found=repr(partition)
        )
    chosen = [place for place in files if partition is None or place[0] == partition]
    if tally is not None:
        tally.enter(READING_FILES, len(chosen))
    slices = [_slice_of_file(*place) for place in chosen]
    # A partition may have no slice that readers of the latest state see.
    stored = snapshot.of_slices(slices_of([file_slice for file_slice in slices if file_slice is not None]))
    tracer = _Tracer(table, Sources(snapshot), Sources(stored), key)
    copies: list[RecordVersion] = []
    for file_slice in slices:
        copies += () if file_slice is None else tracer.versions(file_slice)
        if tally is not None:
            tally.add(done=1)
    copies.sort(key=lambda version: (time_order(version.file_instant), version.file))
    versions: dict[object, RecordVersion] = {}
    for copy in copies:
        known = copy.file if copy.row is None else (copy.partition, copy.row.get(COMMIT_SEQNO), copy.deletes)
        earlier = versions.pop(known, None)
        versions[known] = copy if earlier is None else replace(copy, copies=earlier.copies + 1)
    return tracer.explain(list(versions.values()))


def _slice_of_file(partition: str, file: FileInfo) -> FileSlice | None:
    """A data file as a slice of its own; None for another file."""
    base, log = parse_base_file(file.name), parse_log_file(file.name)
    if base is not None:
        return FileSlice(partition, base.file_id, base.instant, file)
    if log is not None and not log.suffix:
        return FileSlice(partition, log.file_id, log.instant, None, (file,))
    return None


@dataclass(frozen=True)
class _Tracer:
    table: Table
    sources: Sources
    stored: Sources
    """All files, each as a slice of its own."""
    key: str

    def versions(self, file_slice: FileSlice) -> Iterator[RecordVersion]:
        """The record's versions in one file. Their reasons are still to be stated."""
        return self._in_log(file_slice) if file_slice.base is None else self._in_base(file_slice)

    def _in_base(self, file_slice: FileSlice) -> Iterator[RecordVersion]:
        base, schema = file_slice.base, self.sources.snapshot.schema
        assert base is not None
        predicate: Predicate = bind(predicate_tree(col(RECORD_KEY) == self.key), schema)
        selection = Selection(self.table.engine, schema, schema, predicate)
        for batch in BaseFiles(self.stored).matching(file_slice, base, selection, predicate):
            for row in self.table.engine.rows.to_json(batch, schema):
                yield self._version(file_slice, base, row)

    def _in_log(self, file_slice: FileSlice) -> Iterator[RecordVersion]:
        (log,) = file_slice.logs
        rows = self.table.engine.rows
        columns, stored, _ = MergedSlices(BaseFiles(self.stored)).log_records(file_slice, self.sources.snapshot.schema)
        if stored.keys is None or not len(stored.records):
            return
        first = int(stored.keys.find(string_column([self.key]))[0])
        for record in np.flatnonzero(stored.key_ids == first).tolist() if first >= 0 else ():
            source = int(stored.records.sources[record].max(initial=NO_ROW))
            if source == NO_ROW:
                yield self._version(file_slice, log, None)
                continue
            places = [np.array([source])] * len(columns.schema.fields)
            for batch in rows.gather(stored.batches, places, columns.schema):
                for row in rows.to_json(batch, columns.schema):
                    yield replace(self._version(file_slice, log, row), deletes=bool(stored.records.deleted[record]))

    def _version(self, file_slice: FileSlice, file: FileInfo, row: Mapping[str, Any] | None) -> RecordVersion:
        instant = file_slice.instant if row is None else row.get(COMMIT_TIME) or file_slice.instant
        ordering = () if row is None else tuple(row.get(name) for name in self._rules.ordering_fields)
        operation = next(
            (
                self.table.timeline.operation(one)
                for one in self.table.timeline.commits
                if one.requested_time == instant
            ),
            None,
        )
        return RecordVersion(
            instant,
            operation,
            file_slice.partition,
            file.path,
            file_slice.instant,
            row is None,
            ordering,
            1,
            False,
            "",
            row,
        )

    def explain(self, versions: list[RecordVersion]) -> list[RecordVersion]:
        """The versions with the reason why each is seen or not."""
        slices = self.sources.snapshot.slices
        live = {file.path: file_slice for file_slice in slices for file in file_slice.files}
        shown = self.table.scan(where=col(RECORD_KEY) == self.key, columns=[COMMIT_SEQNO]).to_json_rows()
        numbers = {row[COMMIT_SEQNO] for row in shown}

        def is_seen(version: RecordVersion) -> bool:
            row = version.row
            return version.file in live and row is not None and not version.deletes and row[COMMIT_SEQNO] in numbers

        marked = [replace(version, seen=is_seen(version)) for version in versions]
        explained = []
        for version in marked:
            file_slice = live.get(version.file)
            if file_slice is None:
                explained.append(replace(version, why=self._explain_superseded(version, marked)))
                continue
            rivals = [other for other in marked if live.get(other.file) is file_slice and other is not version]
            explained.append(replace(version, why=self._reason(version, rivals)))
        return explained

    def _explain_superseded(self, version: RecordVersion, versions: list[RecordVersion]) -> str:
        """Why no reader of the latest state opens the file of a version."""
        file_id = _file_id(version.file)
        replaced = self.table.timeline.replaced.get((version.partition, file_id))
        if replaced is not None:
            return f"{replaced} replaced its file group"
        later = next(
            (time for time in self._slice_times(version.partition, file_id) if time > version.file_instant), None
        )
        if later is None:
            return "no completed write has its file"
        again = any(
            other is not version
            and _file_id(other.file) == file_id
            and (other.instant or "") <= later <= other.file_instant
            for other in versions
        )
        return f"{later} wrote the record again" if again else f"{later} wrote its file group without the record"

    def _slice_times(self, partition: str, file_id: str) -> list[str]:
        """The times of the base files of a file group, in order."""
        names = (
            parse_base_file(file.name) for folder, file in self.sources.snapshot.listing.infos() if folder == partition
        )
        return sorted(name.instant for name in names if name is not None and name.file_id == file_id)

    def _reason(self, version: RecordVersion, rivals: list[RecordVersion]) -> str:
        """Why a version of a file that is read wins or loses against those beside it."""
        if not rivals:
            return (
                "it deletes a record that is not there" if version.deletes else "it is the only one in its file slice"
            )
        rule = self._rules.precedence
        winner = next((rival for rival in rivals if rival.seen), None)
        if version.seen:
            others = [rival.ordering for rival in rivals if rival.ordering]
            if rule is Precedence.NEWER or not others or not version.ordering:
                return "it was written last"
            best = max(others, key=_comparable)
            return self._compare(version.ordering, best, rule)
        if version.deletes:
            return "it deletes the record" if winner is None else "a row with a higher ordering value outlives it"
        if winner is None:
            deleting = next((rival.file for rival in reversed(rivals) if rival.deletes), None)
            return "another version takes its place" if deleting is None else f"the delete in {deleting} takes it away"
        if rule is Precedence.NEWER or not winner.ordering or not version.ordering:
            return f"{winner.instant} wrote the record again"
        return self._compare(version.ordering, winner.ordering, rule)

    def _compare(self, values: tuple[Any, ...], others: tuple[Any, ...], rule: Precedence) -> str:
        of_values, of_equals = _WINS[rule]
        if _comparable(values) == _comparable(others):
            return f"{self._ordering(values)} in both: {of_equals} wins"
        return f"{self._ordering(values)} beside {self._ordering(others)}: {of_values} wins"

    def _ordering(self, values: tuple[Any, ...]) -> str:
        names = self._rules.ordering_fields
        return ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=False))

    @property
    def _rules(self) -> MergeRules:
        return merge_rules(self.table.config, self.table.storage.uri)


def _file_id(path: str) -> str:
    name = path.rpartition("/")[2]
    parsed = parse_base_file(name) or parse_log_file(name)
    return "" if parsed is None else parsed.file_id


def _comparable(values: tuple[Any, ...]) -> list[tuple[bool, bool, Any]]:
    """Values of JSON in an order for people's sake: null first, then numbers, then texts."""
    numbers = [isinstance(value, int | float) for value in values]
    return [
        (value is not None, not is_number, value if is_number else str(value))
        for value, is_number in zip(values, numbers, strict=True)
    ]
