"""Storage on which the first task of executors that writes a data file comes to grief as tasks of Spark do.

`task`      its worker dies when the file is written
`executor`  its executor dies then, with all that it holds
`slow`      it stops before the file until Spark has run it a second time elsewhere, and Spark kills it
`zombie`    its executor dies before the file, and the worker lives on: it writes once the commit is there
`keys`      its executor dies when the first log file of an index waits for the commit
`driver`    the process dies then that made the storage
"""

from __future__ import annotations

import json
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from pyspark import TaskContext

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.formats.names import parse_log_file

FAULTS = ("task", "executor", "slow", "zombie", "keys")
COMMITTED = "committed"
"""The mark that the driver sets when its write has ended."""
_PATIENCE = 60.0


class FaultyStorage(ArrowStorage):
    """Such a storage. `marks` is the folder in which tasks and the driver see what happened: `first` is the process that the
    fault befell."""

    def __init__(self, uri: str, fault: str, marks: Path) -> None:
        super().__init__(uri)
        self._fault, self._marks, self._driver = fault, marks, os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_fault": self._fault, "_marks": self._marks, "_driver": self._driver}

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        strikes = self._befalls(path)
        if strikes:
            self._before()
        with super().output(path) as stream:
            yield stream
            if strikes:
                self._after()

    def create(self, path: str, content: bytes) -> None:
        # Before table version 8 log files are made by this.
        strikes = parse_log_file(path.rpartition("/")[2]) is not None and self._befalls(path)
        if strikes:
            self._before()
        super().create(path, content)
        if strikes:
            self._after()

    def delete(self, path: str) -> None:
        strikes = self._befalls(path)
        if strikes:
            self._before()
        super().delete(path)
        if strikes:
            self._after()

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        for path in paths:
            self.delete(path)

    def _befalls(self, path: str) -> bool:
        """Whether a file is the first data file, or base file of an index, of a task."""
        is_struck = not path.startswith(".hoodie/") or path.endswith(".hfile")
        if self._fault == "keys":
            is_struck = "/hudi_core_keys/" in path
        return is_struck and TaskContext.get() is not None and self._is_first()

    def _before(self) -> None:
        if self._fault == "zombie":
            _leave_executor()
        if self._fault in ("slow", "zombie"):
            self._wait()

    def _after(self) -> None:
        if self._fault == "driver":
            os.kill(self._driver, signal.SIGKILL)
            self._wait()
        if self._fault in ("executor", "keys"):
            os.kill(_executor(), signal.SIGKILL)
        if self._fault in ("task", "executor", "keys"):
            os._exit(1)

    def _is_first(self) -> bool:
        try:
            with (self._marks / "first").open("x") as mark:
                mark.write(str(os.getpid()))
        except FileExistsError:
            return False
        return True

    def _wait(self) -> None:
        end = time.monotonic() + _PATIENCE
        while not (self._marks / COMMITTED).exists() and time.monotonic() < end:
            time.sleep(0.01)


def first_has_ended(marks: Path) -> bool:
    """Whether the process that the fault befell is gone. Raises `FileNotFoundError` where there was no fault."""
    status = Path("/proc") / (marks / "first").read_text() / "stat"
    try:
        return status.read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def _leave_executor() -> None:
    """The executor dies, and this worker does not notice."""
    executor = _executor()
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.kill(executor, signal.SIGKILL)


def _executor() -> int:
    """The executor of this worker, which its daemon began."""
    status = (Path("/proc") / str(os.getppid()) / "stat").read_text()
    return int(status.rpartition(")")[2].split()[1])


def print_outcomes(cases: Sequence[str], play: Callable[[str], None]) -> None:
    """Plays cases one after the other; prints of each its traceback, if it fails, and its seconds, as a line of JSON."""
    for case in cases:
        begun = time.monotonic()
        try:
            play(case)
            wrong = ""
        except Exception:  # noqa: BLE001  # it is printed
            wrong = traceback.format_exc()
        print(json.dumps({"case": case, "wrong": wrong, "seconds": round(time.monotonic() - begun, 1)}), flush=True)
