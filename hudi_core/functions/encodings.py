"""Characters as codes, bytes as texts, and hashes."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, Native, Signature
from hudi_core.functions.scalar.hashes import murmur3, of_rows, xxh64
from hudi_core.types import nodes as t

_SHA2 = {0: hashlib.sha256, 224: hashlib.sha224, 256: hashlib.sha256, 384: hashlib.sha384, 512: hashlib.sha512}
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")
_SEED = 42


def _as_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _chr(code: int) -> str:
    """The character of the lowest eight bits; none of a negative number."""
    return chr(code & 0xFF) if code >= 0 else ""


def _choose_hex_type(argument: Argument) -> t.Type:
    """A number as a long, bytes and strings as they are."""
    data_type = p.bytes_or_string(argument)
    numeric = isinstance(argument.type, t.Int | t.Long | t.Float | t.Double | t.Decimal | t.Boolean)
    return t.Long() if numeric else data_type


def _hex(value: int | str | bytes) -> str:
    return f"{value % (1 << 64):X}" if isinstance(value, int) else _as_bytes(value).hex().upper()


def _unhex(value: str) -> bytes | None:
    """The bytes of hexadecimal digits, with a zero before an odd number of them; null for what is none.

    >>> _unhex("F01"), _unhex("no")
    (b'\\x0f\\x01', None)
    """
    if not re.fullmatch(r"[0-9A-Fa-f]*", value):
        return None
    return bytes.fromhex("0" * (len(value) % 2) + value)


def _unbase64(value: str) -> bytes | None:
    """As MIME reads it: other characters are passed over, and so is padding."""
    digits = _NOT_BASE64.sub("", value.split("=")[0])
    try:
        return base64.b64decode(digits + "=" * (-len(digits) % 4))
    except binascii.Error:
        return None


def _sha2(value: bytes, bits: int) -> str | None:
    return _SHA2[bits](value).hexdigest() if bits in _SHA2 else None


def _hash(hash_value: Callable[..., int], values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> int:
    return of_rows(hash_value, values, types, _SEED)


def _signature_of_hash(type: t.Type, arguments: Sequence[Argument]) -> Signature | None:
    hashed = (t.Map, t.Union, t.Vector, t.Uuid, t.Time)
    unknown = any(isinstance(argument.type, hashed) for argument in arguments)
    return None if unknown else Signature(tuple(argument.type for argument in arguments), type)


def _of_one(
    name: str, kind: p.Kind, type: t.Type, rule: Callable[[Any], Any], *aliases: str, spark: Any = ()
) -> Function:
    native = Native(name, only=spark) if spark else None
    return Function(name, range(1, 2), p.signature(kind, gives=type), p.of_values(rule), aliases=aliases, spark=native)


_TEXT = (t.String, t.Binary)
FUNCTIONS = (
    _of_one("octet_length", p.bytes_or_string, t.Int(), lambda value: len(_as_bytes(value)), spark=_TEXT),
    _of_one("bit_length", p.bytes_or_string, t.Int(), lambda value: 8 * len(_as_bytes(value)), spark=_TEXT),
    _of_one("ascii", p.string, t.Int(), lambda value: ord(value[0]) if value else 0, spark=_TEXT),
    _of_one("chr", p.long, t.String(), _chr, "char"),
    _of_one("hex", _choose_hex_type, t.String(), _hex, spark=(*_TEXT, t.Long)),
    _of_one("unhex", p.string, t.Binary(), _unhex),
    _of_one("base64", p.binary, t.String(), lambda value: base64.b64encode(value).decode()),
    _of_one("unbase64", p.string, t.Binary(), _unbase64),
    _of_one("bin", p.long, t.String(), lambda value: f"{value % (1 << 64):b}", spark=(t.Long,)),
    _of_one("md5", p.binary, t.String(), lambda value: hashlib.md5(value).hexdigest(), spark=(t.Binary,)),
    _of_one("sha1", p.binary, t.String(), lambda value: hashlib.sha1(value).hexdigest(), "sha", spark=(t.Binary,)),
    _of_one("crc32", p.binary, t.Long(), zlib.crc32, spark=(t.Binary,)),
    Function("sha2", range(2, 3), p.signature(p.binary, p.integer, gives=t.String()), p.of_values(_sha2)),
    Function("hash", range(1, 1 << 16), partial(_signature_of_hash, t.Int()), partial(_hash, murmur3), strict=False),
    Function("xxhash64", range(1, 1 << 16), partial(_signature_of_hash, t.Long()), partial(_hash, xxh64), strict=False),
)
