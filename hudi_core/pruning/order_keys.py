"""Keys: integers that sort as the values of a column do; and where a literal is among them, whatever literal it is.

Each kind of keys turns a question about values into a set of keys. `bottom` and `top` are the keys of bounds that are not
known. A set may hold keys of values that the condition excludes when keys are too coarse; it never lacks one.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, isfinite
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Floats, Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.expr.predicate import Cut
from hudi_core.pruning.key_ranges import Ranges, complement, points
from hudi_core.pruning.statistics import text_bytes, wide_bytes
from hudi_core.types import nodes as t

KeyArray = NDArray[Any]
"""Keys: int8, int32 or int64."""

_FAR = 1 << 200
"""Beyond all keys."""


class OrderKeys(Protocol):
    """How the literals of one column become sets of keys."""

    @property
    def bottom(self) -> int: ...

    @property
    def top(self) -> int: ...

    @property
    def everything(self) -> Ranges:
        """All values."""
        ...

    def below(self, cut: Cut) -> Ranges:
        """The values below the cut."""
        ...

    def not_below(self, cut: Cut) -> Ranges: ...

    def one_of(self, values: tuple[Any, ...]) -> Ranges: ...

    def none_of(self, values: tuple[Any, ...]) -> Ranges: ...


@dataclass(frozen=True, slots=True)
class IntegerKeys:
    """Integers, and all that is counted in integers: a value's key is its number of units less `base`.

    When `open`, values outside the keys exist: all those beyond an end share its key, so that only an unknown bound meets
    them. Otherwise the ends are the least and greatest value of the type.
    """

    scale: int
    """Digits after the point of a decimal; 0 for all others."""
    base: int
    bottom: int
    top: int
    open: bool

    @property
    def everything(self) -> Ranges:
        return ((self.bottom, self.top),)

    def below(self, cut: Cut) -> Ranges:
        last = self._begin(cut) - 1
        if last < self.bottom:
            return ((self.bottom, self.bottom),) if self.open else ()
        return ((self.bottom, min(last, self.top)),)

    def not_below(self, cut: Cut) -> Ranges:
        first = self._begin(cut)
        if first > self.top:
            return ((self.top, self.top),) if self.open else ()
        return ((max(first, self.bottom), self.top),)

    def one_of(self, values: tuple[Any, ...]) -> Ranges:
        keys = self._keys(values)
        if keys and (min(keys) < self.bottom or max(keys) > self.top):
            clipped = [min(max(key, self.bottom), self.top) for key in keys]
            keys = clipped if self.open else [key for key, kept in zip(keys, clipped, strict=True) if key == kept]
        return points(keys)

    def none_of(self, values: tuple[Any, ...]) -> Ranges:
        inner = self.open  # the end keys of an open scale stand for other values too
        kept = (key for key in self._keys(values) if self.bottom + inner <= key <= self.top - inner)
        return complement(points(kept), self.bottom, self.top)

    def _begin(self, cut: Cut) -> int:
        """The least key of a value that is not below the cut."""
        units = units_of(cut.value, self.scale)
        least = ceil(units)
        return least + (cut.after and least == units) - self.base

    def _keys(self, values: tuple[Any, ...]) -> list[int]:
        """The keys of those values that are whole numbers of units."""
        if not self.scale and set(map(type, values)) == {int}:
            return [value - self.base for value in values]
        units = [units_of(value, self.scale) for value in values]
        return [int(unit) - self.base for unit in units if unit.denominator == 1]


def units_of(value: Any, scale: int) -> int | Fraction:
    """A number in units of a scale, exactly; infinities and NaN lie beyond all keys."""
    factor: int = 10**scale
    if isinstance(value, int):
        return int(value) * factor
    if not (value.is_finite() if isinstance(value, Decimal) else isfinite(value)):
        return -_FAR if value < 0 else _FAR
    return Fraction(value) * factor


_LARGEST = 2**63 - 1


def float_keys(values: Floats) -> Numbers:
    """Keys of floats that are not NaN; -0.0 equals 0.0."""
    bits = (values + 0.0).view(np.int64)  # -0.0 + 0.0 is 0.0
    return bits ^ ((bits >> 63) & np.int64(_LARGEST))


INFINITY_KEY = 0x7FF0_0000_0000_0000
NAN_KEY = INFINITY_KEY + 1


def _float_key(value: float) -> int:
    if value != value:
        return NAN_KEY
    (bits,) = struct.unpack("<q", struct.pack("<d", value + 0.0))
    return int(bits ^ (bits >> 63 & _LARGEST))


@dataclass(frozen=True, slots=True)
class FloatKeys:
    """Floats by their bits, from one infinity to the other. Sets hold NaN by a key of its own above all others."""

    bottom: int = _float_key(-float("inf"))
    top: int = INFINITY_KEY

    @property
    def everything(self) -> Ranges:
        return ((self.bottom, NAN_KEY),)

    def below(self, cut: Cut) -> Ranges:
        last = self._begin(cut) - 1
        return ((self.bottom, last),) if last >= self.bottom else ()

    def not_below(self, cut: Cut) -> Ranges:
        first = self._begin(cut)
        return ((first, NAN_KEY),) if first <= NAN_KEY else ()

    def one_of(self, values: tuple[Any, ...]) -> Ranges:
        return points(key for key, exact in map(self._place, values) if exact)

    def none_of(self, values: tuple[Any, ...]) -> Ranges:
        return complement(self.one_of(values), self.bottom, NAN_KEY)

    def _begin(self, cut: Cut) -> int:
        key, exact = self._place(cut.value)
        return key + (cut.after and exact)

    def _place(self, value: Any) -> tuple[int, bool]:
        """The least key of a float that is not below the value, and whether that is the value itself."""
        if isinstance(value, float):
            return _float_key(value), True
        try:
            nearest = float(value)
        except OverflowError:
            nearest = float("inf") if value > 0 else -float("inf")
        return _float_key(nearest) + (nearest < value), nearest == value


class RankKeys:
    """Byte texts by their place among some sorted texts: odd keys for these texts, even keys for the gaps between them.

    With the bounds of all files as these texts, every file's bound has an odd key; with the literals of a predicate, every
    literal has one. Each compares exactly with the other, which is all that keys are for. Where long texts were cut, one
    key stands for all texts that begin alike: of these none has a place of its own, and `places` is false.
    """

    def __init__(
        self, type: t.Type, texts: ByteStrings, order: NDArray[Any], prefix: bytes = b"", cut: int | None = None
    ) -> None:
        """The texts at the places `order` are ascending and distinct, without the `prefix` that all of them have. One of `cut`
        bytes stands for all that start with it."""
        self._type, self._order, self._prefix, self.cut = type, order, prefix, cut
        narrow = np.int32 if len(texts.data) < 1 << 31 else np.int64
        self._offsets, self._data = texts.offsets.astype(narrow), texts.data.data
        # Every so many texts one is at hand, so that a search looks into the arrays a few times only.
        self._fences = [self._text(place) for place in order[:: self._STEP].tolist()]

    _STEP = 64

    @property
    def bottom(self) -> int:
        return -1

    @property
    def top(self) -> int:
        return 2 * len(self._order) + 1

    @property
    def everything(self) -> Ranges:
        return ((self.bottom, self.top),)

    def places(self, text: bytes) -> bool:
        """Whether the place of a text is known: not if it begins as one does that may have been cut there."""
        if self.cut is None or not text.startswith(self._prefix):
            return True
        text = text[len(self._prefix) :]
        return len(text) < self.cut or self._key(text[: self.cut]) % 2 == 0

    def below(self, cut: Cut) -> Ranges:
        key, after = self._cut(cut)
        # The key of a gap stands for texts on either side of the cut.
        return ((self.bottom, key if after or key % 2 == 0 else key - 1),)

    def not_below(self, cut: Cut) -> Ranges:
        key, after = self._cut(cut)
        return ((key + 1 if after and key % 2 else key, self.top),)

    def one_of(self, values: tuple[Any, ...]) -> Ranges:
        return points(self._keys(values))

    def none_of(self, values: tuple[Any, ...]) -> Ranges:
        return complement(points(key for key in self._keys(values) if key % 2), self.bottom, self.top)

    def _keys(self, values: tuple[Any, ...]) -> list[int]:
        cuts = [text_cut(Cut(value), self._type) for value in values]
        return [self._place(text) for text, exact in cuts if exact]

    def _cut(self, cut: Cut) -> tuple[int, bool]:
        text, exact = text_cut(cut, self._type)
        return self._place(text), cut.after and exact

    def _place(self, text: bytes) -> int:
        if not text.startswith(self._prefix):
            return 0 if text < self._prefix else 2 * len(self._order)
        return self._key(text[len(self._prefix) :][: self.cut])

    def _key(self, text: bytes) -> int:
        begin = max(0, bisect_right(self._fences, text) - 1) * self._STEP
        near = self._order[begin : begin + self._STEP].tolist()
        rank = bisect_left(near, text, key=self._text)
        return 2 * (begin + rank) + (rank < len(near) and self._text(near[rank]) == text)

    def _text(self, place: int) -> bytes:
        offsets = self._offsets
        return bytes(self._data[offsets.item(place) : offsets.item(place + 1)])


def text_cut(cut: Cut, type: t.Type) -> tuple[bytes, bool]:
    """The bytes of the least value not below `cut.value`, and whether that is the value itself.

    It may not be for long decimals only, which have no value between two units of their scale.
    """
    if not isinstance(type, t.Decimal):
        return text_bytes(cut.value, type), True
    units = units_of(cut.value, type.scale)
    return wide_bytes(ceil(units)), units.denominator == 1
