"""Many Avro binary records of one writer schema → columns, field by field over all records, no Python object a record.

The rules are numbered in `specs/avro-columns.md`. Records are decoded in batches that stay in the processor's cache. A
batch that holds anything wrong is read again record by record, by `avro_walk`, which raises the error with its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np

from hudi_core.arrays import Octets, Offsets
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.length_chain import chain_pieces
from hudi_core.columns.nodes import Column
from hudi_core.errors import CorruptFileError, SchemaError, UnsupportedError
from hudi_core.formats.avro import walk as avro_walk
from hudi_core.formats.avro.lanes import PADDING, DamagedLane, Lanes
from hudi_core.formats.avro.plan import Node, blank, plan
from hudi_core.formats.avro.read import read
from hudi_core.formats.avro.skip import TooManyEmptyItems
from hudi_core.parallel.ordered import in_order

BATCH_BYTES = 1 << 23
BATCH_ROWS = (2048, 65536)
"""A batch's arrays of one number a row stay in the processor's caches; fewer rows cost more calls a row, and threads that work
side by side wait for each other at each call."""

WORTH_SHARING = 12288
"""Rows of a batch from which on two threads are done with two batches before one is with one of both."""

Buffer = bytes | bytearray | memoryview | Octets


def decode(
    schema_text: str,
    data: Buffer,
    starts: Offsets,
    lengths: Offsets,
    where: str,
    wanted: Collection[str] | None = None,
) -> Column:
    """The records at `data[starts[i]:starts[i] + lengths[i]]`, one row each in that order; a record schema gives a Struct.

    `data` is in one piece, and the result does not refer to it. `wanted` names the fields to decode (see `avro_plan.plan`);
    others are passed over and absent. Raises CorruptFileError, with `where` and the record's number, when a record does not
    hold exactly one value of the schema; UnsupportedError for a schema that has no columns (see `plan`).
    """
    if len(starts) == 0:
        return blank(_plan(schema_text, where, wanted))
    return concat_columns(decode_batches(schema_text, data, starts, lengths, where, wanted), len(starts))


def decode_batches(
    schema_text: str,
    data: Buffer,
    starts: Offsets,
    lengths: Offsets,
    where: str,
    wanted: Collection[str] | None = None,
) -> Iterator[Column]:
    """As `decode`, a few thousand rows at a time: for who goes on with them while they are in the cache. None for no rows."""
    yield from _batches(_plan(schema_text, where, wanted), data, [(starts, lengths)], where)


def decode_framed(
    schema_text: str,
    data: bytes | memoryview,
    start: int,
    count: int,
    where: str,
    wanted: Collection[str] | None = None,
) -> Iterator[Column]:
    """As `decode_batches`, for `count` records that fill `data` from `start` to its end, each behind its length in four bytes.

    Records are found while those before them are decoded: damage may be detected after some columns were returned.
    """
    yield from _batches(_plan(schema_text, where, wanted), data, chain_pieces(data, start, count, where), where)


def _batches(node: Node, data: Buffer, pieces: Iterable[tuple[Offsets, Offsets]], where: str) -> Iterator[Column]:
    """The columns of records that come in pieces: starts and lengths."""
    buffer = data if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)

    def parts() -> Iterator[tuple[Offsets, Offsets, int]]:
        first = 0
        for starts, lengths in pieces:
            ends = starts + lengths
            outside = (starts < 0) | (ends < starts) | (ends > len(buffer))
            if outside.any():
                row = int(np.argmax(outside))
                shown = f"{lengths[row]} bytes at {starts[row]} of {len(buffer)}"
                raise CorruptFileError(f"{where}, record {first + row}", expected="a place in the buffer", found=shown)
            size = _batch_size(len(starts), int(lengths.sum()))
            for first_row in range(0, len(starts), size):
                yield starts[first_row : first_row + size], ends[first_row : first_row + size], first + first_row
            first += len(starts)

    yield from in_order(lambda part: _batch(node, buffer, part[0], part[1], where, part[2]), parts())


def _batch_size(rows: int, total: int) -> int:
    """Rows of each batch but the last, which has hardly fewer: a short one would cost as many calls as a long one."""
    min_rows, max_rows = BATCH_ROWS
    fitting = int(np.clip(BATCH_BYTES * rows // max(1, total), min_rows, max_rows))
    batches = max(-(-rows // fitting), min(rows // WORTH_SHARING, 2), 1)
    return -(-rows // batches)


def _plan(schema_text: str, where: str, wanted: Collection[str] | None) -> Node:
    try:
        return plan(schema_text, None if wanted is None else frozenset(wanted))
    except SchemaError as error:
        raise CorruptFileError(where, message=str(error)) from error
    except UnsupportedError as error:
        raise UnsupportedError(where, message=str(error)) from error


def _batch(node: Node, data: Octets, starts: Offsets, ends: Offsets, where: str, first: int) -> Column:
    lanes = _lanes(data, starts, ends)
    try:
        column = read(node, lanes)
        if np.array_equal(lanes.cursors(), lanes.ends):
            return column
    except TooManyEmptyItems:
        expected = f"at most {avro_walk.MAX_EMPTY_ITEMS} items without bytes"
        raise CorruptFileError(f"{where}, records {first} to {first + len(lanes) - 1}", expected=expected) from None
    except (DamagedLane, IndexError):
        _explain(node, data, starts, ends, where, first)
        raise
    _explain(node, data, starts, ends, where, first)
    raise AssertionError("lanes ended elsewhere than a walk did")


def _lanes(data: Octets, starts: Offsets, ends: Offsets) -> Lanes:
    """Lanes whose buffer goes on for PADDING bytes after the last record; a copy only when `data` stops before that."""
    limit = int((ends - starts).sum())
    end = int(ends.max())
    if end + PADDING <= len(data):
        return Lanes(data, starts, ends, limit)
    start = int(starts.min())
    padded = np.empty(end - start + PADDING, np.uint8)
    padded[: end - start], padded[end - start :] = data[start:end], 0
    return Lanes(padded, starts - start, ends - start, limit)


def _explain(node: Node, data: Octets, starts: Offsets, ends: Offsets, where: str, first: int) -> None:
    """Raises CorruptFileError for the first damaged record; returns when every record is sound (a defect of ours)."""
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True), first):
        flaw = avro_walk.flaw(node, data[start:end].tobytes())
        if flaw is not None:
            place = f"{where}, record {row}" + (f", field {flaw.path}" if flaw.path else "")
            raise CorruptFileError(place, expected=flaw.expected, found=flaw.found)
