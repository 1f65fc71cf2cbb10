"""Avro object-container files, read whole: the form of instants' contents and plans. Not for data: one object a record."""

from __future__ import annotations

import io
import zlib
from typing import Any

import fastavro
from fastavro.schema import SchemaParseException, UnknownType

from hudi_core.errors import CorruptFileError

MAGIC = b"Obj\x01"

_DAMAGE = (
    ArithmeticError,
    EOFError,
    LookupError,
    MemoryError,
    RecursionError,
    SchemaParseException,
    TypeError,
    UnknownType,
    ValueError,
    zlib.error,
)
"""What fastavro raises when bytes are not what they claim; it has no error of its own for that."""


def read_container(content: bytes, where: str) -> list[Any]:
    """All records of a container file. `CorruptFileError` names `where` when the bytes are no such file, or damaged."""
    if not content.startswith(MAGIC):
        raise CorruptFileError(where, expected="an Avro container file", found=f"a file that starts {content[:4]!r}")
    try:
        reader = fastavro.reader(io.BytesIO(content))
        return list(reader)
    except _DAMAGE as error:
        raise CorruptFileError(where, expected="a whole Avro container file", found=_said(error)) from None


def _said(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__} {error}".split())[:120]
