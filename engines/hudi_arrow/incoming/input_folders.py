"""Folders of Parquet files that are read as rows: all that is in them, or an error. Rule ROWS-1300."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hudi_core.errors import UsageError

_PARQUET: Final = ".parquet"
_OTHER_ROWS: Final = frozenset({".csv", ".json", ".jsonl", ".ndjson", ".arrow", ".feather", ".orc", ".avro", ".gz"})
"""Extensions of files of rows, which would be left out."""
_BEGINS: Final = (b"PAR1", b"PARE", b"ARROW1", b"ORC", b"Obj\x01")
"""How files of rows begin, whatever they are called: `000000_0` of Hive, `part-0.parquet.tmp`, `rows.pq`."""
_TABLES: Final = {".hoodie": "a Hudi table", "_delta_log": "a Delta table"}
"""Folders by which a table is known: it has files of rows that are no more in it."""
_HIDDEN: Final = (".", "_")
"""How names begin that readers of folders pass over: `_SUCCESS`, `_temporary`, `.part-0.parquet.crc`."""


def files_in(folder: Path) -> list[Path]:
    """The Parquet files of a folder by name, without hidden ones. Raises `UsageError` for a folder that has none, for one with
    other rows, which would be left out, and for one of a table."""
    entries = sorted(folder.iterdir())
    for entry in entries:
        if entry.name in _TABLES:
            expected = "a folder of .parquet files; read the rows of a table and write these"
            raise UsageError(str(folder), expected=expected, found=_TABLES[entry.name])
    files = []
    for entry in entries:
        if entry.name.startswith(_HIDDEN):
            continue
        suffix = entry.suffix.lower()
        if suffix == _PARQUET and not entry.is_dir():
            files.append(entry)
        elif entry.is_dir() or suffix in _OTHER_ROWS or _holds_rows(entry):
            found = f"a folder {entry.name} in it" if entry.is_dir() else f"{entry.name} in it"
            raise UsageError(str(folder), expected="a folder of .parquet files alone", found=found)
    if not files:
        raise UsageError(str(folder), expected="a folder with .parquet files", found="one without")
    return files


def _holds_rows(file: Path) -> bool:
    if not file.is_file():  # a pipe has no end
        return False
    with file.open("rb") as opened:
        return opened.read(max(map(len, _BEGINS))).startswith(_BEGINS)
