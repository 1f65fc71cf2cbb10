"""Functions of text on Arrow arrays, with the answers of `hudi_core.expr.scalar.text`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, Offsets, bitmap, offsets_of, plain, spread
from hudi_arrow.distinct import by_distinct
from hudi_core.errors import UnsupportedError
from hudi_core.expr.predicate import AnyRun, Pattern
from hudi_core.expr.scalar import regex
from hudi_core.expr.scalar.text import WHOLE
from hudi_core.types.nodes import Boolean, String

_NARROW_BYTES = 2**31 - 1
"""What the offsets of a narrow text array reach."""


def matches(array: Array, pattern: Pattern | str) -> Array:
    """The text matches a LIKE pattern as a whole, or a regular expression somewhere; no for null."""
    found = _like(plain(array), pattern) if isinstance(pattern, tuple) else _regex(plain(array), pattern)
    return pc.fill_null(found, False) if found.null_count else found


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
    empty = pa.scalar(b"" if pa.types.is_binary(kind) else "", kind)
    return pc.binary_join_element_wise(*cast, empty, null_handling="emit_null")


def join(parts: Sequence[str | Array]) -> Array:
    """Texts one after another; null where a column is."""
    columns = [plain(part) if isinstance(part, pa.Array) else part for part in parts]
    wide = any(pa.types.is_large_string(each.type) for each in columns if isinstance(each, pa.Array))
    kind = pa.large_string() if wide or _joined_bytes(columns) > _NARROW_BYTES else pa.string()
    cast = [each.cast(kind) if isinstance(each, pa.Array) else pa.scalar(each, kind) for each in columns]
    return pc.binary_join_element_wise(*cast, pa.scalar("", kind), null_handling="emit_null")


def _joined_bytes(columns: Sequence[str | Array]) -> int:
    """No less than the joined texts take."""
    rows = max(len(each) for each in columns if isinstance(each, pa.Array))
    return sum(each.nbytes if isinstance(each, pa.Array) else rows * len(each.encode()) for each in columns)


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
    known = [
        pc.is_valid(part).to_numpy(zero_copy_only=False) for part in (array, positions, lengths) if part is not None
    ]
    present = np.logical_and.reduce(known)
    start, count = _integers(positions), np.full(len(array), WHOLE) if lengths is None else _integers(lengths)
    offsets, content = _bytes_of(wide)
    # First bytes of characters; in bytes, every byte is one. `places` counts those before each row.
    heads = np.flatnonzero((content & 0xC0) != 0x80) if text else np.arange(len(content))
    places = np.searchsorted(heads, offsets)
    size = np.diff(places)
    first = np.where(start > 0, start - 1, np.where(start < 0, size + start, 0))
    last = np.minimum(first + count, size)
    first = np.maximum(first, 0)
    last = np.maximum(last, first)
    ends = np.append(heads, offsets[-1])
    low = ends[np.minimum(places[:-1] + np.minimum(first, size), len(heads))]
    high = ends[np.minimum(places[:-1] + np.minimum(last, size), len(heads))]
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
            return pc.equal(pc.binary_length(array), 0)
        case (AnyRun(),):
            return pc.is_valid(array)
        case (str() as text,):
            return pc.equal(array, pa.scalar(text, array.type))
        case (str() as text, AnyRun()):
            return pc.starts_with(array, text)
        case (AnyRun(), str() as text):
            return pc.ends_with(array, text)
        case (AnyRun(), str() as text, AnyRun()):
            return pc.match_substring(array, text)
        case _:
            return _found(array, regex.like(pattern))


def _regex(array: Array, pattern: str) -> Array:
    return _found(array, regex.parse(pattern))


def _found(array: Array, wanted: regex.Regex) -> Array:
    if wanted.re2 is None:
        return by_distinct(lambda text: wanted.compiled.search(text) is not None, [array], [String()], Boolean())
    try:
        return pc.match_substring_regex(array, wanted.re2)
    except pa.ArrowInvalid as problem:
        raise UnsupportedError(wanted.compiled.pattern, message=" ".join(str(problem).split())) from problem


def _bytes_of(wide: Array) -> tuple[Offsets, npt.NDArray[np.uint8]]:
    """Where the rows of a large binary array begin and end in its bytes, without what it may be a slice of."""
    if len(wide) == 0:
        return np.zeros(1, np.int64), np.zeros(0, np.uint8)
    _, bounds, data = wide.buffers()
    offsets = np.frombuffer(bounds, np.int64)[wide.offset : wide.offset + len(wide) + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    return offsets - first, np.frombuffer(data, np.uint8)[first:last] if data is not None else np.zeros(0, np.uint8)


def _integers(array: Array) -> Offsets:
    found: Offsets = pc.fill_null(plain(array), 0).to_numpy().astype(np.int64)
    return found


def _cut(
    content: npt.NDArray[np.uint8], low: Offsets, lengths: Offsets, present: npt.NDArray[np.bool_], kind: pa.DataType
) -> Array:
    bounds = offsets_of(lengths)
    data = content[spread(low, lengths)]
    buffers = [bitmap(present), pa.py_buffer(bounds), pa.py_buffer(data)]
    return pa.Array.from_buffers(kind, len(lengths), buffers)
