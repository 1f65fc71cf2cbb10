"""Functions of text on Arrow arrays, with the answers of `hudi_core.functions.scalar.text`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, in_parts, is_coded, offsets_of, plain, texts
from hudi_arrow.distinct import by_distinct
from hudi_arrow.numpy_arrays import bitmap, has_value, no_for_null, to_numpy, to_scalar
from hudi_core.arrays import Bools, Octets, Offsets
from hudi_core.columns.spans import positions
from hudi_core.errors import UnsupportedError
from hudi_core.functions.scalar import regex
from hudi_core.functions.scalar.like import AnyRun, Pattern
from hudi_core.functions.scalar.text import WHOLE
from hudi_core.types.nodes import Boolean, String

_WINDOW = 1 << 18
_MAX_JOINED = 1 << 14
"""Characters of LIKE patterns that are looked for at once."""


def matches(array: Array, pattern: Pattern | str) -> Array:
    """The text matches a LIKE pattern as a whole, or a regular expression somewhere; no for null."""
    if is_coded(array):
        of_texts = matches(array.dictionary, pattern)
        mask = of_texts.take(array.indices) if pc.any(of_texts).as_py() else _none(array)
    else:
        mask = _like(plain(array), pattern) if isinstance(pattern, tuple) else _regex(plain(array), pattern)
    return no_for_null(mask)


def matches_one(array: Array, patterns: Sequence[Pattern | str]) -> Array:
    """The text matches one of the patterns; no for null. Many plain LIKE patterns are looked for at once."""
    if is_coded(array):
        return no_for_null(matches_one(array.dictionary, patterns).take(array.indices))
    array = plain(array)
    likes = [pattern for pattern in patterns if isinstance(pattern, tuple) and regex.joins(pattern)]
    joined = set(likes)
    result = _none(array)
    for pattern in patterns:
        if pattern not in joined:
            result = pc.or_(result, matches(array, pattern))
    for expression in _join(likes):
        mask = pc.match_substring_regex(array, expression)
        result = pc.or_(result, no_for_null(mask))
    return result


def _join(patterns: Sequence[Pattern]) -> Iterator[str]:
    """Regular expressions of as many patterns as RE2 has room for."""
    part: list[Pattern] = []
    size = 0
    for pattern in patterns:
        part.append(pattern)
        size += sum(len(piece) for piece in pattern if isinstance(piece, str))
        if size > _MAX_JOINED:
            yield regex.any_like(part)
            part, size = [], 0
    if part:
        yield regex.any_like(part)


def length(array: Array) -> Array:
    """Characters of a text, bytes of bytes."""
    array = plain(array)
    binary = (
        pa.types.is_binary(array.type)
        or pa.types.is_large_binary(array.type)
        or pa.types.is_fixed_size_binary(array.type)
    )
    return (pc.binary_length if binary else pc.utf8_length)(array).cast(pa.int32())


def concat(arrays: list[Array], kind: pa.DataType) -> Array:
    """All one after another; null where any is null."""
    cast = [plain(array).cast(kind) for array in arrays]
    empty = to_scalar(b"" if pa.types.is_binary(kind) else "", kind)
    return pc.binary_join_element_wise(*cast, empty, null_handling="emit_null")


def with_end(array: Array, end: str) -> Array:
    """Each string with the same end."""
    return pc.binary_join_element_wise(array, to_scalar(end, array.type), to_scalar("", array.type))


def change_case(array: Array, upper: bool) -> Array:
    """Lower or upper case; letters outside ASCII by Unicode's full rules, under which lengths may change."""
    array = plain(array)
    if pc.all(pc.string_is_ascii(array)).as_py() is not False:
        return (pc.ascii_upper if upper else pc.ascii_lower)(array).cast(pa.string())
    return by_distinct(str.upper if upper else str.lower, [array], [String()], String())


def substring(array: Array, positions: Array, lengths: Array | None) -> Array:
    """SQL's substring, each row with its own position and length."""
    array = plain(array)
    text = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    wide = array.cast(pa.large_binary())
    known = [has_value(part) for part in (array, positions, lengths) if part is not None]
    present = np.logical_and.reduce(known)
    start, count = _integers(positions), np.full(len(array), WHOLE) if lengths is None else _integers(lengths)
    offsets, content = _bytes_of(wide)
    # First bytes of characters; in bytes, every byte is one. `places` counts those before each row.
    starts = np.flatnonzero((content & 0xC0) != 0x80) if text else np.arange(len(content))
    places = np.searchsorted(starts, offsets)
    size = np.diff(places)
    first = np.where(start > 0, start - 1, np.where(start < 0, size + start, 0))
    last = np.minimum(first + count, size)
    first = np.maximum(first, 0)
    last = np.maximum(last, first)
    ends = np.append(starts, offsets[-1])
    low = ends[np.minimum(places[:-1] + np.minimum(first, size), len(starts))]
    high = ends[np.minimum(places[:-1] + np.minimum(last, size), len(starts))]
    taken = np.where(present, high - low, 0)
    return _cut(content, low, taken, present, pa.large_string() if text else pa.large_binary()).cast(
        pa.string() if text else pa.binary()
    )


def trim(array: Array, left: bool, right: bool) -> Array:
    """Without the blanks at its ends."""
    kernel = pc.utf8_trim if left and right else pc.utf8_ltrim if left else pc.utf8_rtrim
    return kernel(plain(array), characters=" ").cast(pa.string())


def _like(array: Array, pattern: Pattern) -> Array:
    match pattern:
        case ():
            return _empty(array)
        case (AnyRun(),):
            return pc.is_valid(array)
        case (str() as text,):
            return _none(array) if _lacks_a_byte(array, text) else pc.equal(array, to_scalar(text, array.type))
        case (str() as text, AnyRun()):
            return _none(array) if _lacks_a_byte(array, text) else pc.starts_with(array, text)
        case (AnyRun(), str() as text):
            return _none(array) if _lacks_a_byte(array, text) else pc.ends_with(array, text)
        case (AnyRun(), str() as text, AnyRun()):
            return _none(array) if _lacks_a_byte(array, text) else pc.match_substring(array, text)
        case _:
            return _matching(array, regex.like(pattern))


def _empty(array: Array) -> Array:
    """Texts without bytes; no for null."""
    bounds, _ = texts(array)
    same = bounds[1:] == bounds[:-1]
    if not same.any():
        return _none(array)
    mask = pa.Array.from_buffers(pa.bool_(), len(array), [None, pa.py_buffer(np.packbits(same, bitorder="little"))])
    return pc.and_(mask, pc.is_valid(array)) if array.null_count else mask


def _lacks_a_byte(array: Array, text: str) -> bool:
    """Whether some byte of a string is in no row, which is faster to test than to search for the string."""
    if len(array) == 0 or not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        return False
    bounds, data = texts(array)
    content = data[bounds[0] : bounds[-1]]
    return any(_lacks(content, byte) for byte in set(text.encode()))


def _lacks(content: Octets, byte: int) -> bool:
    """Window by window, so that what is examined is in the processor's cache."""
    return all(byte not in content[start : start + _WINDOW].tobytes() for start in range(0, len(content), _WINDOW))


def _none(array: Array) -> Array:
    return pa.Array.from_buffers(pa.bool_(), len(array), [None, pa.py_buffer(bytes(-(-len(array) // 8)))])


def _regex(array: Array, pattern: str) -> Array:
    return _matching(array, regex.parse(pattern))


def _search(array: Array, wanted: regex.Regex) -> Array:
    return by_distinct(lambda text: wanted.compiled.search(text) is not None, [array], [String()], Boolean())


def _matching(array: Array, wanted: regex.Regex) -> Array:
    if wanted.re2 is None:
        return _search(array, wanted)
    try:
        matches = pc.match_substring_regex(array, wanted.re2)
        others = pc.fill_null(pc.invert(pc.string_is_ascii(array)), False) if wanted.of_words else None
        if others is None or not pc.any(others, min_count=0).as_py():
            return matches
        return pc.replace_with_mask(matches, others, _search(array.filter(others), wanted))
    except pa.ArrowInvalid as problem:
        raise UnsupportedError(wanted.python.pattern, message=" ".join(str(problem).split())) from problem


def _bytes_of(wide: Array) -> tuple[Offsets, Octets]:
    """Where the rows of a large binary array begin and end in its bytes, without what it may be a slice of."""
    bounds, data = texts(wide)
    return bounds - bounds[0], data[bounds[0] : bounds[-1]]


def _integers(array: Array) -> Offsets:
    numbers: Offsets = to_numpy(plain(array)).astype(np.int64)
    return numbers


def _cut(content: Octets, low: Offsets, lengths: Offsets, present: Bools, kind: pa.DataType) -> Array:
    bounds = offsets_of(lengths)
    data = content[positions(low, lengths)]
    buffers = [bitmap(present), pa.py_buffer(bounds), pa.py_buffer(data)]
    return pa.Array.from_buffers(kind, len(lengths), buffers)


_NARROW_BYTES = 2**31 - 1
"""The greatest offset of a narrow array of strings."""


def join(parts: Sequence[str | Array]) -> Array:
    """Strings one after another; null where a column is. At least one part is a column."""
    pieces = [part if isinstance(part, str) else plain(part) for part in parts]
    columns = [piece for piece in pieces if isinstance(piece, pa.Array)]
    if len(pieces) == 1:
        return columns[0]
    rows = len(columns[0])
    is_wide = any(pa.types.is_large_string(column.type) for column in columns)
    if is_wide or _max_bytes(pieces, rows) > _NARROW_BYTES:
        pieces = [piece if isinstance(piece, str) else piece.cast(pa.large_string()) for piece in pieces]
        kind = pa.large_string()
    else:
        kind = pa.string()

    def join(first: int, count: int) -> Array:
        cut = [to_scalar(piece, kind) if isinstance(piece, str) else piece.slice(first, count) for piece in pieces]
        return pc.binary_join_element_wise(*cut, to_scalar("", kind))

    return in_parts(join, rows)


def _max_bytes(pieces: Sequence[str | Array], rows: int) -> int:
    """No less than the bytes of the joined strings."""
    return sum(rows * len(piece.encode()) if isinstance(piece, str) else int(piece.nbytes) for piece in pieces)
