"""Spark's hashes of values: Murmur3 with 32 bits and xxHash with 64, one value after another, nulls passed over."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hudi_core.by_need import ModuleByNeed
from hudi_core.functions.scalar.arithmetic import wrap
from hudi_core.types import nodes as t
from hudi_core.values.domain import EXACT

if TYPE_CHECKING:
    import xxhash
else:
    xxhash = ModuleByNeed("xxhash")

Hash = Callable[[bytes, int, bool], int]
"""Bytes, a seed, and whether they are one number."""
_32 = 0xFFFF_FFFF


def of_rows(hash_value: Hash, values: Sequence[Any], types: Sequence[t.Type], seed: int) -> int:
    """The hash of values, each with that of those before it as its seed."""
    for value, data_type in zip(values, types, strict=True):
        seed = _of_value(hash_value, value, data_type, seed)
    return seed


def _of_value(hash_value: Hash, value: Any, type: t.Type, seed: int) -> int:
    if value is None:
        return seed
    match type:
        case t.Record(fields):
            return of_rows(hash_value, value, [field.type for field in fields], seed)
        case t.Array(element):
            return of_rows(hash_value, value, [element.type] * len(value), seed)
        case t.Boolean() | t.Int() | t.Date():
            return hash_value(struct.pack("<i", value), seed, True)
        case t.Long():
            return hash_value(struct.pack("<q", value), seed, True)
        case t.Timestamp(unit):
            return hash_value(struct.pack("<q", wrap(value * 1_000_000 // unit.value, 64)), seed, True)
        case t.Float():
            return hash_value(
                struct.pack("<I", 0x7FC0_0000) if value != value else struct.pack("<f", value + 0.0), seed, True
            )
        case t.Double():
            bits = struct.pack("<Q", 0x7FF8 << 48) if value != value else struct.pack("<d", value + 0.0)
            return hash_value(bits, seed, True)
        case t.Decimal(precision, scale):
            unscaled = int(EXACT.scaleb(value, scale))
            if precision <= 18:
                return hash_value(struct.pack("<q", unscaled), seed, True)
            size = ((unscaled if unscaled >= 0 else ~unscaled).bit_length() + 8) // 8
            return hash_value(unscaled.to_bytes(size, "big", signed=True), seed, False)
        case _:
            return hash_value(value.encode() if isinstance(value, str) else value, seed, False)


def xxh64(data: bytes, seed: int, is_number: bool) -> int:
    """The hash as a signed integer.

    >>> xxh64(b"Spark", 42, False)
    -4294468057691064905
    """
    return wrap(xxhash.xxh64_intdigest(data, seed % (1 << 64)), 64)


def murmur3(data: bytes, seed: int, is_number: bool) -> int:
    """Spark's variant: the bytes behind the last whole word are mixed in one by one, each as a signed number.

    >>> murmur3(b"Spark", 42, False)
    228093765
    """
    aligned = len(data) - len(data) % 4
    state = seed & _32
    for (word,) in struct.iter_unpack("<I", data[:aligned]):
        state = _mix(state, word)
    for byte in data[aligned:]:
        state = _mix(state, wrap(byte, 8) & _32)
    state ^= len(data)
    state = (state ^ state >> 16) * 0x85EB_CA6B & _32
    state = (state ^ state >> 13) * 0xC2B2_AE35 & _32
    return wrap(state ^ state >> 16, 32)


def _mix(state: int, word: int) -> int:
    word = _rotate(word * 0xCC9E_2D51 & _32, 15) * 0x1B87_3593 & _32
    return (_rotate(state ^ word, 13) * 5 + 0xE654_6B64) & _32


def _rotate(word: int, places: int) -> int:
    return (word << places | word >> (32 - places)) & _32
