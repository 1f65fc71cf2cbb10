"""Rows packed for other tasks: a few columns of NumPy and batches of the engine, as bytes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Numbers
from hudi_core.engine import Engine
from hudi_core.errors import HudiError
from hudi_core.parallel.flow import TO_CALLER, Packet
from hudi_core.schema.schema import Schema
from hudi_core.tagging.key_columns import KeyColumns, concat_keys, take_keys

OF_ROWS: Final = ("places", "positions", "deleted", "loses", "removes")
"""The columns of a pack that it may lack."""
KEYS_AT_ONCE: Final = 1 << 16
"""Keys without rows in one packet."""


@dataclass(frozen=True, slots=True, eq=False)
class RowPack:
    """Rows with their keys, or keys alone. `numbers` are the numbers of the rows in the part of the input that they come from."""

    keys: KeyColumns
    numbers: Numbers
    batch: Any = None
    places: Numbers | None = None
    """As in `writing.task_rows.Places`; None while rows are not located."""
    positions: Numbers | None = None
    deleted: NDArray[np.bool_] | None = None
    loses: NDArray[np.bool_] | None = None
    """Rows of an update that lose to what they were, as readers merge them."""
    removes: NDArray[np.bool_] | None = None
    """Rows that stand for the deletion of their keys."""

    def __len__(self) -> int:
        return len(self.numbers)

    def taken(self, engine: Engine[Any, Any, Any], schema: Schema, rows: Numbers) -> RowPack:
        """Some of the rows, in the order given."""
        if len(rows) == len(self) and bool((rows[1:] > rows[:-1]).all()):
            return self
        batch = self.batch
        if batch is not None:
            (batch,) = _one(engine, schema, batch, rows)
        of_rows = {name: None if (values := getattr(self, name)) is None else values[rows] for name in OF_ROWS}
        return RowPack(take_keys(self.keys, rows), self.numbers[rows], batch, **of_rows)


def _one(engine: Engine[Any, Any, Any], schema: Schema, batch: Any, rows: Numbers) -> Iterator[Any]:
    """The rows as one batch: they are fewer than a batch that was given."""
    columns = len(schema.fields)
    flags = np.zeros(engine.rows.count(batch), np.bool_)
    flags[rows] = True
    if bool((rows[1:] > rows[:-1]).all()):
        yield engine.rows.keep(batch, flags)
    else:
        yield from engine.rows.gather([batch], [rows] * columns, schema)


def packed(content: object) -> bytes:
    """An object as bytes."""
    return pickle.dumps(content, protocol=5)


def unpacked(packet: Packet) -> Any:
    """What a packet holds."""
    return pickle.loads(packet.content)


def report(part: int, content: object) -> Packet:
    """A packet for the process that runs the flow."""
    return Packet(TO_CALLER, 0, part, 0, packed(content))


def opened(reports: Sequence[Packet]) -> list[Any]:
    """What reports hold. Raises the first that is an error: a rule refused a row, and trying again would not help."""
    contents = [unpacked(packet) for packet in reports]
    for content in contents:
        if isinstance(content, HudiError):
            raise content
    return contents


def joined(packs: Sequence[RowPack]) -> RowPack:
    """The rows of packs of one kind as one, without their batches."""
    first = packs[0]
    columns = {
        name: None if getattr(first, name) is None else np.concatenate([getattr(pack, name) for pack in packs])
        for name in OF_ROWS
    }
    numbers = np.concatenate([pack.numbers for pack in packs])
    return replace(first, keys=concat_keys([pack.keys for pack in packs]), numbers=numbers, batch=None, **columns)
