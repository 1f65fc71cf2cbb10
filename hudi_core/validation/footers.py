"""Footers of base files beside what the files hold: schema, rows, statistics, key range, bloom filter. Rule VALID-13."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_list
from hudi_core.engine import Footer
from hudi_core.errors import CorruptFileError, HudiError, SchemaError, TableError, UnsupportedError
from hudi_core.evolve.reconcile import reconcile
from hudi_core.formats.bloom import BloomFilter, HashedKeys, parse_bloom_filter
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.formats.names import METADATA_BOOTSTRAP
from hudi_core.planning.sources.file_filters import text_in_footer
from hudi_core.pruning.statistics import from_leaves
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.tagging.slice_keys import footer_bounds
from hudi_core.types import nodes as t
from hudi_core.validation.contents import ContentCheck, FileFacts, KeyWatch, NoWatch
from hudi_core.validation.cover import denials
from hudi_core.validation.findings import Finding, Severity, by_hand, problem
from hudi_core.validation.subject import DataFile, Subject

FOOTERS: Final = "footers"
_LEAVES_TOGETHER: Final = 4096
_REWRITE: Final = by_hand("write the rows of the file group again: update or cluster it")


@dataclass(slots=True)
class FilterWatch:
    """Puts keys to a bloom filter, and counts those that it denies."""

    filter: BloomFilter | None
    denied: int = 0
    example: str = ""

    def summarize(self) -> FilterWatch:
        return FilterWatch(None, self.denied, self.example)

    def take(self, keys: StringColumn) -> None:
        assert self.filter is not None
        passed = self.filter.may_contain(HashedKeys(keys))
        missing = np.flatnonzero(~passed)
        if len(missing) and not self.denied:
            self.example = string_list(keys)[missing[0]]
        self.denied += len(missing)

    @property
    def in_words(self) -> str:
        """What was denied, for a finding."""
        return f"{self.denied:,} keys denied, {self.example!r} among them"


@dataclass(frozen=True, slots=True)
class _Leaf:
    """Statistics of a column as a footer states them, and as its values have them."""

    where: str
    stated: LeafStatistics
    held: LeafStatistics


@dataclass(frozen=True)
class Footers(ContentCheck):
    """The check of footers."""

    subject: Subject
    _leaves: dict[t.Type, list[_Leaf]] = field(default_factory=dict)
    """Statistics that were not compared yet, by type."""

    watcher = FOOTERS

    def watch(self, file: DataFile, footer: Footer) -> KeyWatch | None:
        text = text_in_footer(footer) if self.subject.stores_keys else None
        if text is None:
            return None
        try:
            return FilterWatch(parse_bloom_filter(text, f"{file.info.path}, bloom filter"))
        except CorruptFileError as error:
            return NoWatch(error)
        except UnsupportedError:
            return None

    def take(self, facts: FileFacts, watch: KeyWatch | None) -> Iterator[Finding]:
        if facts.file.is_log:
            return
        path, footer = facts.file.info.path, facts.footer
        if facts.problem is not None:
            yield problem(FOOTERS, self.subject.root, facts.problem, _REWRITE, path)
        if footer is None:
            return
        if isinstance(watch, NoWatch):
            yield problem(FOOTERS, self.subject.root, watch.error, _REWRITE)
        if isinstance(watch, FilterWatch) and watch.denied:
            expected = "a bloom filter that lets all keys of the file pass"
            yield Finding(FOOTERS, Severity.ERROR, path, expected, watch.in_words, _REWRITE)
        yield from self._schema(facts.file, footer)
        yield from self._rows(facts, footer)
        yield from self._statistics(facts, footer)
        yield from self._key_range(facts, footer)

    def end(self) -> Iterator[Finding]:
        for kind in list(self._leaves):
            yield from self._compare(kind)

    def _schema(self, file: DataFile, footer: Footer) -> Iterator[Finding]:
        """A schema of which the table's rows cannot be read."""
        wanted = self.subject.schema
        if file.instant == METADATA_BOOTSTRAP or wanted is None:
            return
        try:
            stored = self.subject.sources.headers.read_stored_schema(footer, file.info.path)
            reconcile(stored, wanted, nulls_for_required=True)
        except TableError as error:
            yield problem(FOOTERS, self.subject.root, error, _REWRITE)
        except SchemaError as error:
            found = _in_words(error)
            yield Finding(
                FOOTERS, Severity.ERROR, file.info.path, "a schema that reads as the table's", found, _REWRITE
            )
        if self.subject.stores_keys and footer.schema.find((RECORD_KEY,)) is None:
            expected = f"the column {RECORD_KEY}"
            yield Finding(FOOTERS, Severity.ERROR, file.info.path, expected, "none", _REWRITE)

    def _rows(self, facts: FileFacts, footer: Footer) -> Iterator[Finding]:
        groups = sum(group.rows for group in footer.row_groups)
        stated = {footer.rows, groups} if footer.row_groups else {footer.rows}
        if stated != {facts.rows}:
            found = " and ".join(f"{count:,}" for count in sorted(stated))
            yield Finding(FOOTERS, Severity.ERROR, facts.file.info.path, f"{facts.rows:,} rows", found, _REWRITE)

    def _statistics(self, facts: FileFacts, footer: Footer) -> Iterator[Finding]:
        """Compares statistics, those of many files together."""
        for path, held in (facts.columns or {}).items():
            stated = footer.statistics.get(path)
            if stated is not None and stated.type == held.type:
                leaves = self._leaves.setdefault(held.type, [])
                leaves.append(_Leaf(f"{facts.file.info.path}, statistics of {'.'.join(path)}", stated, held))
                if len(leaves) >= _LEAVES_TOGETHER:
                    yield from self._compare(held.type)

    def _compare(self, kind: t.Type) -> Iterator[Finding]:
        leaves = self._leaves.pop(kind)
        stated, held = (
            from_leaves(kind, part) for part in ([leaf.stated for leaf in leaves], [leaf.held for leaf in leaves])
        )
        for denial in denials(stated, held):
            where = leaves[denial.row].where
            yield Finding(FOOTERS, Severity.ERROR, where, denial.expected, denial.found, _REWRITE)

    def _key_range(self, facts: FileFacts, footer: Footer) -> Iterator[Finding]:
        """The least and greatest key that the writer has put into the footer."""
        stated = footer_bounds(replace(footer, statistics={}))
        if facts.keys is None or stated is None or not self.subject.stores_keys:
            return
        least, greatest = facts.keys
        if stated[0] > least or stated[1] < greatest:
            expected = f"keys from {_text(least)} to {_text(greatest)}"
            found = f"{_text(stated[0])} to {_text(stated[1])}"
            where = f"{facts.file.info.path}, key range"
            yield Finding(FOOTERS, Severity.ERROR, where, expected, found, _REWRITE)


def _in_words(error: HudiError) -> str:
    return " ".join(str(error).split())


def _text(key: bytes) -> str:
    return repr(key.decode("utf-8", "replace"))
