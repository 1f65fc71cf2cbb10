"""Columns to Avro values: one node of the schema after the other, each for all rows, as pieces of the rows' bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, assert_never

import numpy as np

from hudi_core.arrays import Bools, Numbers32, Octets, Offsets
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    EnumColumn,
    FixedBinaryColumn,
    ListColumn,
    MapColumn,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    UnionColumn,
    kind_name,
    length,
    validity_of,
)
from hudi_core.columns.slicing import slice_rows, without_nulls
from hudi_core.columns.unions import only_branch
from hudi_core.errors import SchemaError
from hudi_core.formats.avro.pieces import MAX_WORDS_SIZE, WORD, Piece, Spans, Words, assemble, constant, where_live
from hudi_core.formats.avro.plan import (
    Array,
    Boolean,
    Branches,
    Enumeration,
    Fixed,
    Floating,
    Integer,
    Leaf,
    Map,
    Node,
    Null,
    Nullable,
    Record,
    Sized,
)
from hudi_core.formats.avro.varint import varints, zigzag
from hudi_core.parallel.ordered import in_order

BATCH_ROWS = 12288
"""Most rows that are put together at once: their bytes stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a column stands: the name of its field for messages, and the rows that have a value there (None: all)."""

    where: str
    live: Bools | None = None

    def inside(self, name: str) -> _Place:
        return _Place(f"{self.where}.{name}", self.live)

    def error(self, expected: str, found: str) -> SchemaError:
        return SchemaError(self.where, expected=expected, found=found)


def write(node: Node, column: Column, where: str, framed: bool = False) -> Iterator[tuple[Offsets, Octets]]:
    """The rows as values of the node: offsets and bytes, some thousand rows at a time, in order.

    `framed` puts the size of each row in front of it, in four bytes with the highest first. Raises SchemaError with `where`
    and the field's path for a column that the node has no place for.
    """
    yield from in_order(lambda rows: _batch(node, column, rows, where, framed), _batches(length(column)))


def _batches(rows: int) -> Iterable[tuple[int, int]]:
    """Rows from one to another, in batches of even sizes: a short one would cost as many calls as a long one."""
    batches = -(-rows // BATCH_ROWS)
    return pairwise([*(rows * batch // batches for batch in range(batches)), rows])


def _batch(
    node: Node, column: Column, rows: tuple[int, int], where: str, framed: bool = False
) -> tuple[Offsets, Octets]:
    part = slice_rows(column, *rows)
    return assemble(list(_write(node, part, _Place(where))), length(part), framed)


def _write(node: Node, column: Column, place: _Place) -> Iterator[Piece]:
    if not isinstance(node, Branches):
        column = only_branch(column)
    match node:
        case Nullable(inner, null):
            live, header = _branch_of_two(column, null, place.live)
            yield header
            if live is None or live.any():
                yield from _write_value(inner, column, _Place(place.where, live))
        case Null():
            if not isinstance(column, NullColumn):
                raise place.error("nulls", kind_name(column))
        case Branches():
            yield from _write_branches(node, column, place)
        case _:
            _refuse_nulls(column, place)
            yield from _write_value(node, column, place)


def _branch_of_two(column: Column, null: int, live: Bools | None) -> tuple[Bools | None, Piece]:
    """The rows that have a value, and the branch of all that are live: one byte."""
    value = 2 - 2 * null
    if isinstance(column, NullColumn) or _validity(column) is not None:
        valid = validity_of(column)
        branches = np.where(valid, np.uint64(value), np.uint64(2 - value))
        return valid if live is None else valid & live, where_live(Words(branches, None, 1, 1), live)
    return live, where_live(constant(value, 1), live)


def _validity(column: Column) -> Bools | None:
    """Which rows are not null; None when all are."""
    if isinstance(column, NullColumn | UnionColumn):
        return validity_of(column)
    return column.validity


def _refuse_nulls(column: Column, place: _Place) -> None:
    valid = _validity(column)
    if valid is not None and not valid.all() and not (valid if place.live is None else valid | ~place.live).all():
        raise place.error("a value in every row", "nulls")


def _write_value(node: Leaf | Record | Array | Map, column: Column, place: _Place) -> Iterator[Piece]:
    """The values of live rows, none of which is null."""
    match node, column:
        case Record(fields), StructColumn(fields=columns):
            for field in fields:
                inside = place.inside(field.name)
                if field.name not in columns:
                    raise inside.error("a column", "none")
                yield from _write(field.node, columns[field.name], inside)
        case Array(item), ListColumn(offsets, items):
            yield from _write_items(item, items, offsets, place)
        case Map(), MapColumn(offsets, keys, values):
            entries = StructColumn(length(keys), {"key": keys, "value": values})
            yield from _write_items(node.entry, entries, offsets, place)
        case Sized(True), StringColumn(offsets, data):
            yield from _write_sized(offsets, data, place.live)
        case Sized(False), BinaryColumn(offsets, data):
            yield from _write_sized(offsets, data, place.live)
        case Fixed(size), FixedBinaryColumn(own, data) if size == own:
            yield _write_fixed(data, size, place.live)
        case Boolean(), PrimitiveColumn(values) if values.dtype == np.bool_:
            yield where_live(Words(values.astype(np.uint64), None, 1, 1), place.live)
        case Integer(bits), PrimitiveColumn(values) if values.dtype == f"i{bits // 8}":
            yield where_live(varints(zigzag(values)), place.live)
        case Floating(size), PrimitiveColumn(values) if values.dtype == f"f{size}":
            yield where_live(Words(values.view(f"<u{size}").astype(np.uint64), None, size, size), place.live)
        case Enumeration(symbols), EnumColumn(codes, column_symbols):
            yield where_live(varints(_codes(codes, column_symbols, symbols, place)), place.live)
        case _:
            raise place.error(_kind_name(node), kind_name(column))


def _kind_name(node: Leaf | Record | Array | Map) -> str:
    """The kind of column that the node is written from, in the words of `kind_name`."""
    match node:
        case Boolean():
            return "bool"
        case Integer(bits):
            return f"int{bits}"
        case Floating(size):
            return f"float{8 * size}"
        case Sized(utf8):
            return "string" if utf8 else "binary"
        case Fixed(size):
            return f"fixed[{size}]"
        case Enumeration():
            return "enum"
        case Record():
            return "struct"
        case Array():
            return "list"
        case Map():
            return "map"
    assert_never(node)


def _write_sized(offsets: Offsets, data: Octets, live: Bools | None) -> Iterator[Piece]:
    lengths = np.diff(offsets) if live is None else np.diff(offsets) * live
    yield where_live(varints(zigzag(lengths)), live)
    yield Spans(data, offsets[:-1], lengths)


def _write_fixed(data: Octets, size: int, live: Bools | None) -> Piece:
    rows = len(data)
    if 0 < size <= MAX_WORDS_SIZE:
        padded = np.zeros(rows * size + MAX_WORDS_SIZE, np.uint8)
        padded[: rows * size] = data.reshape(-1)
        low_words, high_words = (np.ndarray((rows,), "<u8", padded, start, (size,)) for start in (0, WORD))
        if size <= WORD:
            return where_live(Words(low_words & np.uint64((1 << 8 * size) - 1), None, size, size), live)
        return where_live(Words(low_words.copy(), high_words & np.uint64((1 << 8 * size - 64) - 1), size, size), live)
    sizes = np.full(rows, size, np.int64)
    return Spans(data.reshape(-1), np.arange(rows, dtype=np.int64) * size, sizes if live is None else sizes * live)


def _codes(codes: Numbers32, column_symbols: tuple[str, ...], symbols: tuple[str, ...], place: _Place) -> Any:
    """The numbers that the schema gives the column's symbols, in the form of varints."""
    if column_symbols != symbols:
        index_of = {symbol: index for index, symbol in enumerate(symbols)}
        used = codes if place.live is None else codes[place.live]
        strange = next(
            (column_symbols[code] for code in np.unique(used).tolist() if column_symbols[code] not in index_of), None
        )
        if strange is not None:
            raise place.error(f"one of the symbols {', '.join(symbols)}"[:80], repr(strange)[:40])
        codes = np.array([index_of.get(symbol, 0) for symbol in column_symbols], np.int32)[codes]
    return codes.astype(np.uint64) << np.uint64(1)


def _write_items(item: Node, items: Column, offsets: Offsets, place: _Place) -> Iterator[Piece]:
    """One block with all items, if there are any, and the end."""
    counts = np.diff(offsets) if place.live is None else np.diff(offsets) * place.live
    ends, data = _rows(item, items, f"{place.where}[]")
    starts = ends[offsets[:-1]]
    yield where_live(varints(zigzag(counts)), counts > 0)
    yield Spans(data, starts, np.where(counts > 0, ends[offsets[1:]] - starts, 0))
    yield where_live(constant(0, 1), place.live)


def _rows(node: Node, column: Column, where: str) -> tuple[Offsets, Octets]:
    """All rows as values of the node, one after the other."""
    ends, parts, total = [np.zeros(1, np.int64)], [np.zeros(0, np.uint8)], 0
    for rows in _batches(length(column)):
        offsets, data = _batch(node, column, rows, where)
        ends.append(offsets[1:] + total)
        parts.append(data)
        total += len(data)
    return np.concatenate(ends), np.concatenate(parts)


def _write_branches(node: Branches, column: Column, place: _Place) -> Iterator[Piece]:
    """A union: its branches and the schema's, null apart, are matched by their order."""
    null = next((index for index, branch_node in enumerate(node.nodes) if isinstance(branch_node, Null)), None)
    others = [index for index in range(len(node.nodes)) if index != null]
    union = column if isinstance(column, UnionColumn) else _as_union(column)
    children = [index for index, child in enumerate(union.children) if not isinstance(child, NullColumn)]
    if len(children) > len(others):
        raise place.error(f"a union of {len(others)} types", f"one of {len(children)}")
    schema_branches = np.zeros(len(union.children), np.int64)
    starts, sizes = np.zeros(len(union.branches), np.int64), np.zeros(len(union.branches), np.int64)
    parts, total = [np.zeros(0, np.uint8)], 0
    for branch, child in enumerate(union.children):
        rows = np.flatnonzero(union.branches == branch)
        if isinstance(child, NullColumn):
            if null is None and len(rows) and (place.live is None or place.live[rows].any()):
                raise place.error("a value in every row", "nulls")
            schema_branches[branch] = null or 0
            continue
        schema_branches[branch] = others[children.index(branch)]
        ends, data = _rows(node.nodes[schema_branches[branch]], child, place.where)
        starts[rows], sizes[rows] = ends[:-1] + total, np.diff(ends)
        parts.append(data)
        total += len(data)
    yield where_live(varints(zigzag(schema_branches[union.branches])), place.live)
    yield Spans(np.concatenate(parts), starts, sizes if place.live is None else sizes * place.live)


def _as_union(column: Column) -> UnionColumn:
    """A column as a union of its one type and null."""
    valid = validity_of(column)
    if isinstance(column, NullColumn):
        return UnionColumn(np.zeros(column.length, np.int8), ("null",), (column,))
    branches = (~valid).astype(np.int8)
    return UnionColumn(branches, ("", "null"), (without_nulls(column), NullColumn(int(np.count_nonzero(~valid)))))
