"""Data files read to their end by a runner's tasks, which keep the keys to themselves. Rule VALID-910.

A task makes the watches of its files anew, where these look keys up in the metadata table; it sends back what they saw, the
footers without their bloom filters, and the statistics that it made of the values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from hudi_core.engine import Footer, Runner
from hudi_core.metadata.kinds import locates_keys
from hudi_core.metadata.table import BLOOM_FILTERS, RECORD_INDEX
from hudi_core.planning.sources.file_filters import without_filter
from hudi_core.timeline.slices import FileSlice
from hudi_core.validation.bloom_filters import BloomFilters
from hudi_core.validation.contents import FileFacts, KeyWatcher, file_facts
from hudi_core.validation.footers import FOOTERS, Footers
from hudi_core.validation.record_index import KeyLookups, slices_of_task
from hudi_core.validation.subject import DataFile, Subject

_FILES_OF_TASK: Final = 16
_TASKS_AT_ONCE: Final = 4

ToRead = tuple[DataFile, FileSlice | None]
"""A file, and the slice whose keys it has alone where the record index is to place them."""


@dataclass(frozen=True)
class ReadFiles:
    """Reads data files. It can be pickled. `watchers` are the names of the checks that see keys, None for others."""

    subject: Subject
    watchers: tuple[str | None, ...]

    def __call__(self, share: Sequence[ToRead]) -> list[FileFacts]:
        subject = self.subject
        lookups = KeyLookups(subject, [file_slice for _, file_slice in share if file_slice is not None])
        known: dict[str, KeyWatcher] = {
            FOOTERS: Footers(subject), BLOOM_FILTERS: BloomFilters(subject), RECORD_INDEX: lookups,
        }  # fmt: skip
        watchers = [_Unwatched() if name is None else known[name] for name in self.watchers]
        return [_send(file_facts(subject, file, watchers)) for file, _ in share]


class _Unwatched:
    """No watch for any file."""

    def watch(self, file: DataFile, footer: Footer) -> None:
        return None


def _send(facts: FileFacts) -> FileFacts:
    """What is sent of a file."""
    footer = facts.footer
    if footer is not None:
        footer = without_filter(footer)
    return replace(
        facts, footer=footer, watches=[None if watch is None else watch.summarize() for watch in facts.watches]
    )


def facts_elsewhere(runner: Runner, work: ReadFiles, files: Sequence[ToRead]) -> Iterator[FileFacts]:
    """What files hold, in order, read by a runner's tasks some rounds of them one after the other; in one round where each task
    reads the record index."""
    size = _FILES_OF_TASK
    if locates_keys(filter(None, work.watchers)):
        size = slices_of_task(len(files), runner.parallelism)
    rest = iter(files)
    while some := list(islice(rest, size * runner.parallelism * _TASKS_AT_ONCE)):
        shares = [some[start : start + size] for start in range(0, len(some), size)]
        for facts in runner.run(work, shares):
            yield from facts
