"""Local paths, and `file:` URLs of them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hudi_core.by_need import ModuleByNeed

if TYPE_CHECKING:
    from urllib import request
else:
    request = ModuleByNeed("urllib.request")  # for URLs alone; it loads HTTP and TLS


def is_local(uri: str) -> bool:
    """Whether it is a local path, or a `file:` URL of one."""
    return urlsplit(uri).scheme == "file" or "://" not in uri


def local_path(uri: str) -> str:
    """The path of a `file:` URL, percent escapes undone; a path as it is."""
    parts = urlsplit(uri)
    return request.url2pathname(parts.path) if parts.scheme == "file" else uri
