"""Many Avro binary records of one writer schema → columns, field by field over all records, no Python object a record.

The rules are numbered in `specs/avro-columns.md`. Records are decoded in chunks that stay in the processor's cache. A
chunk that holds anything wrong is read again record by record, by `avro_walk`, which says what and where.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from hudi_core.errors import CorruptFileError, SchemaError, UnsupportedError
from hudi_core.formats import avro_walk
from hudi_core.formats.avro_lanes import PADDING, Damaged, Lanes, Unsigned
from hudi_core.formats.avro_plan import (
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
    fixed_width,
    least_width,
    plan,
)
from hudi_core.formats.avro_walk import MOST_EMPTY_ITEMS
from hudi_core.formats.columns import (
    Binary,
    Bools,
    Bytes8,
    Column,
    FixedBinary,
    ListOf,
    MapOf,
    Nulls,
    Offsets,
    Primitive,
    Struct,
    Symbols,
    Text,
    Union,
    concatenate,
    spread,
    without_nulls,
)
from hudi_core.formats.spans import gather

CHUNK_BYTES = 1 << 21
CHUNK_RECORDS = (2048, 16384)
"""A chunk's records and its arrays of one number a record share the second-level cache; fewer records cost more calls."""

FEW_LANES = 24
"""With fewer lanes than this, reading items one by one beats a round of NumPy calls for each item."""


class TooManyEmptyItems(Exception):
    """Lists of items without bytes claim more items than anyone can mean."""


def decode(
    schema_text: str,
    data: bytes | bytearray | memoryview | Bytes8,
    starts: Offsets,
    lengths: Offsets,
    where: str,
    wanted: Collection[str] | None = None,
) -> Column:
    """The records at `data[starts[i]:starts[i] + lengths[i]]`, one row each in that order; a record schema gives a Struct.

    `wanted` names the fields to decode (see `avro_plan.plan`); others are passed over and absent. The result does not
    refer to `data`. Raises CorruptFileError, with `where` and the record's number, when a record does not hold exactly one
    value of the schema; UnsupportedError for a schema that has no columns (see `plan`).
    """
    try:
        node = plan(schema_text, None if wanted is None else frozenset(wanted))
    except SchemaError as error:
        raise CorruptFileError(where, message=str(error)) from error
    except UnsupportedError as error:
        raise UnsupportedError(where, message=str(error)) from error
    buffer = np.frombuffer(data, np.uint8) if not isinstance(data, np.ndarray) else data
    ends = starts + lengths
    outside = (starts < 0) | (lengths < 0) | (ends > len(buffer))
    if outside.any():
        row = int(np.argmax(outside))
        found = f"{lengths[row]} bytes at {starts[row]} of {len(buffer)}"
        raise CorruptFileError(f"{where}, record {row}", expected="a place in the buffer", found=found)
    return _in_chunks(node, buffer, starts, ends, where)


def _in_chunks(node: Node, data: Bytes8, starts: Offsets, ends: Offsets, where: str) -> Column:
    rows = len(starts)
    if rows == 0:
        return blank(node)
    low, high = CHUNK_RECORDS
    size = int(np.clip(CHUNK_BYTES * rows // max(1, int((ends - starts).sum())), low, high))
    parts = []
    for first in range(0, rows, size):
        chosen = slice(first, min(first + size, rows))
        lanes = _padded(data, starts[chosen], ends[chosen])
        try:
            parts.append(_whole(node, lanes))
        except TooManyEmptyItems:
            expected = f"at most {MOST_EMPTY_ITEMS} items without bytes"
            raise CorruptFileError(f"{where}, records {first} to {first + len(lanes) - 1}", expected=expected) from None
        except (Damaged, avro_walk.Flaw, IndexError):
            _explain(node, data, starts[chosen], ends[chosen], where, first)
            raise
    return concatenate(parts)


def _padded(data: Bytes8, starts: Offsets, ends: Offsets) -> Lanes:
    """Lanes whose buffer goes on for PADDING bytes after the last record; a copy only when `data` stops before that."""
    limit = int((ends - starts).sum())
    high = int(ends.max())
    if high + PADDING <= len(data):
        return Lanes(data, starts, ends, limit)
    low = int(starts.min())
    padded = np.zeros(high - low + PADDING, np.uint8)
    padded[: high - low] = data[low:high]
    return Lanes(padded, starts - low, ends - low, limit)


def _whole(node: Node, lanes: Lanes) -> Column:
    column = _read(node, lanes)
    if (lanes.here() != lanes.ends).any():
        raise Damaged
    return column


def _explain(node: Node, data: Bytes8, starts: Offsets, ends: Offsets, where: str, first: int) -> None:
    """Raises CorruptFileError for the first damaged record; returns when every record is sound (a defect of ours)."""
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True), first):
        flaw = avro_walk.flaw(node, data[start:end].tobytes())
        if flaw is not None:
            place = f"{where}, record {row}" + (f", field {flaw.path}" if flaw.path else "")
            raise CorruptFileError(place, expected=flaw.expected, found=flaw.found)


# -- reading ---------------------------------------------------------------------------------------------------------------


def _read(node: Node, lanes: Lanes) -> Column:
    """The next value of every lane; there is at least one lane."""
    match node:
        case Record(fields):
            found = {}
            for each in fields:
                if each.wanted:
                    found[each.name] = _read(each.node, lanes)
                else:
                    _skip(each.node, lanes)
            return Struct(len(lanes), found)
        case Nullable():
            return _read_nullable(node, lanes)
        case Branches():
            return _read_branches(node, lanes)
        case Boolean() | Integer() | Floating() | Sized() | Fixed() | Enumeration():
            return _read_leaf(node, lanes, None)
        case Null():
            return Nulls(len(lanes))
        case Array(item):
            offsets, items = _read_items(item, lanes)
            return ListOf(offsets, items)
        case Map():
            offsets, entries = _read_items(node.entry, lanes)
            assert isinstance(entries, Struct)
            keys = entries.fields["key"]
            assert isinstance(keys, Text)
            return MapOf(offsets, keys, entries.fields["value"])
    assert_never(node)


def _read_leaf(node: Leaf, lanes: Lanes, live: Bools | None) -> Column:
    """The next value of every live lane (None: all); lanes that are not live stay, and give a null."""
    match node:
        case Boolean():
            bits = np.full(len(lanes), lanes.byte(), np.uint8)
            if live is not None:
                bits *= live
            if bits.max() > 1:
                raise Damaged
            lanes.skip_where(live, 1)
            return Primitive(bits.view(np.bool_), live)
        case Integer(bits):
            return Primitive(lanes.signed(bits, live), live)
        case Floating(size):
            words = lanes.word(size)
            if live is not None:
                words *= live
            lanes.skip_where(live, size)
            return Primitive(words.view(f"<f{size}"), live)
        case Fixed(size):
            rows = lanes.rows(size)
            if live is not None:
                rows[~live] = 0
            lanes.skip_where(live, size)
            return FixedBinary(size, rows, live)
        case Enumeration(symbols):
            return Symbols(np.full(len(lanes), lanes.naturals(len(symbols) - 1, live), np.int32), symbols, live)
        case Sized(utf8):
            sizes = lanes.sizes(live)
            begin = lanes.here()
            lanes.skip(sizes)
            offsets, data = gather(lanes.data, begin, sizes)
            if utf8:
                _check_utf8(offsets, data)
                return Text(offsets, data, live)
            return Binary(offsets, data, live)
    assert_never(node)


def _check_utf8(offsets: Offsets, data: Bytes8) -> None:
    """Raises Damaged unless every text is valid UTF-8: the joined bytes are, and no text starts within a character."""
    if len(data) == 0 or data.max() < 128:
        return
    try:
        data.tobytes().decode()
    except UnicodeDecodeError:
        raise Damaged from None
    begins = offsets[:-1][offsets[:-1] < len(data)]
    if (data[begins] & 0xC0 == 0x80).any():
        raise Damaged


def _read_where(node: Node, lanes: Lanes, live: Bools) -> Column | None:
    """As `_read` in the live lanes, others stay and are null. Only for a leaf, also one wrapped in records; else None.

    For these it costs less to read all lanes and to blot out some than to part the live from the others.
    """
    match node:
        case Boolean() | Integer() | Floating() | Sized() | Enumeration():
            return _read_leaf(node, lanes, live)
        case Record((Field(name, inner, True),)):
            column = _read_where(inner, lanes, live)
            return None if column is None else Struct(len(lanes), {name: column}, live)
        case _:
            return None


def _read_nullable(node: Nullable, lanes: Lanes) -> Column:
    branch, inner = lanes.naturals(1), node.inner
    if isinstance(branch, int):
        none = np.empty(0, np.int64)
        return spread(blank(inner), none, len(lanes)) if branch == node.null else _read(inner, lanes)
    live = branch != node.null
    column = _read_where(inner, lanes, live)
    if column is None:
        rows = np.flatnonzero(live)
        chosen = lanes.select(rows)
        column = spread(_read(inner, chosen), rows, len(lanes))
        lanes.rejoin(rows, chosen)
    return column


def _read_branches(node: Branches, lanes: Lanes) -> Column:
    branch, nodes = lanes.naturals(len(node.nodes) - 1), node.nodes
    children = list(node.blanks)
    if isinstance(branch, int):
        children[branch] = _read(nodes[branch], lanes)
        return Union(np.full(len(lanes), branch, np.int8), node.names, tuple(children))
    for number, live in _by_branch(branch):
        if isinstance(nodes[number], Null):
            children[number] = Nulls(int(np.count_nonzero(live)))
            continue
        column = _read_where(nodes[number], lanes, live)
        if column is None:
            rows = np.flatnonzero(live)
            chosen = lanes.select(rows)
            children[number] = _read(nodes[number], chosen)
            lanes.rejoin(rows, chosen)
        else:
            children[number] = without_nulls(column)
    return Union(branch.astype(np.int8), node.names, tuple(children))


def _by_branch(branch: Unsigned) -> Iterator[tuple[int, Bools]]:
    """The branches that occur, each with the lanes that are on it."""
    for number in range(int(branch.min()), int(branch.max()) + 1):
        live = branch == number
        if np.count_nonzero(live):
            yield number, live


# -- passing over ----------------------------------------------------------------------------------------------------------


def _skip(node: Node, lanes: Lanes) -> None:
    """As `_read`, without the values: only the bytes that say how long something is are looked at."""
    match node:
        case Record(fields):
            for each in fields:
                _skip(each.node, lanes)
        case Nullable(inner, null):
            _skip_one_of((Null(), inner) if null == 0 else (inner, Null()), lanes)
        case Branches(nodes=nodes):
            _skip_one_of(nodes, lanes)
        case Null():
            pass
        case Boolean() | Integer() | Floating() | Sized() | Fixed() | Enumeration():
            _skip_leaf(node, lanes, None)
        case Array(item):
            _items(item, lanes)
        case Map():
            _items(node.entry, lanes)
        case _:
            assert_never(node)


def _skip_leaf(node: Leaf, lanes: Lanes, live: Bools | None) -> None:
    match node:
        case Boolean():
            lanes.skip_where(live, 1)
        case Floating(size) | Fixed(size):
            lanes.skip_where(live, size)
        case Integer() | Enumeration():
            lanes.pass_varint(live)
        case Sized():
            lanes.skip(lanes.sizes(live))
        case _:
            assert_never(node)


def _skip_one_of(nodes: tuple[Node, ...], lanes: Lanes) -> None:
    branch = lanes.naturals(len(nodes) - 1)
    if isinstance(branch, int):
        _skip(nodes[branch], lanes)
        return
    for number, live in _by_branch(branch):
        match nodes[number]:
            case Null():
                pass
            case Boolean() | Integer() | Floating() | Sized() | Fixed() | Enumeration() as leaf:
                _skip_leaf(leaf, lanes, live)
            case other:
                rows = np.flatnonzero(live)
                chosen = lanes.select(rows)
                _skip(other, chosen)
                lanes.rejoin(rows, chosen)


# -- lists and maps --------------------------------------------------------------------------------------------------------


def _read_items(item: Node, lanes: Lanes) -> tuple[Offsets, Column]:
    """The items of all lanes, in order: first where they start, then all of them at once as lanes of their own."""
    data, limit = lanes.data, lanes.limit
    offsets, starts = _items(item, lanes)
    if len(starts) == 0:
        return offsets, blank(item)
    ends = np.repeat(lanes.ends, np.diff(offsets))
    most = CHUNK_RECORDS[1]
    parts = [
        _read(item, Lanes(data, starts[low : low + most], ends[low : low + most], limit))
        for low in range(0, len(starts), most)
    ]
    return offsets, concatenate(parts)


def _items(item: Node, lanes: Lanes) -> tuple[Offsets, Offsets]:
    """Offsets of each lane's items and where each item starts in the buffer; moves all lanes past their lists.

    Works in rounds: in each, every lane that is not done passes over one item (or one block, when all items are equally
    wide). The rounds of a few lanes with many items would be all overhead, so those are walked one by one.
    """
    width, least = fixed_width(item), least_width(item)
    total = len(lanes)
    counts = np.zeros(total, np.int64)
    runs: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []  # lane, number in lane, start
    rows, active, left = np.arange(total), lanes.select(np.arange(total)), np.zeros(total, np.int64)
    while len(rows):
        if len(rows) < FEW_LANES and width is None:
            _walk_items(item, rows, active, left, counts, runs)
            lanes.rejoin(rows, active)
            break
        _open_blocks(active, left, least)
        done = left == 0
        if done.any():
            finished = np.flatnonzero(done)
            lanes.rejoin(rows[finished], active.select(finished))
            going = np.flatnonzero(~done)
            rows, left, active = rows[going], left[going], active.select(going)
            if len(rows) == 0:
                break
        if width is None:
            runs.append((rows, counts[rows], active.here()))
            counts[rows] += 1
            left = left - 1
            _skip(item, active)
            active.check_ends()
        else:
            if width == 0 and int(counts.sum() + left.sum()) > MOST_EMPTY_ITEMS:
                raise TooManyEmptyItems
            within = np.arange(int(left.sum())) - np.repeat(np.cumsum(left) - left, left)
            lane = np.repeat(rows, left)
            runs.append((lane, counts[lane] + within, np.repeat(active.here(), left) + within * width))
            counts[rows] += left
            active.skip(left * width)
            left = np.zeros_like(left)
    offsets = np.zeros(total + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    starts = np.empty(int(offsets[-1]), np.int64)
    for lane, number, start in runs:
        starts[offsets[lane] + number] = start
    return offsets, starts


def _open_blocks(active: Lanes, left: NDArray[np.int64], least: int) -> None:
    """Reads a block header in each lane whose block is used up; `left` becomes the items in it, 0 when the list ends."""
    due = np.flatnonzero(left == 0)
    if len(due) == 0:
        return
    heads = active.select(due)
    count = heads.signed(64)
    with_size = np.flatnonzero(count < 0)
    if len(with_size):
        sized = heads.select(with_size)
        sized.pass_varint()
        heads.rejoin(with_size, sized)
        count = np.abs(count)
    heads.check_ends()
    room = (heads.ends - heads.here()) // least if least else MOST_EMPTY_ITEMS
    if (count < 0).any() or (count > room).any():
        raise Damaged
    active.rejoin(due, heads)
    left[due] = count


def _walk_items(
    item: Node,
    rows: NDArray[np.int64],
    active: Lanes,
    left: NDArray[np.int64],
    counts: NDArray[np.int64],
    runs: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]],
) -> None:
    """Finishes the lists of a few lanes one item at a time; moves `active` past them."""
    here, ends = active.here(), active.ends
    begin = int(here.min())
    view = active.data[begin : int(ends.max())].tobytes()
    walk = avro_walk.walker(item)
    for spot, (row, start, end, rest) in enumerate(
        zip(rows.tolist(), (here - begin).tolist(), (ends - begin).tolist(), left.tolist(), strict=True)
    ):
        found, after = avro_walk.starts(walk, view, start, end, rest)
        here[spot] = after + begin
        numbers = np.arange(len(found), dtype=np.int64) + counts[row]
        runs.append((np.full(len(found), row), numbers, np.array(found, np.int64) + begin))
        counts[row] += len(found)
    active.positions, active.shift = here, 0
