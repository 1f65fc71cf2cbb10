"""Files of JSON in pieces of whole rows, and a piece as one text for each row. Rules ROWS-1271, ROWS-1320."""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecoder
from pathlib import Path
from typing import Final

PIECE_BYTES: Final = 8 << 20
_MARK: Final = b"\xef\xbb\xbf"
_SPACES: Final = " \t\r\n"


def read_pieces(source: Path, size: int = PIECE_BYTES) -> Iterator[bytes]:
    """The bytes of a file without the mark of UTF-8, in pieces of about this size that end with a row.

    A row begins with a line. Where the file's first one begins with a brace, so do all: other lines are parts of a row that has
    several.
    """
    with source.open("rb") as file:
        block = file.read(len(_MARK)).removeprefix(_MARK) + file.read(size)
        start = b"\n{" if block.startswith(b"{") else b"\n"
        parts: list[bytes] = []
        while block:
            cut = block.rfind(start) + 1
            if not cut and parts and (parts[-1][-1:] + block[:1]).startswith(start):
                yield b"".join(parts)
                parts = []
            elif cut:
                yield b"".join([*parts, block[:cut]])
                parts = []
            parts.append(block[cut:] if cut else block)
            block = file.read(size)
        if rest := b"".join(parts):
            yield rest


def split_rows(piece: bytes, count: int | None = None) -> list[bytes]:
    """One text for each row of a piece, of which there are so many: its lines that are not blank, or its objects where these are
    written in other lines than one each."""
    lines = [line for line in piece.split(b"\n") if line.strip()]
    if count is None or len(lines) == count:
        return lines
    objects = split_objects(piece)
    return lines if objects is None else objects


def split_objects(piece: bytes) -> list[bytes] | None:
    """The objects of a piece, each as a text of one line; None for what is no text of such."""
    decoder, place, objects = JSONDecoder(), 0, []
    try:
        text = piece.decode()
        while rest := text[place : place + 1]:
            if rest in _SPACES:
                place += 1
                continue
            value, end = decoder.raw_decode(text, place)
            if not isinstance(value, dict):
                return None
            objects.append(" ".join(text[place:end].splitlines()).encode())
            place = end
    except (ValueError, RecursionError):
        return None
    return objects
