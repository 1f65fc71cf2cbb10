"""How much is done at the same time: computing on processors, and waiting for storage. Rule ENGINE-1626."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

_GROUPS: Final = "/proc/self/cgroup"
_MOUNT: Final = "/sys/fs/cgroup"
"""Where Linux states the control groups of a process, and where their limits are: cgroups(7)."""


def count_processors(groups: str = _GROUPS, mount: str = _MOUNT) -> int:
    """How many processors the process may use: those of its affinity, or fewer where its control groups limit their time, as
    those of containers do."""
    return max(1, min([_schedulable(), *_quotas(groups, mount)]))


def _schedulable() -> int:
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas(groups: str, mount: str) -> Iterator[int]:
    """The processors that the control groups of the process and those above them allow, parts of one counted as one. A group that
    the process does not see, as from within a container, has no limit here; the one of the container is above it."""
    for line in _read(groups).splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        folders = [path, *map(str, PurePosixPath(path).parents)]
        if "cpu" in controllers.split(","):  # of the first version
            for folder in folders:
                yield from _quota(f"{mount}/cpu{folder}", "cpu.cfs_quota_us", "cpu.cfs_period_us")
        elif number == "0":
            for folder in folders:
                yield from _quota(f"{mount}{folder}", "cpu.max")


def _quota(folder: str, *names: str) -> Iterator[int]:
    """The limit in the files of a group: time, and the time in which it may be used. Nothing where it has none."""
    words = " ".join(_read(f"{folder}/{name}") for name in names).split()
    if len(words) == 2 and all(word.isdecimal() for word in words) and int(words[1]):  # `max` and -1 stand for no limit
        yield -(-int(words[0]) // int(words[1]))


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:  # no Linux, or no such group: no limit is known
        return ""


PROCESSORS: Final = count_processors()
"""Processors that this process may use."""

STORAGE_REQUESTS: Final = 64
"""Requests in flight to storage, where no option states another number: their threads wait, they do not compute."""

READERS: Final = max(2, PROCESSORS)
"""Threads that read and decode: one waits for storage while the other computes, so two at least."""
