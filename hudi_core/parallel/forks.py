"""What threads share, in a process that was forked: the other threads did not come along. Rule ENGINE-1603."""

from __future__ import annotations

import os
import sys
from functools import cached_property
from threading import active_count
from typing import Any, Final, Protocol
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


_others: Final = [0]
"""How many other threads there were when this process was forked."""


def _count_others() -> None:
    _others[0] = active_count() - 1


def _begin_anew() -> None:
    for shared in list(_SHARED):
        shared.begin_anew()
    if sys.version_info < (3, 12) and _others[0]:
        for kept in _list_cached_properties():
            kept.lock._at_fork_reinit()


def _list_cached_properties() -> list[Any]:
    """The cached properties of this library's classes. Python 3.11 has one lock for each, which any thread may have held."""
    return [
        attribute
        for name, module in list(sys.modules.items())
        if name.startswith("hudi_") and not hasattr(module, "__path__")  # packages load modules when they are asked
        for kind in (getattr(module, known) for known in dir(module))
        if isinstance(kind, type) and kind.__module__ == name
        for attribute in (getattr(kind, known, None) for known in dir(kind))
        if isinstance(attribute, cached_property)
    ]


if hasattr(os, "register_at_fork"):  # not on every system
    os.register_at_fork(before=_count_others, after_in_child=_begin_anew)
