"""Files of rows that are read from URLs and written to them, through a store of this machine and a web server of it."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core import create
from hudi_core import open as open_table
from hudi_core.errors import HudiError, RowError, StorageError, UsageError
from tests.support.commands import Ran, ran
from tests.support.measured_store import MeasuredStore
from tests.support.stores import store

__all__ = ["store"]

ROWS = [{"id": f"k{number}", "n": number} for number in range(20)]
SECRET = "hidden-signature"


def table_in(folder: Path) -> str:
    """A local table without rows."""
    create(folder / "t", ROWS, key="id", ordering="n")
    return str(folder / "t")


def stored(store: MeasuredStore, *arguments: object) -> Ran:
    """Runs a command with the options that open the store."""
    options = [word for name, value in store.options.items() for word in ("--storage-option", f"{name}={value}")]
    return ran(*options, *arguments)


@contextmanager
def web_server(pages: dict[str, bytes]) -> Iterator[str]:
    """Serves pages by path, whatever is behind the question mark, and answers 404 for others."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path.partition("?")[0])
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def csv_bytes() -> bytes:
    return ("id,n\n" + "".join(f"{row['id']},{row['n']}\n" for row in ROWS)).encode()


def test_a_store_gives_and_takes_files(store: MeasuredStore, tmp_path: Path) -> None:
    """ROWS-980: the same command line with a URL in place of a path; the table is local, the options are the URL's."""
    (store.root / "files").mkdir()
    pq.write_table(pa.Table.from_pylist(ROWS), store.root / "files" / "rows.parquet")
    table = table_in(tmp_path)
    assert stored(store, "write", table, "s3://files/rows.parquet").status == 0
    for name in ("out.parquet", "out.csv.gz", "out.jsonl"):
        done = stored(store, "read", table, "--output", f"s3://files/{name}", "--json")
        assert done.lines == [{"rows": 20, "file": f"s3://files/{name}"}]
    lines = (store.root / "files" / "out.jsonl").read_text().splitlines()
    assert sorted(map(json.loads, lines), key=lambda row: row["n"]) == ROWS
    again = stored(store, "read", table, "--output", "s3://files/out.csv.gz")
    assert (
        again.error == "s3://files/out.csv.gz: expected a file that does not exist, or --overwrite, found one that does"
    )
    assert stored(store, "read", table, "--limit", "1", "--output", "s3://files/out.jsonl", "--overwrite").status == 0
    assert len((store.root / "files" / "out.jsonl").read_text().splitlines()) == 1
    assert stored(store, "tag", table, "s3://files/out.parquet").status == 0
    assert stored(store, "keys", "--table", table, "s3://files/rows.parquet").status == 0


def test_methods_take_urls_of_their_tables_store(store: MeasuredStore) -> None:
    """ROWS-980: the options of the table's storage open a URL of its kind."""
    table = create("s3://tables/t", ROWS, key="id", storage_options=store.options)
    pq.write_table(pa.Table.from_pylist(ROWS), store.root / "tables" / "rows.parquet")
    table.upsert("s3://tables/rows.parquet")
    assert (
        open_table("s3://tables/t", storage_options=store.options).scan("n > 4").write("s3a://tables/some.parquet")
        == 15
    )
    assert pq.read_table(store.root / "tables" / "some.parquet").num_rows == 15


def test_web_pages_are_read(tmp_path: Path) -> None:
    """ROWS-980."""
    table = table_in(tmp_path)
    with web_server({"/rows.csv": csv_bytes()}) as root:
        assert ran("write", table, f"{root}/rows.csv?X-Amz-Signature={SECRET}").status == 0
        assert open_table(table).count() == 20
        assert open_table(table).upsert(f"{root}/rows.csv").updated == 20


def test_a_file_url_is_a_path(tmp_path: Path) -> None:
    """ROWS-980."""
    table, path = table_in(tmp_path), tmp_path / "with space.csv"
    path.write_bytes(csv_bytes())
    assert ran("write", table, path.as_uri()).status == 0
    out = tmp_path / "out put.jsonl"
    assert ran("read", table, "--output", out.as_uri()).status == 0
    assert len(out.read_text().splitlines()) == 20
    assert "does not exist" in ran("read", table, "--output", out.as_uri()).error


@pytest.mark.parametrize(
    ("path", "kind", "text"),
    [
        ("/nothing.csv", StorageError, "/nothing.csv: the server answers 404 Not Found"),
        ("/", UsageError, "/: expected the URL of a file, found that of a folder"),
        ("/bad.csv", RowError, "/bad.csv: n: row 2"),
        ("/rows.xlsx", UsageError, "/rows.xlsx: expected a file name ending in"),
        ("/cut.parquet", HudiError, "/cut.parquet: "),
    ],
)
def test_errors_name_the_url_without_secrets(tmp_path: Path, path: str, kind: type[Exception], text: str) -> None:
    """ROWS-981: and the table is as it was."""
    table = table_in(tmp_path)
    pages = {"/bad.csv": b"id,n\na,1\nb,x\n", "/rows.xlsx": b"PK", "/cut.parquet": b"PAR1", "/": b""}
    with web_server(pages) as root, pytest.raises(kind) as raised:
        open_table(table).upsert(f"{root.replace('//', '//user:pass@')}{path}?sig={SECRET}")
    assert str(raised.value).startswith(f"{root}{path}: ") and text in str(raised.value)
    assert (
        SECRET not in str(raised.value) and "pass" not in str(raised.value) and str(tmp_path) not in str(raised.value)
    )
    assert not open_table(table).timeline.commits


HALF = csv_bytes()[: len(csv_bytes()) // 2].rpartition(b"\n")[0] + b"\n"
"""Whole lines."""
STATED = b"Content-Length: %d" % len(csv_bytes())


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"200 OK\r\n" + STATED + b"\r\n\r\n" + HALF, f"the answer ends after {len(HALF)} of {len(csv_bytes())} bytes"),
        (
            b"200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % len(csv_bytes()) + HALF,
            "is none, or cut: IncompleteRead",
        ),
        (
            b"206 Partial Content\r\nContent-Length: %d\r\n\r\n" % len(HALF) + HALF,
            "the server answers 206 Partial Content",
        ),
        (b"202 Accepted\r\n\r\nid,n\n", "the server answers 202 Accepted"),
        (b"of another kind\r\n", "is none, or cut: BadStatusLine"),
    ],
)
def test_a_part_of_a_web_page_is_no_page(tmp_path: Path, answer: bytes, text: str) -> None:
    """ROWS-1373: the rows behind a connection that is cut would be lost."""
    table = table_in(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(b"HTTP/1.1 " + answer)

        thread = Thread(target=serve)
        thread.start()
        with pytest.raises(StorageError, match=re.escape(text)):
            open_table(table).upsert(f"http://127.0.0.1:{server.getsockname()[1]}/rows.csv")
        thread.join()
    assert not open_table(table).timeline.commits


def test_stores_that_cannot_be_reached_or_written(tmp_path: Path) -> None:
    """ROWS-981."""
    table = table_in(tmp_path)
    with pytest.raises(StorageError, match=r"^http://127.0.0.1:9/rows.csv: it cannot be reached"):
        open_table(table).upsert(f"http://127.0.0.1:9/rows.csv?token={SECRET}")
    with pytest.raises(UsageError, match="found a web page") as raised:
        open_table(table).scan().write(f"https://example.org/rows.csv?sig={SECRET}")
    assert SECRET not in str(raised.value)


def test_rows_are_written_to_no_file_within_a_table(tmp_path: Path) -> None:
    """ROWS-1496."""
    first, other = (create(tmp_path / name, [{"id": "a", "p": "x"}], "id", partition_by="p") for name in ("t", "u"))
    first.upsert([{"id": "a", "p": "x"}])
    (base,) = (tmp_path / "t" / "x").glob("*.parquet")
    content = base.read_bytes()
    (tmp_path / "link").symlink_to(tmp_path / "t" / "x")
    scan = first.refresh().scan()
    inside = (str(base), f"file://{base}", tmp_path / "t/y.csv", f"{other.uri}/.hoodie/z.json", tmp_path / "link/a.csv")
    for place in inside:
        with pytest.raises(UsageError, match=r"expected a file outside of tables, found one within the table"):
            scan.write(place)
    assert base.read_bytes() == content
    assert ran("read", first.uri, "--output", str(base), "--overwrite").status == 2
    assert scan.write(tmp_path / "out.csv") == 1


def test_rows_are_written_to_no_url_below_that_of_their_table(store: MeasuredStore) -> None:
    """ROWS-1496."""
    table = create("s3://tables/below", ROWS, key="id", storage_options=store.options)
    for place in ("s3://tables/below/x.csv", "s3a://tables/below/p/x.csv"):
        with pytest.raises(
            UsageError, match="expected a file outside of tables, found one within the table s3://tables/below"
        ):
            table.scan().write(place)
    assert table.scan().write("s3://tables/t2.csv") == 0
