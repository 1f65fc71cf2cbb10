"""Files that a bootstrap left where they were, found by the index that it made. Rules TABLE-730 to TABLE-732."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from hudi_core.engine import Engine, FileInfo, Storage
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.names import METADATA_BOOTSTRAP
from hudi_core.options import BOOTSTRAP_BASE_PATH, FOLDER, TableConfig
from hudi_core.paths import path_within
from hudi_core.timeline.commits import read_record

_GROUP: Final = "00000000-0000-0000-0000-000000000000-0"
INDEX_PATH: Final = f"{FOLDER}/.aux/.bootstrap/.fileids/{_GROUP}_1-0-1_{METADATA_BOOTSTRAP}.hfile"
"""The index by file group: an HFile of Avro files."""
_INFO: Final = b"INDEX_INFO"
_SAME: Final = {"s3a": "s3", "s3n": "s3", "": "file"}
"""Schemes that mean another one."""


@dataclass(frozen=True)
class Bootstrap:
    """The files outside of a table that have the columns of its rows: which, and how they are opened."""

    engine: Engine[Any, Any, Any]
    storage: Storage
    config: TableConfig

    def source(self, partition: str, file_id: str) -> FileInfo:
        """The file with the rows of a file group, from the root of `sources`. Raises `CorruptFileError` where the index has none,
        or one that is not below the folder that was bootstrapped."""
        where = f"{self.storage.uri}/{INDEX_PATH}"
        found = self._index.lookup([f"part={partition};fileid={file_id}".encode()]).cells
        if len(found) != 1:
            raise CorruptFileError(
                where, expected=f"one entry of file group {file_id} in {partition!r}", found=str(len(found))
            )
        entry = read_record(found.value(0), where)
        status = _part(entry, "bootstrapFileStatus", where)
        uri, length = _part(status, "path", where).get("uri"), status.get("length")
        if not isinstance(uri, str) or not isinstance(length, int):
            raise CorruptFileError(where, expected="the place and size of a file", found=repr(status)[:80])
        root = self._read_stated_root(where)
        path = _place(uri)
        if not path.startswith(f"{root}/"):
            raise CorruptFileError(where, expected=f"a file below {root}", found=uri)
        return FileInfo(path_within(path.removeprefix(f"{root}/"), where), length)

    @cached_property
    def sources(self) -> Storage:
        """The folder that was bootstrapped. Raises `UnsupportedError` where it is in another kind of storage than the table."""
        stated = self.config.properties.get(BOOTSTRAP_BASE_PATH, "").strip()
        if not stated:
            raise UnsupportedError(self.storage.uri, expected=f"a property {BOOTSTRAP_BASE_PATH}", found="none")
        own, other = _scheme(self.storage.uri), _scheme(stated)
        if own != other:
            expected = f"bootstrapped files in the storage of the table ({own[0]})"
            raise UnsupportedError(self.storage.uri, expected=expected, found=stated)
        return self.engine.storage(_place(stated) if other[0] == "file" else stated)

    @cached_property
    def _index(self) -> HFile:
        return HFile(self.storage.open(INDEX_PATH))

    def _read_stated_root(self, where: str) -> str:
        """The folder that was bootstrapped, as the index names it: another than the property's where it was moved since."""
        info = self._index.file_info.get(_INFO)
        root = None if info is None else read_record(info, where).get("bootstrapBasePath")
        if not isinstance(root, str):
            raise CorruptFileError(where, expected="the folder that was bootstrapped", found="none")
        return _place(root)


def _part(record: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    part = record.get(name)
    if not isinstance(part, Mapping):
        raise CorruptFileError(where, expected=f"a record {name}", found=repr(part)[:80])
    return part


def _place(uri: str) -> str:
    """The path of a URI or local path, from the root of its storage, without a slash at its end."""
    parts = urlsplit(uri)
    path = unquote(parts.path) if parts.scheme == "file" else parts.path if parts.scheme else uri
    return path.rstrip("/")


def _scheme(uri: str) -> tuple[str, str]:
    """The kind of storage, and the bucket or host there."""
    parts = urlsplit(uri)
    return _SAME.get(parts.scheme, parts.scheme), parts.netloc
