"""Reading Avro values in all lanes: one node of the schema after the other, each into its column."""

from __future__ import annotations

from typing import assert_never

import numpy as np

from hudi_core.arrays import Bools, Octets, Offsets
from hudi_core.columns.concat import concat_columns
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
    spread,
)
from hudi_core.columns.slicing import without_nulls
from hudi_core.columns.spans import gather
from hudi_core.formats.avro.lanes import DamagedLane, Lanes
from hudi_core.formats.avro.plan import (
    Array,
    Boolean,
    Branches,
    Enumeration,
    Field,
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
    blank,
)
from hudi_core.formats.avro.skip import by_branch, find_items, live_lanes, skip

MAX_LANES = 16384
"""Items of lists that are read at once."""


def read(node: Node, lanes: Lanes) -> Column:
    """The next value of every lane; there is at least one lane."""
    match node:
        case Record(fields):
            columns = {}
            for field in fields:
                if field.wanted:
                    columns[field.name] = read(field.node, lanes)
                else:
                    skip(field.node, lanes)
            return StructColumn(len(lanes), columns)
        case Nullable():
            return _read_nullable(node, lanes)
        case Branches():
            return _read_branches(node, lanes)
        case Boolean() | Integer() | Floating() | Sized() | Fixed() | Enumeration():
            return _read_leaf(node, lanes, None)
        case Null():
            return NullColumn(len(lanes))
        case Array(item):
            offsets, items = _read_items(item, lanes)
            return ListColumn(offsets, items)
        case Map():
            offsets, entries = _read_items(node.entry, lanes)
            assert isinstance(entries, StructColumn)
            keys = entries.fields["key"]
            assert isinstance(keys, StringColumn)
            return MapColumn(offsets, keys, entries.fields["value"])
    assert_never(node)


def _read_leaf(node: Leaf, lanes: Lanes, live: Bools | None) -> Column:
    """The next value of every live lane (None: all); lanes that are not live stay, and give a null."""
    match node:
        case Boolean():
            bits = lanes.peek()
            bits = bits.copy() if live is None else bits * live
            if bits.max() > 1:
                raise DamagedLane
            lanes.skip_where(live, 1)
            return PrimitiveColumn(bits.view(np.bool_), live)
        case Integer(bits):
            return PrimitiveColumn(lanes.read_signed(bits, live), live)
        case Floating(size):
            words = lanes.word(size)
            if live is not None:
                words *= live
            lanes.skip_where(live, size)
            return PrimitiveColumn(words.view(f"<f{size}"), live)
        case Fixed(size):
            rows = lanes.rows(size)
            if live is not None:
                rows[~live] = 0
            lanes.skip_where(live, size)
            return FixedBinaryColumn(size, rows, live)
        case Enumeration(symbols):
            return EnumColumn(np.full(len(lanes), lanes.naturals(len(symbols) - 1, live), np.int32), symbols, live)
        case Sized(utf8):
            offsets, data = gather(lanes.data, *lanes.spans(live))
            if utf8:
                _check_utf8(offsets, data)
                return StringColumn(offsets, data, live)
            return BinaryColumn(offsets, data, live)
    assert_never(node)


def _check_utf8(offsets: Offsets, data: Octets) -> None:
    """Raises Damaged unless every string is valid UTF-8: the joined bytes are, and no string starts within a character."""
    if len(data) == 0 or data.max() < 128:
        return
    try:
        data.tobytes().decode()
    except UnicodeDecodeError:
        raise DamagedLane from None
    begins = offsets[:-1][offsets[:-1] < len(data)]
    if (data[begins] & 0xC0 == 0x80).any():
        raise DamagedLane


def _read_where(node: Node, lanes: Lanes, live: Bools) -> Column | None:
    """As `read` in the live lanes, others stay and are null. Only for a leaf, also one wrapped in records; else None.

    For these it costs less to read all lanes and to blot out some than to part the live from the others.
    """
    match node:
        case Boolean() | Integer() | Floating() | Sized() | Enumeration():
            return _read_leaf(node, lanes, live)
        case Record((Field(name, inner, True),)):
            column = _read_where(inner, lanes, live)
            return None if column is None else StructColumn(len(lanes), {name: column}, live)
        case _:
            return None


def _read_nullable(node: Nullable, lanes: Lanes) -> Column:
    live = live_lanes(node, lanes)
    if isinstance(live, bool):
        none = np.empty(0, np.int64)
        return read(node.inner, lanes) if live else spread(blank(node.inner), none, len(lanes))
    column = _read_where(node.inner, lanes, live)
    if column is None:
        rows = np.flatnonzero(live)
        chosen = lanes.select(rows)
        column = spread(read(node.inner, chosen), rows, len(lanes))
        lanes.rejoin(rows, chosen)
    return column


def _read_branches(node: Branches, lanes: Lanes) -> Column:
    branch, nodes = lanes.naturals(len(node.nodes) - 1), node.nodes
    children = list(node.blanks)
    if isinstance(branch, int):
        children[branch] = read(nodes[branch], lanes)
        return UnionColumn(np.full(len(lanes), branch, np.int8), node.names, tuple(children))
    for index, live in by_branch(branch):
        if isinstance(nodes[index], Null):
            children[index] = NullColumn(int(np.count_nonzero(live)))
            continue
        column = _read_where(nodes[index], lanes, live)
        if column is None:
            rows = np.flatnonzero(live)
            chosen = lanes.select(rows)
            children[index] = read(nodes[index], chosen)
            lanes.rejoin(rows, chosen)
        else:
            children[index] = without_nulls(column)
    return UnionColumn(branch.astype(np.int8), node.names, tuple(children))


def _read_items(item: Node, lanes: Lanes) -> tuple[Offsets, Column]:
    """The items of all lanes, in order: first where they start, then all of them at once as lanes of their own."""
    data, limit = lanes.data, lanes.limit
    offsets, starts = find_items(item, lanes)
    if len(starts) == 0:
        return offsets, blank(item)
    ends = np.repeat(lanes.ends, np.diff(offsets))
    parts = (
        read(item, Lanes(data, starts[first : first + MAX_LANES], ends[first : first + MAX_LANES], limit))
        for first in range(0, len(starts), MAX_LANES)
    )
    return offsets, concat_columns(parts, len(starts))
