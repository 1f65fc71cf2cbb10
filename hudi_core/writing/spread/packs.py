"""Rows packed for other tasks: a few columns of NumPy and batches of the engine, as bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.engine import Engine
from hudi_core.parallel.flow import Packet
from hudi_core.schema.schema import Schema
from hudi_core.tagging.key_columns import KeyColumns, concat_keys, take_keys
from hudi_core.transactions.reports import pack_object, unpack
from hudi_core.writing.task_rows import group_rows

OF_ROWS: Final = ("places", "positions", "new", "loses", "removes", "tasks")
"""The columns of a pack that it may lack."""
KEYS_AT_ONCE: Final = 1 << 16
"""Keys without rows in one packet."""
_BYTES_TOGETHER: Final = 1 << 26
"""Bytes of packets whose rows are dealt out together: so many packets go to each target at most, however many come."""
_BYTES_OF_PACKET: Final = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class RowPack:
    """Rows with their keys, or keys alone. `numbers` are the numbers of the rows in the part of the input that they come from."""

    keys: KeyColumns
    numbers: Numbers
    batch: Any = None
    places: Numbers | None = None
    """As in `writing.task_rows.Places`; None while rows are not located."""
    positions: Numbers | None = None
    new: Bools | None = None
    loses: Bools | None = None
    """Rows of an update that lose to what they were, as readers merge them."""
    removes: Bools | None = None
    """Rows that stand for the deletion of their keys."""
    tasks: Numbers | None = None
    """The task of each row; None while rows have none."""

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, engine: Engine[Any, Any, Any], schema: Schema, rows: Numbers) -> RowPack:
        """Some of the rows, in the order given."""
        if len(rows) == len(self) and bool((rows[1:] > rows[:-1]).all()):
            return self
        batch = self.batch
        if batch is not None:
            (batch,) = _one(engine, schema, batch, rows)
        return take_rows(self, batch, rows)


def pack_rows(pack: RowPack, engine: Engine[Any, Any, Any]) -> bytes:
    """Rows as bytes, no more than they have. Rule ENGINE-1172."""
    return pack_object(pack if pack.batch is None else replace(pack, batch=engine.rows.compact(pack.batch)))


def _one(engine: Engine[Any, Any, Any], schema: Schema, batch: Any, rows: Numbers) -> Iterator[Any]:
    """The rows as one batch: they are fewer than a batch that was given."""
    columns = len(schema.fields)
    flags = np.zeros(engine.rows.count(batch), np.bool_)
    flags[rows] = True
    if bool((rows[1:] > rows[:-1]).all()):
        yield engine.rows.keep(batch, flags)
    else:
        yield from engine.rows.gather([batch], [rows] * columns, schema)


@dataclass(frozen=True, slots=True, eq=False)
class PackRun:
    """Rows of packets that follow one another. `packs` are of one kind; `size` are their bytes."""

    packs: Sequence[RowPack]
    source: int
    size: int

    @property
    def whole(self) -> RowPack:
        """All rows, without their batches."""
        return join_packs(self.packs)

    def deal(
        self, whole: RowPack, targets: Numbers, engine: Engine[Any, Any, Any], schema: Schema, numbers: count[int]
    ) -> Iterator[Packet]:
        """Packets of the rows for the part that each of them goes to; rows of negative ones are left out. `numbers` count the
        packets of the source."""
        for target, pack in self.split(whole, targets, engine, schema):
            yield Packet(target, 0, self.source, next(numbers), pack_rows(pack, engine))

    def split(
        self, whole: RowPack, targets: Numbers, engine: Engine[Any, Any, Any], schema: Schema
    ) -> Iterator[tuple[int, RowPack]]:
        """The rows in packs of some megabytes, with the part that each of them goes to; rows of negative ones are left out."""
        batches = [pack.batch for pack in self.packs]
        step = max(1, _BYTES_OF_PACKET * len(whole) // max(self.size, 1))
        for target, rows in group_rows(targets):
            for start in range(0, len(rows), step):
                for pack in _take(whole, batches, rows[start : start + step], engine, schema):
                    yield target, pack


def pack_runs(packets: Iterator[Packet]) -> Iterator[PackRun]:
    """Packets in runs of some megabytes."""
    packs: list[RowPack] = []
    size, source = 0, 0
    for packet in packets:
        pack: RowPack = unpack(packet)
        is_like = not packs or (source == packet.source and _kind(pack) == _kind(packs[0]))
        if not is_like or (packs and size + len(packet.content) > _BYTES_TOGETHER):
            yield PackRun(packs, source, size)
            packs, size = [], 0
        packs.append(pack)
        size, source = size + len(packet.content), packet.source
    if packs:
        yield PackRun(packs, source, size)


def _kind(pack: RowPack) -> tuple[bool, ...]:
    return (pack.batch is None, *(getattr(pack, name) is None for name in OF_ROWS))


def _take(
    whole: RowPack, batches: Sequence[Any], rows: Numbers, engine: Engine[Any, Any, Any], schema: Schema
) -> Iterator[RowPack]:
    """Some rows in the order given, in as many packs as the engine makes batches of them."""
    if len(rows) == len(whole) and len(batches) == 1:
        yield replace(whole, batch=batches[0])
        return
    if batches[0] is None:
        yield take_rows(whole, None, rows)
        return
    start = 0
    for batch in engine.rows.gather(batches, [rows] * len(schema.fields), schema):
        end = start + engine.rows.count(batch)
        yield take_rows(whole, batch, rows[start:end])
        start = end


def take_rows(pack: RowPack, batch: Any, rows: Numbers) -> RowPack:
    """Some rows of a pack, which are those of a batch."""
    of_rows = {name: None if (values := getattr(pack, name)) is None else values[rows] for name in OF_ROWS}
    return RowPack(take_keys(pack.keys, rows), pack.numbers[rows], batch, **of_rows)


def join_packs(packs: Sequence[RowPack]) -> RowPack:
    """The rows of packs of one kind as one, without their batches."""
    first = packs[0]
    columns = {
        name: None if getattr(first, name) is None else np.concatenate([getattr(pack, name) for pack in packs])
        for name in OF_ROWS
    }
    numbers = np.concatenate([pack.numbers for pack in packs])
    return replace(first, keys=concat_keys([pack.keys for pack in packs]), numbers=numbers, batch=None, **columns)
