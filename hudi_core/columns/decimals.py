"""Decimals: Avro's big-endian bytes to numbers of whole words and back, whole columns at a time. No loop over rows.

The rules are AVC-12 and AVC-13 in `specs/avro-columns.md`. A number is two's complement in `words_of(precision)` words of
64 bits, the lowest first: an array of shape (rows, words), which is Arrow's layout of decimal128 and decimal256.
"""

from __future__ import annotations

import numpy as np

from hudi_core.arrays import Bools, Numbers, Octets, Words64
from hudi_core.columns.nodes import BinaryColumn, FixedBinaryColumn, Validity
from hudi_core.columns.spans import gather, windows
from hudi_core.errors import CorruptFileError, SchemaError
from hudi_core.types.nodes import Decimal
from hudi_core.types.text import text

_WORD = 8
_ONES = (1 << 64) - 1


def words_of(precision: int) -> int:
    """Words of a number of so many digits: two to 38 digits, four to 76, as Arrow's decimals have them; more beyond."""
    digits = (10**precision).bit_length() + 1
    return 2 if precision <= 38 else 4 if precision <= 76 else -(-digits // 64)


def to_words(column: BinaryColumn | FixedBinaryColumn, decimal: Decimal, where: str) -> Words64:
    """The unscaled numbers; those of null rows have no meaning.

    Raises CorruptFileError with `where` and the row when a value has no bytes or more digits than the type.
    """
    if isinstance(column, FixedBinaryColumn):
        words, sound = _words_of_fixed(column, words_of(decimal.precision))
    else:
        words, sound = _words_of_binary(column, words_of(decimal.precision))
    sound &= _within(words, decimal.precision)
    if column.validity is not None:
        sound |= ~column.validity
    if not sound.all():
        row = int(np.argmin(sound))
        raise CorruptFileError(
            f"{where}, record {row}", expected=f"a value of {text(decimal)}", found=_show(column, row)
        )
    return words


def from_words(words: Words64, decimal: Decimal, validity: Validity, where: str) -> BinaryColumn | FixedBinaryColumn:
    """Numbers as the type's Avro backing has them: as few bytes as they need, or the bytes of the fixed. Nulls are zeros.

    Raises SchemaError with `where` and the row when a number has more digits than the type.
    """
    if validity is not None:
        words = words * validity[:, np.newaxis]
    sound = _within(words, decimal.precision)
    if not sound.all():
        row = int(np.argmin(sound))
        value = str(int.from_bytes(words[row].astype("<u8").tobytes(), "little", signed=True))
        raise SchemaError(
            f"{where}, row {row}", expected=f"a value of {text(decimal)}", found=f"the unscaled {value}"[:80]
        )
    size = _WORD * words.shape[1]
    big = words[:, ::-1].astype(">u8").view(np.uint8).reshape(-1, size)
    if decimal.fixed is None:
        lengths = _least_sizes(words)
        if validity is not None:
            lengths *= validity
        starts = np.arange(1, len(words) + 1, dtype=np.int64) * size - lengths
        return BinaryColumn(*gather(big.reshape(-1), starts, lengths), validity)
    wanted = decimal.fixed.size
    if wanted <= size:
        return FixedBinaryColumn(wanted, np.ascontiguousarray(big[:, size - wanted :]), validity)
    wide = np.empty((len(words), wanted), np.uint8)
    wide[:, : wanted - size] = np.where(big[:, :1] >= 128, 0xFF, 0)
    wide[:, wanted - size :] = big
    return FixedBinaryColumn(wanted, wide, validity)


def _words_of_fixed(column: FixedBinaryColumn, count: int) -> tuple[Words64, Bools]:
    """The numbers of values of one size, and which fit."""
    rows, size = len(column.data), column.size
    words = np.zeros((rows, count), np.uint64)
    if rows == 0 or size == 0:
        return words, np.full(rows, size > 0)
    padded = np.zeros(rows * size + _WORD, np.uint8)  # the first value is read from before its beginning
    padded[_WORD:] = column.data.reshape(-1)
    for word in range(count):
        end = size - _WORD * word  # bytes from the value's begin to this word's end
        if end <= 0:
            words[:, word] = _signs(words[:, word - 1])
        else:
            column_words = np.ndarray((rows,), ">u8", padded, end, (size,)).astype(np.uint64)
            words[:, word] = (
                column_words if end >= _WORD else _without_highest_bits(column_words, np.uint64(8 * (_WORD - end)))
            )
    over = size - _WORD * count
    if over <= 0:
        return words, np.ones(rows, np.bool_)
    return words, (column.data[:, :over] == _sign_bytes(words)[:, np.newaxis]).all(axis=1)


def _words_of_binary(column: BinaryColumn, count: int) -> tuple[Words64, Bools]:
    """The numbers of values of any sizes, and which fit."""
    ends, lengths = column.offsets[1:], np.diff(column.offsets)
    words = np.zeros((len(ends), count), np.uint64)
    sound: Bools = lengths > 0
    if not sound.any():
        return words, sound
    padded = np.zeros(len(column.data) + _WORD, np.uint8)
    padded[_WORD:] = column.data
    max_length = int(lengths.max())
    for word in range(count):
        if _WORD * word >= max_length:
            words[:, word] = _signs(words[:, word - 1])
            continue
        rest = lengths - _WORD * word
        column_words = (
            windows(padded, np.maximum(ends - _WORD * word, 0), _WORD).view(">u8").reshape(-1).astype(np.uint64)
        )
        drop = np.clip(8 * (_WORD - rest), 0, 56).astype(np.uint64)
        column_words = _without_highest_bits(column_words, drop)
        words[:, word] = column_words if word == 0 else np.where(rest > 0, column_words, _signs(words[:, word - 1]))
    words[~sound] = 0
    for row in np.flatnonzero(lengths > _WORD * count).tolist():  # none that a writer leaves
        over = column.data[ends[row] - lengths[row] : ends[row] - _WORD * count]
        sound[row] = (over == _sign_bytes(words[row : row + 1])[0]).all()
    return words, sound


def _without_highest_bits(words: Words64, dropped: Words64 | np.uint64) -> Words64:
    """The words without their `dropped` highest bits (0 to 63), which become copies of the highest bit left."""
    result: Words64 = ((words << dropped).view(np.int64) >> dropped.astype(np.int64)).view(np.uint64)
    return result


def _signs(words: Words64) -> Words64:
    """All bits of each word like its highest."""
    signs: Words64 = (words.view(np.int64) >> 63).view(np.uint64)
    return signs


def _sign_bytes(words: Words64) -> Octets:
    """The byte of which a number has any more in front of it."""
    sign_bytes: Octets = (words[:, -1] >> np.uint64(63)).astype(np.uint8) * np.uint8(0xFF)
    return sign_bytes


def _within(words: Words64, precision: int) -> Bools:
    """Which numbers have at most so many digits."""
    if len(words) and 10**precision < 1 << 63:  # most need no more than their lowest word
        lowest = words[:, 0].view(np.int64)
        small = -(10**precision) < int(lowest.min()) and int(lowest.max()) < 10**precision
        if small and all(np.array_equal(words[:, word], _signs(words[:, 0])) for word in range(1, words.shape[1])):
            return np.ones(len(words), np.bool_)
    return _below(words, 10**precision) & ~_below(words, 1 - 10**precision)


def _below(words: Words64, bound: int) -> Bools:
    """Which numbers are below a bound: by the highest word, which is signed, then by the next where those are equal."""
    below = np.zeros(len(words), np.bool_)
    for word in range(words.shape[1]):  # from the lowest: a higher one that differs decides again
        part = bound >> 64 * word & _ONES
        own = words[:, word]
        if word == words.shape[1] - 1:
            signed = part - (1 << 64) if part >> 63 else part
            less, equal = own.view(np.int64) < signed, own.view(np.int64) == signed
        else:
            less, equal = own < np.uint64(part), own == np.uint64(part)
        below = less | (equal & below)
    return below


def _least_sizes(words: Words64) -> Numbers:
    """Bytes that each number needs: its bits and one for the sign."""
    bits = np.zeros(len(words), np.int64)
    sign = _signs(words[:, -1])
    for word in range(words.shape[1]):
        part = words[:, word] ^ sign
        part &= ~(part >> np.uint64(1))  # the highest bit stays, and rounding to a double cannot reach the next
        own = np.frexp(part.astype(np.float64))[1]
        bits = np.where(part != 0, own + 64 * word, bits)
    return bits // 8 + 1


def _show(column: BinaryColumn | FixedBinaryColumn, row: int) -> str:
    """The bytes of a value, for messages."""
    if isinstance(column, FixedBinaryColumn):
        value = column.data[row].tobytes()
    else:
        value = column.data[column.offsets[row] : column.offsets[row + 1]].tobytes()
    shown = value.hex()
    return f"the bytes {shown if len(shown) <= 40 else shown[:40] + '...'}" if value else "no bytes"
