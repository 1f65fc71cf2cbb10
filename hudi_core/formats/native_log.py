"""Native log files of table version 10: whole Parquet files or HFiles, each as one block. Rules LOG-710 to LOG-714."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np
import pybase64

from hudi_core.arrays import Numbers
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from hudi_core.formats.names import LogFileName, NativeKind, parse_log_file
from hudi_core.formats.parquet.key_values import key_values
from hudi_core.formats.random_access import RandomAccess
from hudi_core.json_texts import parse_json

METADATA_KEY: Final = "hudi.log.format.metadata"
"""The entry of a file's own metadata with its headers: a JSON object of texts, named as the headers of blocks."""
FORMAT_VERSION: Final = 2
"""The greatest `VERSION` that is read."""
PARQUET: Final = "parquet"
HFILE: Final = "hfile"

_VERSION: Final = "VERSION"
_DIGITS: Final = 9
"""The digits of the longest number that is read."""
_KINDS: Final = {
    (NativeKind.LOG, PARQUET): BlockKind.PARQUET_DATA,
    (NativeKind.LOG, HFILE): BlockKind.HFILE_DATA,
    (NativeKind.DELETES, PARQUET): BlockKind.DELETE,
    (NativeKind.CDC, PARQUET): BlockKind.CDC_DATA,
}


def log_blocks(name: str, source: RandomAccess) -> Iterator[LogBlock]:
    """The blocks of a log file of this name: those that it holds, or the one that a native file is. Raises as `read_blocks`."""
    log = parse_log_file(name)
    if log is None or not log.is_native:
        yield from read_blocks(source)
    else:
        yield _native_block(log, source)


def _native_block(log: LogFileName, source: RandomAccess) -> LogBlock:
    """A native file as a block whose header is in the file's metadata, and whose content is the file."""
    assert log.native_kind is not None
    kind = _KINDS.get((log.native_kind, log.native_format))
    if kind is None:
        what = log.native_kind.name.lower()
        raise UnsupportedError(
            source.where, expected=f"a native log file in Parquet ({what})", found=f"one in {log.native_format!r}"
        )
    header = _header(_METADATA[log.native_format](source), source.where)
    instant = header.setdefault(HeaderKey.INSTANT_TIME, log.instant)
    if instant != log.instant:
        raise CorruptFileError(source.where, expected=f"the instant of its name, {log.instant}", found=instant)
    if log.native_kind is NativeKind.LOG and HeaderKey.SCHEMA not in header:
        raise CorruptFileError(source.where, expected=f"a SCHEMA in {METADATA_KEY}", found="none")
    return LogBlock(source, kind, 0, source.size, header, {}, 0, source.size, native=True)


def _header(text: str | None, where: str) -> dict[HeaderKey | int, str]:
    """The headers that are known, by key; others do not matter."""
    if text is None:
        return {}
    try:
        members = parse_json(text)
    except ValueError as problem:
        raise CorruptFileError(where, expected=f"JSON in {METADATA_KEY}", found=str(problem)[:80]) from None
    if not isinstance(members, Mapping) or not all(isinstance(value, str) for value in members.values()):
        raise CorruptFileError(where, expected=f"an object of texts in {METADATA_KEY}", found=text[:80])
    version = members.get(_VERSION, str(FORMAT_VERSION))
    if not (version.isascii() and version.isdigit()):
        raise CorruptFileError(where, expected=f"a number as {_VERSION}", found=repr(version)[:80])
    if len(version) > _DIGITS or int(version) > FORMAT_VERSION:
        raise UnsupportedError(where, expected=f"native logs of version {FORMAT_VERSION} at most", found=version[:80])
    return {HeaderKey[name]: value for name, value in members.items() if name in HeaderKey.__members__}


def _of_parquet(source: RandomAccess) -> str | None:
    return key_values(source).get(METADATA_KEY)


def _of_hfile(source: RandomAccess) -> str | None:
    data = HFile(source).file_info.get(METADATA_KEY.encode())
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        raise CorruptFileError(source.where, expected=f"text in {METADATA_KEY}", found="other bytes") from None


_METADATA: Final[Mapping[str, Callable[[RandomAccess], str | None]]] = {PARQUET: _of_parquet, HFILE: _of_hfile}


def read_position_list(text: str, where: str) -> Numbers:
    """The positions of a native file's rows, in their order: in base64 a 32-bit count, then as many numbers of seven bits a byte,
    the lowest first. Raises `CorruptFileError`. Rule LOG-713."""
    try:
        data = pybase64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise CorruptFileError(where, expected="positions in base64", found=f"{text[:20]!r}") from None
    count = int.from_bytes(data[:4], "big", signed=True) if len(data) >= 4 else -1
    body = np.frombuffer(data, np.uint8, offset=4) if len(data) >= 4 else np.zeros(0, np.uint8)
    ends = np.flatnonzero(body < 0x80)
    if count != len(ends) or (len(body) and (not len(ends) or ends[-1] != len(body) - 1)):
        found = f"{len(ends)} numbers in {len(body)} bytes"
        raise CorruptFileError(where, expected=f"{count} positions", found=found)
    if not count:
        return np.zeros(0, np.int64)
    starts = np.append(0, ends[:-1] + 1)
    if (ends - starts).max() > 8:
        raise CorruptFileError(where, expected="positions of 63 bits", found="longer ones")
    shifts = 7 * (np.arange(len(body)) - np.repeat(starts, ends - starts + 1))
    positions: Numbers = np.add.reduceat((body & 0x7F).astype(np.int64) << shifts, starts)
    return positions
