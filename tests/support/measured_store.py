"""A store of this machine whose requests are counted, delayed and made to fail; `s3_server` answers them."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.s3_server import Fault, Request

GATE = 0.08
"""Seconds without a further request after which a wave is answered: more than a busy machine takes between two."""


@dataclass(frozen=True)
class Requests:
    """Requests of one measurement."""

    of: Sequence[Request]

    def __len__(self) -> int:
        return len(self.of)

    @property
    def waves(self) -> int:
        """The longest chain of requests of which each began after the one before it had been answered."""
        return max(self.depths(), default=0)

    def depths(self) -> list[int]:
        """Of each request, in order of their beginnings, the number of its wave, from 1."""
        depths: list[int] = []
        ended: list[tuple[float, int]] = []
        for request in self.of:
            before = (depth for end, depth in ended if end <= request.begin)
            depths.append(1 + max(before, default=0))
            ended.append((request.end, depths[-1]))
        return depths

    @property
    def bytes(self) -> int:
        return sum(request.bytes for request in self.of)

    def by_object(self) -> Counter[str]:
        """How often each object was asked for; listings are told apart by their query."""
        return Counter(f"{request.path}{_listed(request.query)}" for request in self.of)

    def repeated(self) -> dict[str, int]:
        """The objects that were asked for more than once."""
        return {name: count for name, count in self.by_object().items() if count > 1}

    def __str__(self) -> str:
        lines = [
            f"{depth:3} {request.status} {request.bytes:8} {request.method} {request.path} {request.query} {request.range}"
            for depth, request in zip(self.depths(), self.of, strict=True)
        ]
        return "\n".join([*lines, f"{len(self)} requests, {self.bytes} bytes, {self.waves} waves"])


def _listed(query: str) -> str:
    return f"?{query}" if "list-type" in query else ""


@dataclass(frozen=True)
class MeasuredStore:
    """Buckets are folders below `root`. `options` are those with which a storage reaches the store."""

    root: Path
    port: int

    @property
    def options(self) -> dict[str, str]:
        return {
            "endpoint_override": f"127.0.0.1:{self.port}",
            "scheme": "http",
            "region": "us-east-1",
            "access_key": "someone",
            "secret_key": "secret",
            "hedge": "false",  # requests are counted
        }

    def behave(self, *, delay: float = 0.0, gate: float = 0.0, faults: Sequence[Fault] = ()) -> None:
        """How it answers from here on."""
        settings = {"delay": delay, "gate": gate, "faults": [vars(fault) for fault in faults]}
        self._call("POST", "/_control", json.dumps(settings).encode())

    @contextmanager
    def measured(self) -> Iterator[Requests]:
        """The requests of what is done inside, complete when it is left."""
        requests: list[Request] = []
        before = len(self._log())
        yield Requests(requests)
        requests += sorted(self._log()[before:], key=lambda request: request.begin)

    def _log(self) -> list[Request]:
        log: list[dict[str, Any]] = json.loads(self._call("GET", "/_log"))
        return [Request(**request) for request in log]

    def _call(self, method: str, target: str, body: bytes = b"") -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            connection.request(method, target, body)
            return connection.getresponse().read()
        finally:
            connection.close()


@contextmanager
def measured_store(root: Path) -> Iterator[MeasuredStore]:
    """Serves the folders below `root` as buckets by a process of its own until it is left."""
    top = Path(__file__).parents[2]
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.s3_server", str(root)],
        stdout=subprocess.PIPE,
        cwd=top,
        env={**os.environ, "PYTHONPATH": str(top)},
    )
    assert server.stdout is not None
    try:
        yield MeasuredStore(root, int(server.stdout.readline()))
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()
