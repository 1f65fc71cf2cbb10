"""Records of `bloom_filters` beside the keys of base files. Rules VALID-17, VALID-1040."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from hudi_core.columns.hashes import bloom_filter_key
from hudi_core.engine import Footer
from hudi_core.errors import CorruptFileError, TableError, UnsupportedError
from hudi_core.formats.bloom import parse_bloom_filter
from hudi_core.formats.names import parse_base_file
from hudi_core.metadata.filters import filter_texts
from hudi_core.metadata.lookup import count
from hudi_core.metadata.table import BLOOM_FILTERS, MetadataTable
from hudi_core.paths import name_in
from hudi_core.validation.contents import ContentCheck, FileFacts, KeyWatch, NoWatch
from hudi_core.validation.findings import Finding, Severity, problem, rebuild
from hudi_core.validation.footers import FilterWatch
from hudi_core.validation.subject import DataFile, Subject

_MEND: Final = rebuild(BLOOM_FILTERS)
_MOST_RECORDS: Final = 1 << 40


@dataclass
class BloomFilters(ContentCheck):
    """The check of bloom filters in the metadata table. With virtual keys they do not cover the keys."""

    subject: Subject
    _refused: int = 0
    """How many filters cannot be used."""
    _without: list[str] = field(default_factory=list)
    _with: int = 0

    watcher = BLOOM_FILTERS

    @cached_property
    def _metadata(self) -> MetadataTable | None:
        return self.subject.find_index(BLOOM_FILTERS) if self.subject.stores_keys else None

    def open(self) -> TableError | None:
        """Opens the file groups of the filters, for threads to share; gives what goes wrong."""
        if self._metadata is not None:
            try:
                self._metadata.open_groups(self._metadata.slices(BLOOM_FILTERS))
            except TableError as error:
                self._metadata = None
                return error
        return None

    def watch(self, file: DataFile, footer: Footer) -> KeyWatch | None:
        if self._metadata is None:
            return None
        try:
            texts = dict(
                filter_texts(self._metadata.lookup(BLOOM_FILTERS, [bloom_filter_key(file.partition, file.info.name)]))
            )
            if 0 in texts:
                return FilterWatch(parse_bloom_filter(texts[0], f"{_where(self.subject)}, {file.info.path}"))
        except (CorruptFileError, UnsupportedError) as error:
            return NoWatch(error)
        return None

    def take(self, facts: FileFacts, watch: KeyWatch | None) -> Iterator[Finding]:
        path = facts.file.info.path
        if self._metadata is None or facts.file.is_log:
            return
        if isinstance(watch, NoWatch):
            self._refused += 1
            yield problem(BLOOM_FILTERS, self.subject.root, watch.error, _MEND)
        elif isinstance(watch, FilterWatch):
            self._with += 1
            if watch.denied:
                expected = "a filter that lets all keys of the file pass"
                where = f"{_where(self.subject)}, {path}"
                yield Finding(BLOOM_FILTERS, Severity.ERROR, where, expected, watch.in_words, _MEND)
        elif facts.footer is not None and facts.rows:
            self._without.append(path)

    def end(self) -> Iterator[Finding]:
        if self._metadata is None:
            return
        where = _where(self.subject)
        if self._without:
            found = f"{len(self._without):,} without one, such as {self._without[0]}"
            yield Finding(BLOOM_FILTERS, Severity.INFO, where, "a filter of each base file with rows", found, _MEND)
        try:
            groups = self._metadata.open_groups(self._metadata.slices(BLOOM_FILTERS))
            records = sum(count(group, _MOST_RECORDS) or 0 for group in groups)
        except TableError as error:
            yield problem(BLOOM_FILTERS, self.subject.root, error, _MEND)
            return
        of_cleans = sum(parse_base_file(name_in(path)) is not None for path in self.subject.cleaned)
        surplus = records - self._with - self._refused - of_cleans
        if surplus > 0:
            expected = "filters of base files that are there"
            yield Finding(BLOOM_FILTERS, Severity.WARNING, where, expected, f"{surplus:,} of others", _MEND)


def _where(subject: Subject) -> str:
    return subject.metadata_path(BLOOM_FILTERS)
