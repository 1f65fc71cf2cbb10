"""Files of rows outside of tables: local paths, and URLs of any store that holds tables. Rules ROWS-980, ROWS-981.

A file of a URL is brought here whole before its rows are read, and goes there when it is whole. Messages name it by its URL,
without secrets.
"""

from __future__ import annotations

import shutil
import weakref
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit

from hudi_core.by_need import ModuleByNeed
from hudi_core.engine import Engine, InputRows, Storage
from hudi_core.errors import StorageError, UsageError, name_original
from hudi_core.local_uris import is_url, local_path, refuse_no_path
from hudi_core.options import PROPERTIES_PATH
from hudi_core.schema.schema import Schema
from hudi_core.secrets import public_url
from hudi_core.storage_parts import StorageWithOptions
from hudi_core.temporary import make_folder, temporary_folder

if TYPE_CHECKING:
    from urllib import request
else:
    request = ModuleByNeed("urllib.request")  # for URLs alone; it loads HTTP and TLS

_WEB: Final = ("http", "https")
_WHOLE: Final = (200, 203)
"""Answers of web servers that have a whole file."""
_CHUNK: Final = 8 << 20
_WEB_SECONDS: Final = 60.0
"""How long an answer of a web server may take."""

AnyEngine = Engine[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file of rows by path or URL, and the options that open the URL."""

    path: str
    options: Mapping[str, str]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A name beside a local file's, or beside that of what it links to: what is written under it takes the place of the file when
    the block ends. With an error nothing of it remains, and the error is the one that ended the block."""
    target = path.resolve()
    partial = target.with_name(f".{target.name}.partial")
    try:
        yield partial
        partial.replace(target)
    except BaseException:
        with suppress(OSError):  # a disk that nothing can be written to has none, but says that it cannot be deleted
            partial.unlink()
        raise


def is_there(path: Path) -> bool:
    """Whether there is something of this path. Nothing is, where nobody may look, and of a text that is too long for a path."""
    try:
        return path.exists()
    except OSError:
        return False


def table_around(place: Path) -> Path | None:
    """The folder of the table that a local path is within, if there is one."""
    return next((folder for folder in place.parents if is_there(folder / PROPERTIES_PATH)), None)


def table_below(place: Path) -> Path | None:
    """The folder of the first table that is directly in a local folder, if there is one."""
    try:
        folders = sorted(place.iterdir())
    except OSError:
        return None
    return next((folder for folder in folders if is_there(folder / PROPERTIES_PATH)), None)


def refuse_within_table(path: str, uri: str) -> None:
    """Raises `UsageError` for a file to write that is within a local table, or below the URL of the table of its rows. It would
    take the place of the table's own files, or be taken for one of a write that died. Rule ROWS-1496."""
    around: str | Path | None
    if is_url(path):
        below = path.partition("://")[2].startswith(f"{uri.partition('://')[2].rstrip('/')}/")
        around = uri if below and _scheme(path) == _scheme(uri) else None
    else:
        around = table_around(Path(local_path(path)).absolute()) or table_around(Path(local_path(path)).resolve())
    if around is not None:
        expected, found = "a file outside of tables", f"one within the table {public_url(str(around))}"
        raise UsageError(public_url(path), expected=expected, found=found)


def plain_location(uri: str) -> str:
    """The one form in which a folder is shown: a path, or a URL that is not of a local file, without a slash at the end.

    >>> plain_location("./rides/"), plain_location("file:///lake/rides/"), plain_location("s3://lake/rides/")
    ('rides', '/lake/rides', 's3://lake/rides')
    """
    return uri.rstrip("/") if is_url(uri) else str(Path(local_path(uri)))


def file_suffix(path: str) -> str:
    """The extension of a file in small letters.

    >>> file_suffix("https://host/a.CSV?sig=1"), file_suffix("a/b.parquet")
    ('.csv', '.parquet')
    """
    return Path(_name(path) if is_url(path) else local_path(path)).suffix.lower()


def read_file(
    engine: AnyEngine,
    path: str,
    like: Schema | None = None,
    options: Mapping[str, str] | None = None,
    *,
    whole: bool = False,
) -> InputRows[Any]:
    """The rows of a file or of a folder of Parquet files, as `engine.rows.read`; of a URL those of one file.

    `options` open the URL.
    """
    refuse_no_path(path)
    if not is_url(path):
        return engine.rows.read(local_path(path), like, whole=whole)
    folder = make_folder("hudi-input-")
    try:
        local = folder / _name(path)
        _fetch(engine, path, options or {}, local)
        with name_original(str(local), public_url(path)):
            rows = engine.rows.read(str(local), like, whole=whole)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    batches = _batches(rows, local, path)
    weakref.finalize(batches, shutil.rmtree, folder, ignore_errors=True)
    return replace(rows, batches=batches)


def write_file(
    engine: AnyEngine,
    path: str,
    write: Callable[[str], int],
    options: Mapping[str, str] | None = None,
    *,
    overwrite: bool = True,
) -> int:
    """Lets `write` write a local file; of a URL that goes there when it is whole. Gives what `write` gives.

    Without `overwrite` a file that a URL names is refused before anything is written.
    """
    refuse_no_path(path)
    if not is_url(path):
        return write(local_path(path))
    storage, name = _store(engine, path, options or {})
    if not overwrite and storage.exists(name):
        raise UsageError(public_url(path), expected="a file that does not exist, or --overwrite", found="one that does")
    with temporary_folder("hudi-output-") as folder:
        local = Path(folder) / name
        with name_original(str(local), public_url(path)):
            count = write(str(local))
        with local.open("rb") as whole, storage.output(name) as target:
            shutil.copyfileobj(whole, target, _CHUNK)
    return count


def options_beside(storage: Storage, path: str) -> Mapping[str, str]:
    """The options for a URL that is used beside a table: those of the table's storage where both are of one scheme."""
    if isinstance(storage, StorageWithOptions) and _scheme(path) == _scheme(storage.uri):
        return storage.options
    return {}


def _scheme(url: str) -> str:
    scheme = url.partition("://")[0].lower() if is_url(url) else ""
    return "s3" if scheme in ("s3a", "s3n") else scheme


def _batches(rows: InputRows[Any], local: Path, url: str) -> Iterator[Any]:
    with name_original(str(local), public_url(url)):
        yield from rows.batches


def _name(url: str) -> str:
    """The name of the file: the last part of its path."""
    name = url.partition("://")[2].partition("?")[0].rpartition("/")[2]
    if not name:
        raise UsageError(public_url(url), expected="the URL of a file", found="that of a folder")
    return name


def _store(engine: AnyEngine, url: str, options: Mapping[str, str]) -> tuple[Storage, str]:
    """The storage of the folder of a URL, and the name of the file in it."""
    name = _name(url)
    if _scheme(url) in _WEB:
        raise UsageError(
            public_url(url), expected="a local file or the URL of a store, as s3://bucket/name", found="a web page"
        )
    folder, _, query = url.partition("?")
    folder = folder.rpartition("/")[0]
    return engine.storage(f"{folder}?{query}" if query else folder, options), name


def _fetch(engine: AnyEngine, url: str, options: Mapping[str, str], local: Path) -> None:
    if _scheme(url) in _WEB:
        with local.open("wb") as target:
            _download(url, target)
        return
    storage, name = _store(engine, url, options)
    source = storage.open(name)
    with local.open("wb") as target:
        for offset in range(0, source.size, _CHUNK):
            target.write(source.read(offset, min(_CHUNK, source.size - offset)))


def _download(url: str, target: BinaryIO) -> None:
    shown = public_url(url)
    try:
        with request.urlopen(_request(url), timeout=_WEB_SECONDS) as answer:
            status, stated = f"{answer.status} {answer.reason}", answer.length
            is_whole = answer.status in _WHOLE
            if is_whole:
                shutil.copyfileobj(answer, target, _CHUNK)
    except HTTPError as problem:
        problem.close()
        raise StorageError(
            shown, message=f"the server answers {problem.code} {' '.join(problem.reason.split())}"
        ) from None
    except URLError as problem:
        raise StorageError(shown, message=f"it cannot be reached: {problem.reason}") from None
    except (OSError, ValueError) as problem:
        raise StorageError(shown, message=str(problem)) from None
    except HTTPException as problem:
        raise StorageError(shown, message=f"the answer of the server is none, or cut: {problem!r}") from None
    if not is_whole:
        raise StorageError(shown, message=f"the server answers {status}, without the whole file")
    if stated is not None and target.tell() != stated:  # the library takes a cut connection for the end
        raise StorageError(shown, message=f"the answer ends after {target.tell():,} of {stated:,} bytes")


def _request(url: str) -> request.Request:
    """The request of a page. A user and a password in the URL go into a header, as HTTP has them."""
    parts = urlsplit(url)
    user, mark, host = parts.netloc.rpartition("@")
    headers = {"User-Agent": "hudi-core"}
    if mark:
        headers["Authorization"] = f"Basic {b64encode(unquote(user).encode()).decode()}"
    return request.Request(parts._replace(netloc=host, fragment="").geturl(), headers=headers)
