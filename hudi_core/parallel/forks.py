"""What threads share, in a process that was forked: the other threads did not come along. Rule ENGINE-1603."""

from __future__ import annotations

import os
from typing import Final, Protocol
from weakref import WeakSet


class Shared(Protocol):
    """Something that hands work to threads, or that they lock."""

    def begin_anew(self) -> None:
        """Waits for nothing that a thread of the other process was about to do."""
        ...


_SHARED: Final = WeakSet[Shared]()


def begin_anew_when_forked(shared: Shared) -> None:
    """Has an object begin anew in a process that is forked from this one, as long as it is there."""
    _SHARED.add(shared)


def _begin_anew() -> None:
    for shared in list(_SHARED):
        shared.begin_anew()


if hasattr(os, "register_at_fork"):  # not on every system
    os.register_at_fork(after_in_child=_begin_anew)
