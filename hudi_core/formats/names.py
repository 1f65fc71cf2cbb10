"""Names of base files and log files: taken apart, put together, ordered. Rules FORMAT-5 to FORMAT-8, FORMAT-710."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

_BASE = re.compile(r"([^_./][^_/]*)_([A-Za-z0-9-]+)_([0-9]+)(\.(?:parquet|orc|hfile|lance))")
_LOG = re.compile(r"\.([^_./][^_/]*)_([^./]*)\.log\.([0-9]{1,10})(?:_([0-9]+-[0-9]+-[0-9]+)([.-]cdc)?)?")
_NATIVE = re.compile(r"([^._/]+)_([0-9]+-[0-9]+-[0-9]+)_([^_./]+)_([0-9]{1,10})\.(log|deletes|cdc)\.([^./]+)")

METADATA_BOOTSTRAP: Final = "00000000000001"
"""The instant of base files that a bootstrap wrote for files that stay where they are: the meta columns alone."""


@dataclass(frozen=True, slots=True)
class BaseFileName:
    """`<file id>_<write token>_<instant><extension>`; the extension has its dot."""

    file_id: str
    write_token: str
    instant: str
    extension: str

    def file_name(self) -> str:
        return f"{self.file_id}_{self.write_token}_{self.instant}{self.extension}"


class NativeKind(IntEnum):
    """The content of a native log file, in the order in which those of one instant and version apply."""

    LOG = 0
    DELETES = 1
    CDC = 2


@dataclass(frozen=True, slots=True)
class LogFileName:
    """`.<file id>_<instant>.log.<version>_<write token><suffix>`; from table version 10 on a native file,
    `<file id>_<write token>_<instant>_<version>.<kind>.<format>`.

    The instant is that of the slice's base file in table version 6, of the delta commit from version 8 on. Old names end
    at the version. The suffix is empty, or `.cdc` (also seen as `-cdc`) for a log of changes. `native_kind` and
    `native_format` are those of a native file.
    """

    file_id: str
    instant: str
    version: int
    write_token: str | None
    suffix: str
    native_kind: NativeKind | None = None
    native_format: str = ""

    @property
    def is_cdc(self) -> bool:
        return bool(self.suffix) or self.native_kind is NativeKind.CDC

    @property
    def is_native(self) -> bool:
        """Whether the file is one of Parquet or the like, not one of blocks."""
        return self.native_kind is not None

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """Logs of one file slice apply in ascending order of this."""
        return self.instant, self.version, self.native_kind or 0, self.write_token or "", self.suffix

    def file_name(self) -> str:
        if self.native_kind is not None:
            kind = self.native_kind.name.lower()
            return f"{self.file_id}_{self.write_token}_{self.instant}_{self.version}.{kind}.{self.native_format}"
        token = "" if self.write_token is None else f"_{self.write_token}{self.suffix}"
        return f".{self.file_id}_{self.instant}.log.{self.version}{token}"


def parse_base_file(name: str) -> BaseFileName | None:
    """The parts of a base file's name; None for any other name."""
    match = _BASE.fullmatch(name)
    return BaseFileName(*match.groups()) if match else None


def is_skeleton(name: str) -> bool:
    """Whether a base file has the meta columns alone, and the others are in a file outside of the table."""
    base = parse_base_file(name)
    return base is not None and base.instant == METADATA_BOOTSTRAP


def parse_log_file(name: str) -> LogFileName | None:
    """The parts of a log file's name; None for any other name, logs of archived instants among them."""
    match = _LOG.fullmatch(name)
    if match is None:
        return _parse_native_log(name)
    file_id, instant, version, token, suffix = match.groups()
    return LogFileName(file_id, instant, int(version), token, suffix or "")


def _parse_native_log(name: str) -> LogFileName | None:
    match = _NATIVE.fullmatch(name)
    if match is None:
        return None
    file_id, token, instant, version, kind, file_format = match.groups()
    return LogFileName(file_id, instant, int(version), token, "", NativeKind[kind.upper()], file_format)
