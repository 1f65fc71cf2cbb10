"""Which file slices a scan reads together in one task, and how many it has to read for a limit."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Final

from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.remote import SliceRead

TASK_BYTES: Final = 128 << 20
"""Bytes of files that one task reads, if there are enough."""
MAX_FOOTERS: Final = 4096
"""Footers that one process reads to plan; more of them are the work of a runner."""
_FOOTERS_AT_ONCE = 64


def balance_tasks(parts: Sequence[SliceRead], count: int) -> list[list[SliceRead]]:
    """The parts in at most `count` tasks of about equal bytes, none empty: the largest part first into the smallest task."""
    tasks: list[list[SliceRead]] = [[] for _ in range(min(count, len(parts)))]
    heap = [(0, index) for index in range(len(tasks))]
    for part in sorted(parts, key=lambda part: part.size, reverse=True):
        size, index = heap[0]
        tasks[index].append(part)
        heapq.heapreplace(heap, (size + max(part.size, 1), index))
    return tasks


def tasks_of_size(parts: Sequence[SliceRead], min_count: int) -> list[list[SliceRead]]:
    """The parts in tasks of `TASK_BYTES`, in `min_count` smaller ones where these would be fewer."""
    total = sum(part.size for part in parts)
    return balance_tasks(parts, max(min_count, -(-total // TASK_BYTES)))


def parts_for_limit(sources: Sources, parts: Sequence[SliceRead], limit: int) -> Sequence[SliceRead]:
    """The first parts whose footers add up to `limit` rows; all parts where no such parts can be counted without reading rows."""
    countable = [
        (part, part.slice.base) for part in parts if part.slice.base and not part.slice.logs and not part.filtered
    ]
    rows = 0
    for start in range(0, min(len(countable), MAX_FOOTERS), _FOOTERS_AT_ONCE):
        chunk = countable[start : start + _FOOTERS_AT_ONCE]
        footers = sources.headers.footers([base for _, base in chunk])
        for count, (_, base) in enumerate(chunk, start=start + 1):
            rows += footers[base.path].rows if base.path in footers else 0
            if rows >= limit:
                return [part for part, _ in countable[:count]]
    return parts
