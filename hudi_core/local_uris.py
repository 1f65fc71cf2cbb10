"""Local paths, and `file:` URLs of them. Rules STORE-1, STORE-1371, STORE-1372, STORE-1447."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import UsageError
from hudi_core.secrets import public_url

if TYPE_CHECKING:
    from urllib import request
else:
    request = ModuleByNeed("urllib.request")  # for URLs alone; it loads HTTP and TLS

_SCHEME: Final = "file:"
_NO_BYTES: Final = "\N{REPLACEMENT CHARACTER}"
"""What stands for percent escapes that are no UTF-8."""
_OF_URLS: Final = re.compile("[?#]")
_WITHOUT_SLASHES: Final = re.compile(r"(?!file:)([A-Za-z][A-Za-z0-9+.-]*):[/\\](?!/)", re.I)
"""A URL that lacks a slash, or a path that begins with a drive."""


def is_url(uri: str) -> bool:
    """Whether something is elsewhere. A `file:` URL is a local path.

    >>> is_url("s3://bucket/rows.parquet"), is_url("file:///rows.csv"), is_url("rows.csv")
    (True, False, False)
    """
    return "://" in uri and not _is_file_url(uri)


def local_path(uri: str) -> str:
    """The path of a `file:` URL, percent escapes undone; a path as it is.

    Raises `UsageError` for a text that can be no path, and for a URL with a host, `?` or `#`: these are no part of its path.

    >>> local_path("file:///a%20b.csv"), local_path("a%20b.csv")
    ('/a b.csv', 'a%20b.csv')
    """
    refuse_no_path(uri)
    if not _is_file_url(uri):
        return uri
    path = uri[len(_SCHEME) :]
    if path.startswith("//"):
        host, slash, below = path[2:].partition("/")
        if host.lower() not in ("", "localhost"):
            raise UsageError(
                uri, expected="three slashes before the path, as in file:///lake/rides", found=f"the host {host}"
            )
        path = slash + below
    if _OF_URLS.search(path):
        raise UsageError(uri, expected="%3F for ? and %23 for # in a file: URL, or a plain path", found="one of them")
    decoded = request.url2pathname(path)
    if _NO_BYTES in decoded and _NO_BYTES not in path:
        raise UsageError(uri, expected="percent escapes of UTF-8", found="others")
    refuse_no_path(decoded)
    return decoded


def refuse_no_path(uri: str) -> None:
    """Raises `UsageError` for a text that no path or URL is: an empty one, one with a null character, or that has no form in
    UTF-8, and a URL whose address is none; and for one that would be a folder of an odd name in the current folder: `~/rides`,
    `s3:/lake/rides`."""
    if not uri.strip():
        raise UsageError("path", expected="a path or URL", found="an empty text")
    try:
        uri.encode()
    except UnicodeEncodeError:
        raise UsageError("path", expected="characters that UTF-8 has", found=ascii(uri)) from None
    if "\0" in uri:
        raise UsageError("path", expected="no null character", found=ascii(uri))
    if uri == "~" or uri.startswith("~/"):
        expected = (
            "a path without ~, which os.path.expanduser replaces by the home folder; ./~ is a folder of that name"
        )
        raise UsageError("path", expected=expected, found=repr(uri))
    short = _WITHOUT_SLASHES.match(uri)
    if short is not None and not (os.name == "nt" and len(short[1]) == 1):
        expected = f"{short[1]}:// before the address of a URL, or ./{short[1]}: for a local folder of that name"
        raise UsageError("path", expected=expected, found=repr(public_url(uri)))
    try:
        if is_url(uri):
            urlsplit(uri)
    except ValueError as problem:
        raise UsageError(public_url(uri), expected="a URL", found=str(problem)) from None


def _is_file_url(uri: str) -> bool:
    return uri[: len(_SCHEME)].lower() == _SCHEME
