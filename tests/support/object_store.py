"""A server on this machine that speaks S3, with the requests it has had."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from pyarrow import fs

_REQUEST = re.compile(r"(GET|HEAD|PUT|POST|DELETE) (/\S*) HTTP")


@dataclass(frozen=True)
class ObjectStore:
    """`options` are those with which a storage reaches it."""

    log: Path
    options: dict[str, str]

    def put(self, folder: Path, place: str, without: str = "nothing") -> str:
        """The URL of a copy of a folder, below the bucket and folders named; without the files whose path matches."""
        there = fs.S3FileSystem(**self.options, allow_bucket_creation=True)
        there.create_dir(place.partition("/")[0])

        def copy(path: Path) -> None:
            with there.open_output_stream(f"{place}/{path.relative_to(folder).as_posix()}") as out:
                out.write(path.read_bytes())

        with ThreadPoolExecutor(8) as pool:
            list(
                pool.map(
                    copy,
                    (item for item in folder.rglob("*") if item.is_file() and not re.search(without, item.as_posix())),
                )
            )
        return f"s3://{place}"

    def requests(self) -> list[str]:
        """Method and path of each request so far."""
        return [f"{method} {path}" for method, path in _REQUEST.findall(self.log.read_text("utf-8"))]


@contextmanager
def object_store(folder: Path) -> Iterator[ObjectStore]:
    """Runs a server in a process of its own until it is left."""
    log = folder / "s3.log"
    with log.open("wb") as answer:
        server = subprocess.Popen(
            [sys.executable, "-c", "from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])"],
            stdout=answer,
            stderr=answer,
        )
    try:
        end = monotonic() + 60
        while (found := re.search(r"Running on http://(127\.0\.0\.1:\d+)", log.read_text("utf-8"))) is None:
            assert server.poll() is None and monotonic() < end, log.read_text("utf-8")
            sleep(0.05)
        options = {"endpoint_override": found[1], "scheme": "http", "region": "us-east-1"}
        yield ObjectStore(log, options | {"access_key": "someone", "secret_key": "secret"})
    finally:
        server.terminate()
        server.wait()
