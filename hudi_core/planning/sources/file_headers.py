"""Footers of base files and headers of log files, read side by side and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

from hudi_core.engine import FileInfo, Footer, OpenedFile
from hudi_core.errors import CorruptFileError, HudiError, TableError
from hudi_core.formats.names import METADATA_BOOTSTRAP, parse_base_file
from hudi_core.parallel.ordered import in_order, request_threads
from hudi_core.planning.sources.bootstraps import Bootstrap
from hudi_core.planning.sources.file_filters import text_in_footer, without_filter
from hudi_core.planning.sources.joined_file import JoinedFile
from hudi_core.planning.sources.log_headers import UNREADABLE, LogHeaders, log_headers
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tally import READING_FOOTERS, Tally
from hudi_core.timeline.slices import FileSlice

T = TypeVar("T")

FILTER_BYTES: Final = 512 << 20
"""How large the bloom filters in footers may be together that a plan keeps. A thousand of Hudi's default size have 430 MB."""


@dataclass(slots=True)
class _KeptFilters:
    """The bloom filters that are kept of footers."""

    size: int = 0

    def keep(self, footer: Footer) -> Footer:
        """The footer, without its filter where there is no room for it."""
        size = self.size + len(text_in_footer(footer) or b"")
        if size > FILTER_BYTES:
            return without_filter(footer)
        self.size = size
        footer.release()
        return footer


@dataclass(frozen=True)
class FileHeaders:
    """The headers of a snapshot's files, each read when first needed. Bloom filters in footers are kept of files that were read
    for planning, up to `FILTER_BYTES` of them. Rule SOURCE-1380."""

    snapshot: Snapshot
    _footers: dict[str, Footer] = field(default_factory=dict, repr=False, compare=False)
    _planning_footers: dict[str, Footer] = field(default_factory=dict, repr=False, compare=False)
    """Footers as planning uses them: of files that were read, and from the snapshot's cache."""
    _filters: _KeptFilters = field(default_factory=_KeptFilters, repr=False, compare=False)
    _logs: dict[str, LogHeaders] = field(default_factory=dict, repr=False, compare=False)
    _stored: dict[tuple[int, Schema], Schema] = field(default_factory=dict, repr=False, compare=False)
    tallies: list[Tally] = field(default_factory=list, repr=False, compare=False)
    """What counts the footers and headers that are read: one tally, or none."""

    def count_for(self, tally: Tally | None) -> None:
        """Lets a tally, and no other any more, count the footers and headers that are read."""
        self.tallies[:] = [] if tally is None else [tally]

    def open_file(self, file: FileInfo) -> OpenedFile[Any]:
        """A base file for its footer and its rows, of which nothing is kept here; raises what goes wrong. One of a bootstrap
        comes with the columns of its rows. Rule TABLE-730."""
        opened: OpenedFile[Any] = self.snapshot.engine.reader(file.extension).open(self.snapshot.storage, file)
        base = parse_base_file(file.name)
        if base is None or base.instant != METADATA_BOOTSTRAP:
            return opened
        engine, bootstrap = self.snapshot.engine, self._bootstrap
        source = bootstrap.source(file.path.rpartition("/")[0], base.file_id)
        other = engine.reader(source.extension).open(bootstrap.sources, source)
        return JoinedFile(engine, opened, other, f"{self.snapshot.storage.uri}/{file.path}")

    @cached_property
    def _bootstrap(self) -> Bootstrap:
        return Bootstrap(self.snapshot.engine, self.snapshot.storage, self.snapshot.config)

    def footer(self, file: FileInfo) -> Footer:
        """The footer of a base file, without its bloom filter unless planning keeps it; raises what goes wrong."""
        if file.path not in self._footers:
            self._keep(file, without_filter(self.open_file(file).footer))
        return self._footers[file.path]

    def footer_read(self, file: FileInfo) -> Footer | None:
        """The footer of a base file if it was read before."""
        return self._footers.get(file.path)

    def footers(self, files: Sequence[FileInfo]) -> Mapping[str, Footer]:
        """Footers of base files as planning uses them, by path, with others that are known: rows, columns, statistics.

        They are read, unless the snapshot's cache keeps them. Those that cannot be read are missing, with a warning.
        """
        missing = {file.path: file for file in files if file.path not in self._planning_footers}
        cache, root = self.snapshot.footer_cache, self.snapshot.storage.uri
        if not missing:
            return self._planning_footers
        if cache is not None:
            with self._aside():
                self._planning_footers.update(cache.get(root, list(missing.values())))
        for file, footer in self._read_together(missing, self._planning_footers, self._read_footer):
            if footer is not None:
                self._keep(file, self._filters.keep(footer))
        if cache is not None:
            with self._aside():
                cache.put(root, {file: self._footers[path] for path, file in missing.items() if path in self._footers})
        return self._planning_footers

    def _read_footer(self, file: FileInfo) -> Footer:
        return self._footers.get(file.path) or self.open_file(file).footer

    def _keep(self, file: FileInfo, footer: Footer) -> None:
        self._footers[file.path] = self._planning_footers[file.path] = footer

    def are_known(self, slice: FileSlice) -> bool:
        """Whether the headers of all of a slice's files were read, so that they cost nothing again."""
        base_is_known = slice.base is None or slice.base.path in self._planning_footers
        return base_is_known and all(log.path in self._logs for log in slice.logs)

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """A cache that cannot be used costs time, with one warning."""
        try:
            yield
        except TableError as error:
            message = f"{error}; footers are read from their files"
            if message not in self.snapshot.warnings:
                self.snapshot.warnings.append(message)

    def logs(self, files: Sequence[FileInfo]) -> Mapping[str, LogHeaders]:
        """Headers of log files, by path, with others that are known; with a warning where they cannot be read."""
        wanted = {file.path: file for file in files}
        for file, headers in self._read_together(wanted, self._logs, self._read_log):
            self._logs[file.path] = UNREADABLE if headers is None else headers
        return self._logs

    def read_stored_schema(self, footer: Footer, path: str) -> Schema:
        """A base file's own schema, with the column ids of the version it was written under. Raises `CorruptFileError` for a
        file without any column of the table. Rule READ-1281."""
        base = parse_base_file(path.rpartition("/")[2])
        history = self.snapshot.history
        version = history.number_at(base.instant) if base else 0
        key = (version, footer.schema)
        if key not in self._stored:
            stored = history.identify(footer.schema, version)
            _refuse_foreign(stored, self.snapshot.schema, f"{self.snapshot.storage.uri}/{path}")
            self._stored[key] = stored
        return self._stored[key]

    def _read_log(self, file: FileInfo) -> LogHeaders:
        return log_headers(file.name, self.snapshot.storage.open(file.path, file.size))

    def _read_together(
        self, wanted: Mapping[str, FileInfo], cached: Mapping[str, object], read: Callable[[FileInfo], T]
    ) -> Iterator[tuple[FileInfo, T | None]]:
        """Reads by path what is not known; None, with a warning, for what cannot be read."""

        def attempt(file: FileInfo) -> T | None:
            try:
                return read(file)
            except HudiError as error:
                self.snapshot.warnings.append(f"{error}; its statistics are not used")
                return None

        missing = [file for path, file in wanted.items() if path not in cached]
        if missing:
            for tally in self.tallies:
                tally.enter(READING_FOOTERS, len(missing))
        threads = request_threads(self.snapshot.storage)
        for file, content in zip(missing, in_order(attempt, missing, threads), strict=True):
            yield file, content
            for tally in self.tallies:
                tally.add(done=1)


def _refuse_foreign(stored: Schema, table: Schema, where: str) -> None:
    """Raises `CorruptFileError` for a file without any column of the table, not even one that Hudi adds: all columns would be
    null in its rows."""
    if not any(field.id in table.places or table.find(field.name) is not None for field in stored.fields):
        names = ", ".join(field.name for field in stored.fields)
        raise CorruptFileError(where, expected="a base file, with columns of the table", found=f"a file of {names}")
