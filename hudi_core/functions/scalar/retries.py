"""Which regular expressions may keep Python's matcher busy for a time that doubles with each character: `(a+)+$`, `(a|a)*b`.

A repeated part is taken as an automaton with one state for each of its characters (Glushkov's). It matches one text in more ways
with each turn where two walks over the same characters lead from one state to one state. Rule ENGINE-490.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final

_QUANTIFIER: Final = re.compile(r"(?:(?P<sign>[*+?])|\{(?P<low>\d+)(?P<range>,?)(?P<high>\d*)\})(?P<way>[+?]?)")
_CHARACTER: Final = re.compile(r"\(.*\)|\[(?:\\.|[^\]\\])+\]|\\.|.", re.DOTALL)
_WITHOUT_WIDTH: Final = frozenset({r"\A", r"\b", r"\B"})
_COMMON: Final = frozenset(map(chr, range(128))) | frozenset("\x85\xe9\u0663\u2028\u2029")
"""Characters that stand for all: those of ASCII, line ends, a letter and a digit of others."""
_MOST_STATES: Final = 128
"""A repeated part with more states counts as one that retries."""
_MOST_COPIES: Final = 8
"""A repeat within another with a higher bound counts as one without a bound, unless it is of exactly so many."""
_MOST_TURNS: Final = 4
"""Repeats of at most so many turns take at worst a time that grows with that power of the text's length."""


@dataclass(frozen=True, slots=True)
class _Character:
    """One character of a set; none where it has no width."""

    choices: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    ways: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Repeat:
    part: _Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class _Atomic:
    """What is matched in its first way alone; without a width where it looks around."""

    part: _Node
    looks: bool = False


_Node = _Character | _Sequence | _Choice | _Repeat | _Atomic
_NOTHING: Final = _Character(frozenset())


def retries(pieces: Sequence[str]) -> bool:
    """Whether a pattern may take a time that doubles with each character, by the pieces that its scanner gives for a pattern that
    Python compiles. What nothing can fail behind does not: its first way is taken."""
    if not any(map(_QUANTIFIER.fullmatch, pieces)):
        return False
    reader = _Reader(pieces, _COMMON | frozenset("".join(pieces)))
    return _retries(reader.choice(), last=True)


def _retries(node: _Node, *, last: bool) -> bool:
    """Whether a repeat in it retries; `last` where nothing that may fail comes after it."""
    match node:
        case _Sequence(parts):
            ends = [last and all(map(_cannot_fail, parts[after:])) for after in range(1, len(parts) + 1)]
            return any(_retries(part, last=end) for part, end in zip(parts, ends, strict=True))
        case _Choice(ways):
            return any(_retries(way, last=last) for way in ways)
        case _Atomic(part):
            return _retries(part, last=True)
        case _Repeat(part, low, high):
            ends_here = last and low <= 1
            many = high is None or high > _MOST_TURNS
            return (many and not ends_here and _Automaton().is_ambiguous(part)) or _retries(part, last=ends_here)
        case _Character():
            return False


def _cannot_fail(node: _Node) -> bool:
    return isinstance(node, _Repeat) and node.low == 0


@dataclass(slots=True)
class _Reader:
    """Reads the pieces of a pattern as nodes."""

    pieces: Sequence[str]
    alphabet: frozenset[str]
    position: int = 0

    def choice(self) -> _Node:
        """All up to the end of the group."""
        ways = [self._sequence()]
        while self.position < len(self.pieces) and self.pieces[self.position] == "|":
            self.position += 1
            ways.append(self._sequence())
        self.position += 1
        return ways[0] if len(ways) == 1 else _Choice(tuple(ways))

    def _sequence(self) -> _Node:
        parts: list[_Node] = []
        while self.position < len(self.pieces) and self.pieces[self.position] not in ("|", ")"):
            piece = self.pieces[self.position]
            self.position += 1
            quantifier = _QUANTIFIER.fullmatch(piece)
            if quantifier is not None:
                parts.append(_repeat(parts.pop(), quantifier))
            elif piece.startswith("(") and piece[-1] != ")":
                part = self.choice()
                parts.append(part if piece in ("(", "(?:") else _Atomic(part, looks=piece != "(?>"))
            else:
                parts += self._characters(piece)
        return _Sequence(tuple(parts))

    def _characters(self, piece: str) -> Iterator[_Node]:
        if piece.startswith("\0") or piece in _WITHOUT_WIDTH:
            yield _NOTHING
        elif piece.startswith("(?:"):
            yield _Character(self.alphabet)  # what a group matched, which may be any text
        else:
            for character in _CHARACTER.findall(piece):
                matches = re.compile(character, re.ASCII).fullmatch
                yield _Character(frozenset(filter(matches, self.alphabet)))


def _repeat(part: _Node, quantifier: re.Match[str]) -> _Node:
    if sign := quantifier["sign"]:
        low, high = int(sign == "+"), 1 if sign == "?" else None
    else:
        low = int(quantifier["low"])
        high = (int(quantifier["high"]) if quantifier["high"] else None) if quantifier["range"] else low
    repeat = _Repeat(part, low, high)
    return _Atomic(repeat) if quantifier["way"] == "+" else repeat


class _TooLarge(Exception):
    """More states than are looked at."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """The states of a part that a match of it may begin and end with, and whether it matches the empty text."""

    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    empty: bool = True


@dataclass(slots=True)
class _Automaton:
    """The automaton of a part that is repeated without end."""

    choices: list[frozenset[str]] = field(default_factory=list)
    after: list[set[int]] = field(default_factory=list)
    doubled: bool = False
    """One state comes after another in two ways."""

    def is_ambiguous(self, part: _Node) -> bool:
        """Whether it matches one text in more ways with each turn."""
        try:
            built = self._build(part, once=False)
        except _TooLarge:
            return True
        self._join(built.last, built.first)
        return self.doubled or self._parts_and_meets()

    def _parts_and_meets(self) -> bool:
        """Whether two walks over the same characters part and meet again. Every state leads to every other: the part repeats."""
        waiting = [pair for after in self.after for pair in self._steps(after, after) if pair[0] != pair[1]]
        seen = set(waiting)
        while waiting:
            left, right = waiting.pop()
            for pair in self._steps(self.after[left], self.after[right]):
                if pair[0] == pair[1]:
                    return True
                if pair not in seen:
                    seen.add(pair)
                    waiting.append(pair)
        return False

    def _steps(self, left: Iterable[int], right: Iterable[int]) -> Iterator[tuple[int, int]]:
        return ((a, b) for a, b in product(left, right) if not self.choices[a].isdisjoint(self.choices[b]))

    def _join(self, last: Iterable[int], first: Iterable[int]) -> None:
        for before, after in product(last, first):
            self.doubled = self.doubled or after in self.after[before]
            self.after[before].add(after)

    def _build(self, node: _Node, *, once: bool) -> _Piece:
        """Adds the states of a part; with `once` a repeat without end is taken once, for it does not give back what it took."""
        match node:
            case _Character(choices):
                return self._state(choices) if choices else _Piece()
            case _Sequence(parts):
                return self._chain(self._build(part, once=once) for part in parts)
            case _Choice(ways):
                pieces = [self._build(way, once=once) for way in ways]
                first = tuple(state for piece in pieces for state in piece.first)
                last = tuple(state for piece in pieces for state in piece.last)
                return _Piece(first, last, any(piece.empty for piece in pieces))
            case _Atomic(part, looks):
                return _Piece() if looks else self._build(part, once=True)
            case _Repeat():
                return self._repeat(node, once=once)

    def _state(self, choices: frozenset[str]) -> _Piece:
        state = len(self.choices)
        if state == _MOST_STATES:
            raise _TooLarge
        self.choices.append(choices)
        self.after.append(set())
        return _Piece((state,), (state,), empty=False)

    def _chain(self, pieces: Iterable[_Piece]) -> _Piece:
        whole = _Piece()
        for piece in pieces:
            whole = self._follow(whole, piece)
        return whole

    def _follow(self, whole: _Piece, piece: _Piece) -> _Piece:
        self._join(whole.last, piece.first)
        first = whole.first + piece.first if whole.empty else whole.first
        last = whole.last + piece.last if piece.empty else piece.last
        return _Piece(first, last, whole.empty and piece.empty)

    def _repeat(self, repeat: _Repeat, *, once: bool) -> _Piece:
        low, high = repeat.low, repeat.high
        if high is not None and (high == low or high <= _MOST_COPIES):
            return self._copies(repeat.part, low, high, once=once)
        before = min(max(low - 1, 0), _MOST_COPIES)
        whole = self._copies(repeat.part, before, before, once=once)
        looping = self._build(repeat.part, once=once)
        if not once:
            self._join(looping.last, looping.first)
        return self._follow(whole, replace(looping, empty=looping.empty or low == 0))

    def _copies(self, part: _Node, low: int, high: int, *, once: bool) -> _Piece:
        """So many of a part one after another; it may end after `low` of them."""
        whole, ends, empty = _Piece(), list[int](), False
        for number in range(high):
            if number >= low:
                ends += whole.last
                empty = empty or whole.empty
            whole = self._follow(whole, self._build(part, once=once))
        return _Piece(whole.first, (*ends, *whole.last), empty or whole.empty)
