"""Who holds a lock: host, process and its start, as one text, and whether that process is still there. Rules COMMIT-320,
COMMIT-321, COMMIT-1140 and COMMIT-1474."""

from __future__ import annotations

import os
import socket
from enum import StrEnum
from pathlib import Path
from threading import current_thread
from typing import Final
from uuid import uuid4

_WRITER: Final = "hudi-core"
_NOT_KNOWN: Final = "-"
_LEAST, _WHOLE = 4, 8
"""How many words the text of an owner has at least, and with what the system says of the process."""
_ENDED: Final = ("Z", "X", "x")
"""States of processes that run no more."""


class Life(StrEnum):
    """Whether the owner of a lock is at work."""

    ALIVE = "alive"
    DEAD = "dead"
    UNKNOWN = "unknown"


def this_owner() -> str:
    """The thread that runs this, as the owner of a lock: never the same text twice."""
    process = os.getpid()
    thread = "_".join(current_thread().name.split()) or _NOT_KNOWN
    words = (_WRITER, socket.gethostname(), process, thread, uuid4().hex, _start(process), _boot(), _space())
    return " ".join(str(word or _NOT_KNOWN) for word in words)


def life_of(owner: str) -> Life:
    """Whether an owner is at work: known for processes that this system would see, unknown for all others.

    A process is seen where the kernel was booted once since and the numbers of processes are of one space; on systems that state
    neither, and for owners of older versions, where the host has the same name. Where the system does not show when it began, it
    is not known to be another one. Rule COMMIT-1474.
    """
    words = owner.split()
    if len(words) < _LEAST or words[0] != _WRITER or not words[2].isdecimal():
        return Life.UNKNOWN
    host, process = words[1], int(words[2])
    start, boot, space = words[5:_WHOLE] if len(words) >= _WHOLE else (_NOT_KNOWN,) * 3
    if (boot, space) != (_NOT_KNOWN, _NOT_KNOWN):
        if (boot, space) != (_boot() or _NOT_KNOWN, _space() or _NOT_KNOWN):
            return Life.UNKNOWN
    elif host != socket.gethostname():
        return Life.UNKNOWN
    if not _is_there(process):
        return Life.DEAD
    begun = _start(process)
    if start == _NOT_KNOWN or not begun:
        return Life.UNKNOWN
    return Life.ALIVE if begun == start else Life.DEAD


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    # One that ended keeps its number until its parent asks for its end, which some first processes of containers never do.
    return _read_field(process, 0) not in _ENDED


def _start(process: int) -> str:
    """When a process began, in the system's own units; empty where it does not say."""
    return _read_field(process, 19)


def _read_field(process: int, field: int) -> str:
    """Reads what the system says of a process, by the place after its name; empty where it does not say."""
    text = _text(f"/proc/{process}/stat")
    # The name of the program, in parentheses, may have blanks and parentheses.
    fields = text.rpartition(")")[2].split()
    return fields[field] if len(fields) > field else ""


def _boot() -> str:
    return _text("/proc/sys/kernel/random/boot_id").strip()


def _space() -> str:
    """The space of process numbers: containers have their own."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""  # a system without it


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return ""  # a system without it, or a process that is gone
