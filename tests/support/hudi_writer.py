"""A real Apache Hudi as one of several writers: a process of `interop/write_peer.py`, which is told what to write."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from tests.support.conformance import ROOT

_SCRIPT = Path(__file__).parents[1] / "interop" / "write_peer.py"


class Gone(Exception):
    """The process ended before it answered."""


@dataclass
class HudiWriter:
    """One process; it takes seconds to start. Rows have columns of these types of Spark."""

    python: str
    columns: str
    log: Path
    process: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        with self.log.open("a") as errors:
            self.process = subprocess.Popen(
                [self.python, str(_SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "oracle")}, start_new_session=True,
            )  # fmt: skip

    def __enter__(self) -> Self:
        self.answer()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def ask(
        self,
        table: str,
        rows: Sequence[Sequence[Any]],
        op: str = "upsert",
        *,
        waits_for: Path | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Begins a write; `answer` waits for its end."""
        line = json.dumps({
            "table": table, "rows": rows, "columns": self.columns, "op": op, "options": dict(options or {}),
            "waits_for": None if waits_for is None else str(waits_for),
        })  # fmt: skip
        try:
            self._stream(self.process.stdin).write(line + "\n")
            self._stream(self.process.stdin).flush()
        except (OSError, ValueError) as problem:  # ValueError: it was killed here
            raise Gone from problem

    def answer(self) -> dict[str, Any]:
        stream = self._stream(self.process.stdout)
        line = "" if stream.closed else stream.readline()
        if not line:
            raise Gone
        answer: dict[str, Any] = json.loads(line)
        return answer

    def read(self, table: str) -> list[list[Any]]:
        """All rows of a table, as Apache Hudi reads them, in order."""
        self.ask(table, [], "read")
        return sorted(self.answer()["rows"])

    def kill(self) -> None:
        """Ends the process and its JVM where they are."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        with suppress(BrokenPipeError):  # half an order that it did not read
            self._stream(self.process.stdin).close()
        self._stream(self.process.stdout).close()

    @staticmethod
    def _stream(stream: IO[str] | None) -> IO[str]:
        assert stream is not None
        return stream
