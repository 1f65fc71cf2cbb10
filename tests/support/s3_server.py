"""A small S3 on this machine that serves folders as buckets: it delays and counts requests, and fails when it is told to.

`python -m tests.support.s3_server ROOT` prints its port and serves until it is ended. It knows what readers and writers of
tables use: objects whole and in ranges, listings, conditional puts, multipart uploads and deletes. Signatures are not
checked. `POST /_control` sets how it behaves, `GET /_log` gives the requests so far.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from email.utils import formatdate
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import uuid4
from xml.sax.saxutils import escape

PAGE_KEYS = 1000
_TOGETHER_SECONDS = 30


@dataclass
class Request:
    """A request as the log has it: its times in seconds of one clock, and the bytes of its answer's body."""

    method: str
    path: str
    query: str
    range: str
    begin: float
    end: float = 0.0
    status: int = 0
    bytes: int = 0


@dataclass
class Fault:
    """What happens to `times` requests that match, a regular expression for `METHOD /path?query`, but the first `after`.

    Kinds: `503`, `500` and `403` answer so, `throttle` answers 503 to all that match for `retry_after` seconds from the first on,
    however many, `hang` never answers, `reset` closes the connection, `cut` closes it in the middle of
    the body, `short` leaves out the second half of the body and counts what is left, `lost` does what is asked and answers 403,
    `together` answers when all `times` requests have come, and 403 to those that wait too long for it.
    """

    match: str
    kind: str
    times: int = 1
    after: int = 0
    retry_after: int = 1
    """Seconds of the header `Retry-After` of a 503 or 500."""
    until: float = 0.0
    """When throttling ends, once it has begun: a time of `perf_counter`."""


@dataclass
class Answer:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Server:
    """`delay` seconds pass before each answer. With `gate` answers wait until no request has come for that many seconds:
    those that are answered together then form one wave, however slow the machine is."""

    root: Path
    delay: float = 0.0
    gate: float = 0.0
    faults: list[Fault] = field(default_factory=list)
    log: list[Request] = field(default_factory=list)
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)
    _timer: asyncio.TimerHandle | None = None
    _uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    _completed: dict[str, Answer] = field(default_factory=dict)
    _together: dict[int, asyncio.Event] = field(default_factory=dict)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (head := await _head(reader)) is not None:
                method, target, headers = head
                if headers.get("expect") == "100-continue":
                    writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                body = await _body(reader, headers)
                if target.startswith("/_"):
                    await _send(writer, method, self._control(target, body))
                elif not await self._answered(writer, method, target, headers, body):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answered(
        self, writer: asyncio.StreamWriter, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> bool:
        """Whether the connection stays open."""
        parts = urlsplit(target)
        request = Request(method, unquote(parts.path), parts.query, headers.get("range", ""), perf_counter())
        self.log.append(request)
        matching = self._fault(f"{method} {unquote(target)}")
        fault = None if matching is None else matching.kind
        await self._pause()
        if matching is not None and fault == "together" and not await self._all_came(matching):
            fault = "403"
        if fault == "hang":
            await asyncio.sleep(3600)
        if fault == "reset":
            request.end = perf_counter()
            return False
        if matching is not None and fault in ("500", "503", "throttle"):
            answer = _error(500 if fault == "500" else 503, "SlowDown")
            answer.headers["Retry-After"] = str(matching.retry_after)
        elif fault == "403":
            answer = _error(403, "AccessDenied")
        else:
            answer = self._answer(method, parts.path, parse_qs(parts.query, keep_blank_values=True), headers, body)
        if fault == "lost":
            answer = _error(403, "AccessDenied")
        request.end, request.status = perf_counter(), answer.status
        if method == "HEAD" and fault is None:
            await _send(writer, method, answer)
            return True
        if fault == "short":
            answer.body = answer.body[: len(answer.body) // 2]
        request.bytes = len(answer.body)
        await _send(writer, method, answer, cut=fault == "cut")
        return fault != "cut"

    async def _all_came(self, fault: Fault) -> bool:
        came = self._together.setdefault(id(fault), asyncio.Event())
        if not fault.times:
            came.set()
        try:
            await asyncio.wait_for(came.wait(), _TOGETHER_SECONDS)
        except TimeoutError:
            return False
        return True

    async def _pause(self) -> None:
        if self.gate:
            loop = asyncio.get_running_loop()
            if self._timer is not None:
                self._timer.cancel()
            future = loop.create_future()
            self._waiting.append(future)
            self._timer = loop.call_later(self.gate, self._release)
            await future
        elif self.delay:
            await asyncio.sleep(self.delay)

    def _release(self) -> None:
        waiting, self._waiting, self._timer = self._waiting, [], None
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def _fault(self, request: str) -> Fault | None:
        for fault in self.faults:
            if fault.times and re.search(fault.match, request):
                if fault.kind == "throttle":
                    fault.until = fault.until or perf_counter() + fault.retry_after
                    if perf_counter() < fault.until:
                        return fault
                    continue
                if fault.after:
                    fault.after -= 1
                    continue
                fault.times -= 1
                return fault
        return None

    def _control(self, target: str, body: bytes) -> Answer:
        if target == "/_log":
            return Answer(200, json.dumps([asdict(request) for request in self.log if request.end]).encode())
        settings = json.loads(body)
        self.delay, self.gate = settings["delay"], settings["gate"]
        self.faults = [Fault(**fault) for fault in settings["faults"]]
        self._together.clear()
        return Answer(204)

    def _answer(
        self, method: str, path: str, query: dict[str, list[str]], headers: Mapping[str, str], body: bytes
    ) -> Answer:
        bucket, _, key = path.lstrip("/").partition("/")
        key = unquote(key)
        if not key:
            if method == "POST" and "delete" in query:
                return self._delete_many(bucket, body)
            return self._bucket(method, bucket, query)
        file = self.root / bucket / key
        if method in ("GET", "HEAD"):
            return _object(file, headers)
        if method == "POST" and "uploads" in query:
            upload = uuid4().hex
            self._uploads[upload] = {}
            return _xml("InitiateMultipartUploadResult", f"<UploadId>{upload}</UploadId>")
        if "uploadId" in query:
            return self._part(method, file, query, headers, body)
        if method == "PUT":
            return _put(file, body, headers)
        file.unlink(missing_ok=True)
        return Answer(204)

    def _part(
        self, method: str, file: Path, query: dict[str, list[str]], headers: Mapping[str, str], body: bytes
    ) -> Answer:
        upload = query["uploadId"][0]
        if method == "POST" and upload in self._completed:  # asked again by a client that did not wait for the answer
            return self._completed[upload]
        if upload not in self._uploads:
            return _error(404, "NoSuchUpload")
        if method == "PUT":
            self._uploads[upload][int(query["partNumber"][0])] = body
            return Answer(200, headers={"ETag": f'"{query["partNumber"][0]}"'})
        parts = self._uploads.pop(upload)
        if method == "DELETE":
            return Answer(204)
        answer = _put(file, b"".join(parts[number] for number in sorted(parts)), headers)
        done = f"<ETag>{_etag(file)}</ETag>"
        self._completed[upload] = _xml("CompleteMultipartUploadResult", done) if answer.status == 200 else answer
        return self._completed[upload]

    def _bucket(self, method: str, bucket: str, query: dict[str, list[str]]) -> Answer:
        top = self.root / bucket
        if method == "PUT":
            top.mkdir(exist_ok=True)
            return Answer(200)
        if not top.is_dir():
            return _error(404, "NoSuchBucket")
        if method == "HEAD" or "location" in query:
            return _xml("LocationConstraint", "")
        first = {name: values[0] for name, values in query.items()}
        prefix, delimiter = first.get("prefix", ""), first.get("delimiter", "")
        after = first.get("continuation-token") or first.get("start-after") or ""
        entries = sorted(_entries(top, prefix, delimiter))
        entries = [entry for entry in entries if entry[0] > after]
        page = entries[: int(first.get("max-keys", PAGE_KEYS))]
        rest = "<IsTruncated>false</IsTruncated>"
        if len(page) < len(entries):
            rest = (
                f"<IsTruncated>true</IsTruncated><NextContinuationToken>{escape(page[-1][0])}</NextContinuationToken>"
            )
        listed = "".join(
            f"<CommonPrefixes><Prefix>{escape(key)}</Prefix></CommonPrefixes>"
            if file is None
            else f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f"<ETag>{_etag(file)}</ETag><Size>{file.stat().st_size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
            for key, file in page
        )
        named = f"<Name>{bucket}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(page)}</KeyCount>"
        return _xml("ListBucketResult", named + rest + listed)

    def _delete_many(self, bucket: str, body: bytes) -> Answer:
        keys = re.findall(r"<Key>(.*?)</Key>", body.decode())
        for key in keys:
            (self.root / bucket / key).unlink(missing_ok=True)
        return _xml("DeleteResult", "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys))


def _entries(top: Path, prefix: str, delimiter: str) -> list[tuple[str, Path | None]]:
    """Keys with their files, and common prefixes without."""
    folder = top / prefix.rpartition("/")[0]
    if not folder.is_dir():
        return []
    entries: dict[str, Path | None] = {}
    for at, folders, files in os.walk(folder):
        below = Path(at).relative_to(top).as_posix()
        start = "" if below == "." else f"{below}/"
        for name in files:
            if f"{start}{name}".startswith(prefix):
                entries[f"{start}{name}"] = Path(at) / name
        if delimiter:
            for name in folders:
                if f"{start}{name}/".startswith(prefix):
                    entries[f"{start}{name}/"] = None
            break
    return list(entries.items())


def _object(file: Path, headers: Mapping[str, str]) -> Answer:
    if not file.is_file():
        return _error(404, "NoSuchKey")
    size = file.stat().st_size
    fields = {
        "ETag": _etag(file),
        "Last-Modified": formatdate(file.stat().st_mtime, usegmt=True),
        "Accept-Ranges": "bytes",
        "Content-Type": "application/octet-stream",
    }
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", headers.get("range", ""))
    if match is None:
        return Answer(200, file.read_bytes(), fields)
    first, last = match.groups()
    start = int(first) if first else max(size - int(last), 0)
    stop = min(int(last) + 1, size) if first and last else size
    if start >= size:
        return _error(416, "InvalidRange")
    with file.open("rb") as opened:
        opened.seek(start)
        return Answer(206, opened.read(stop - start), {**fields, "Content-Range": f"bytes {start}-{stop - 1}/{size}"})


def _put(file: Path, body: bytes, headers: Mapping[str, str]) -> Answer:
    is_new = headers.get("if-none-match") == "*" or headers.get("x-goog-if-generation-match") == "0"
    if is_new and file.exists():
        return _error(412, "PreconditionFailed")
    expected = headers.get("if-match")
    if expected is not None and (not file.exists() or _etag(file) != expected):
        return _error(412, "PreconditionFailed")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(body)
    return Answer(200, headers={"ETag": _etag(file)})


def _etag(file: Path) -> str:
    status = file.stat()
    return f'"{status.st_size}-{status.st_mtime_ns}"'


def _xml(name: str, inner: str) -> Answer:
    body = f'<?xml version="1.0"?><{name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{inner}</{name}>'
    return Answer(200, body.encode(), {"Content-Type": "application/xml"})


def _error(status: int, code: str) -> Answer:
    body = f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>{code}</Message></Error>'
    return Answer(status, body.encode(), {"Content-Type": "application/xml"})


async def _head(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str]] | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    lines = head.decode("latin-1").split("\r\n")
    method, target, _ = lines[0].split(" ")
    pairs = (line.partition(":") for line in lines[1:] if line)
    return method, target, {name.lower(): value.strip() for name, _, value in pairs}


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while length := int((await reader.readline()).partition(b";")[0], 16):
            body += (await reader.readexactly(length + 2))[:-2]
        await reader.readline()
    else:
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    return _unchunked(body) if "aws-chunked" in headers.get("content-encoding", "") else body


def _unchunked(body: bytes) -> bytes:
    """The content of a body in chunks with checksums of their own."""
    content, at = b"", 0
    while at < len(body):
        end = body.index(b"\r\n", at)
        length = int(body[at:end].partition(b";")[0], 16)
        if not length:
            break
        content += body[end + 2 : end + 2 + length]
        at = end + 4 + length
    return content


async def _send(writer: asyncio.StreamWriter, method: str, answer: Answer, cut: bool = False) -> None:
    length = len(answer.body)
    lines = [f"HTTP/1.1 {answer.status} X", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    body = b"" if method == "HEAD" else answer.body[: length // 2] if cut else answer.body
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
    await writer.drain()


async def main(root: Path) -> None:
    server = Server(root)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, limit=1 << 26, backlog=1024)
    address: Any = listening.sockets[0].getsockname()
    print(address[1], flush=True)
    async with listening:
        await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
