"""Rows through standard input and output: `-` in place of a file. Rules CLI-680, CLI-1327."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from zlib import MAX_WBITS, decompressobj

from hudi_core.cli.output import flush, standard_output
from hudi_core.errors import StorageError, UsageError, name_original
from hudi_core.temporary import temporary_folder

STREAM: Final = "-"
FORMATS: Final = ("parquet", "arrow", "csv", "jsonl")
_TEXTS: Final = ("csv", "jsonl")
_BEGINNINGS: Final = (
    (b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\xff\xff\xff\xff", "arrow"), (b"{", "jsonl"), (b"[", "jsonl"),
)  # fmt: skip
_GZIP: Final = b"\x1f\x8b"
_MARK: Final = b"\xef\xbb\xbf"
_BEGINNING: Final = 1 << 12


@contextmanager
def input_file(path: str, stated: str | None) -> Iterator[str]:
    """The file of an input; what standard input has, as a file as long as the block runs. Without a stated format its first bytes
    tell. Raises `UsageError` for an unknown format, and for one that is stated of a file, whose name tells it."""
    refuse_format(path, stated)
    if path != STREAM:
        yield path
        return
    if sys.stdin is None:
        raise StorageError("standard input", message="it is closed")
    with temporary_folder("hudi-input-") as folder:
        given = Path(folder) / "rows"
        with given.open("wb") as made:
            shutil.copyfileobj(sys.stdin.buffer, made, 1 << 20)
        named = given.rename(given.with_suffix(_suffix(given, stated)))
        with name_original(str(named), "standard input"):
            yield str(named)


def _suffix(given: Path, stated: str | None) -> str:
    """The extension of a file of this content, as its format is stated or its first bytes tell."""
    with given.open("rb") as file:
        first = file.read(_BEGINNING)
    packed = first.startswith(_GZIP)
    if packed:
        first = decompressobj(wbits=MAX_WBITS | 16).decompress(first, _BEGINNING)
    first = first.removeprefix(_MARK).lstrip()
    known = stated or next((name for start, name in _BEGINNINGS if first.startswith(start)), "csv")
    return f".{known}.gz" if packed and known in _TEXTS else f".{known}"


def write_output(write: Callable[[str], int], stated: str | None) -> int:
    """Writes rows to standard output in a format; gives their number."""
    with temporary_folder("hudi-output-") as folder:
        made = Path(folder) / f"rows.{stated or 'jsonl'}"
        rows = write(str(made))
        flush()
        with made.open("rb") as content, standard_output() as out:
            shutil.copyfileobj(content, out.buffer, 1 << 20)
            out.buffer.flush()
    return rows


def refuse_format(path: str, stated: str | None) -> None:
    """Raises `UsageError` for a format that is not known, or is stated of a file."""
    if stated is not None and path != STREAM:
        raise UsageError("--format", expected=f"{STREAM} in place of a file, whose name tells its format", found=path)
    if stated is not None and stated not in FORMATS:
        raise UsageError("--format", expected=f"one of {', '.join(FORMATS)}", found=repr(stated))
