"""Keys that are unique in the whole table: rows in another partition than the stored row of their key.

Such a row competes with the stored one by the table's merge rule, or wins whatever that is, as a row of a merge by clauses does.
Where it wins, the stored row is deleted and the new one is inserted in its own partition; where it loses, it is left out. Where
rows are not to move, they are merged with the stored row where that is. Rules: WRITE-28, WRITE-29, WRITE-480, WRITE-1523.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.string_index import StringIndex, index_strings
from hudi_core.columns.strings import concat_strings, string_column, take_strings
from hudi_core.engine import Engine
from hudi_core.errors import UnsupportedError
from hudi_core.keys.path_values import is_value_of_path
from hudi_core.merge.records import fold
from hudi_core.merge.rules import merge_rules
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.log_buffer import LogBuffer
from hudi_core.reading.log_records import gather_records
from hudi_core.reading.merge_columns import MergeColumns, merge_columns
from hudi_core.schema.meta import PARTITION_PATH
from hudi_core.schema.schema import Schema
from hudi_core.tagging.key_columns import NOWHERE
from hudi_core.writing.incoming import Incoming
from hudi_core.writing.input_files import InputFiles, rows_of_slice

LEFT_OUT: Final = NOWHERE - 1
"""In the place of the number of a slice: a row that is not written."""
_NO_SLICES: Final = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """For each row the slice that it is merged into, `NOWHERE` or `LEFT_OUT`; and by slice the keys that leave it."""

    places: Numbers
    leaving: dict[int, StringColumn]


def resolve_moves(
    sources: Sources, incoming: Incoming, places: Numbers, *, moves: bool = True, wins: bool = False
) -> Resolved:
    """The targets of rows when each key is once in the table. `places` has the slice that holds each row's key. Without `moves`
    rows of stored keys stay there; with `wins` they are whole, one of each key, and win over the stored ones, which are not read.

    Raises `UnsupportedError` where a row moves that is merged with the stored one column by column, and where one stays in a
    partition whose path readers do not take for its columns.
    """
    index = index_strings(incoming.keys.records)
    contested = _find_contested(sources, incoming, places, index)
    if not moves:
        _refuse_other_paths(sources, incoming, contested & (places != NOWHERE))
        contested &= places == NOWHERE
    if not contested.any():
        return Resolved(places, {})
    rows = np.flatnonzero(contested)
    columns = _columns(sources, incoming)
    if not wins and (columns.rules.partial is not None or incoming.kept):
        raise UnsupportedError(
            sources.snapshot.storage.uri,
            expected="rows that stay in their partitions, where rows are merged column by column",
            found=f"{len(rows)} rows of keys in other partitions",
        )
    competing = places[rows][places[rows] != NOWHERE] if not wins else _NO_SLICES
    old_keys, old_batches = _read_stored(sources, incoming, columns, np.unique(competing), index)
    winners, deleted = _winners(columns, incoming, rows, old_keys, old_batches, index)
    return _decide(sources, incoming, places, rows, winners, deleted, index)


def with_partition_path(engine: Engine[Any, Any, Any], schema: Schema, batch: Any, path: str) -> Any:
    """Rows of a schema with another partition path in the meta column, where the schema has it. The other columns stay."""
    values, root = engine.values, engine.rows.root(batch)
    parts = [
        (
            column,
            values.literal(path, column.type, root) if column.name == PARTITION_PATH else values.field(root, position),
        )
        for position, column in enumerate(schema.fields)
    ]
    return engine.rows.batch(values.struct(parts, values.is_null(root), root))


def _find_contested(sources: Sources, incoming: Incoming, places: Numbers, index: StringIndex) -> Bools:
    """Rows of keys that come in several partitions, or in another one than that of the stored row."""
    keys, slices = incoming.keys, sources.snapshot.slices
    partitions = keys.partitions.astype(np.int64)
    differs = partitions != partitions[index.first]
    if len(slices):
        own = _partition_numbers(sources, incoming)
        located = places != NOWHERE
        differs[located] |= own[slices.partition_of[places[located]]] != partitions[located]
    by_key = np.zeros(len(keys), np.bool_)
    by_key[index.first[differs]] = True
    result: Bools = by_key[index.first]
    return result


def _refuse_other_paths(sources: Sources, incoming: Incoming, staying: Bools) -> None:
    """Raises `UnsupportedError` where rows of these stay in another partition than their columns make, and paths do not give the
    values of these: the row would be read with columns of another path, and later writes could not tell where it is. Rule
    WRITE-1700."""
    if not staying.any():
        return
    config = sources.snapshot.config
    for position, name in enumerate(config.partition_fields):
        place = incoming.rows.find(name)
        if place is None or not is_value_of_path(config, position, place.field.type):
            expected = f"rows in the partitions of their keys, whose paths do not give the value of {name}"
            found = f"{int(staying.sum())} rows of keys in other partitions, which do not move"
            raise UnsupportedError(sources.snapshot.storage.uri, expected=expected, found=found)


def _columns(sources: Sources, incoming: Incoming) -> MergeColumns:
    snapshot = sources.snapshot
    where = snapshot.storage.uri
    rules = merge_rules(snapshot.config, where)
    return merge_columns(snapshot.engine, snapshot.config, incoming.rows, rules, incoming.rows, where)


def _read_stored(
    sources: Sources, incoming: Incoming, columns: MergeColumns, numbers: Numbers, index: StringIndex
) -> tuple[StringColumn, list[Any]]:
    """The stored rows whose keys come in, of slices by number, with their keys."""
    rows, keys, batches = sources.snapshot.engine.rows, [string_column([])], []
    for number in numbers.tolist():
        file_slice = sources.snapshot.slices[number]
        for batch in rows_of_slice(InputFiles(sources), file_slice, incoming.rows):
            batch_keys = columns.record_keys(rows.root(batch), file_slice.file_id)
            known = index.find(batch_keys) >= 0
            if known.any():
                keys.append(take_strings(batch_keys, np.flatnonzero(known)))
                batches.append(rows.keep(batch, known))
    return concat_strings(keys), batches


def _winners(
    columns: MergeColumns,
    incoming: Incoming,
    rows: Numbers,
    old_keys: StringColumn,
    old_batches: list[Any],
    index: StringIndex,
) -> tuple[Numbers, Bools]:
    """For each key, by its first row: the row that wins, `NOWHERE` for the stored one, and whether it deletes."""
    buffer = LogBuffer(columns, partial=False)
    for batch in (*old_batches, *incoming.spool.take(rows)):
        buffer.add_rows(batch, "rows")
    records = gather_records(buffer).records
    old = length(old_keys)
    key_numbers = np.concatenate([index.find(old_keys), index.first[rows]])
    distinct, latest = fold(records, key_numbers, columns.rules.precedence, columns.latest)
    sources = latest.sources[:, 0].astype(np.int64)
    winners = np.full(len(index.first), NOWHERE, np.int64)
    deleted = np.zeros(len(index.first), np.bool_)
    winners[distinct] = np.where(sources >= old, rows[np.maximum(sources - old, 0)], NOWHERE)
    deleted[distinct] = latest.deleted & (sources >= old)
    return winners, deleted


def _decide(
    sources: Sources,
    incoming: Incoming,
    places: Numbers,
    rows: Numbers,
    winners: Numbers,
    deleted: Bools,
    index: StringIndex,
) -> Resolved:
    keys, slices = incoming.keys, sources.snapshot.slices
    decided = places.copy()
    decided[rows] = LEFT_OUT
    firsts = np.unique(index.first[rows])
    winning = winners[firsts]
    firsts, winning = firsts[winning != NOWHERE], winning[winning != NOWHERE]
    place = places[winning]
    located = place != NOWHERE
    own = _partition_numbers(sources, incoming)
    stays = np.zeros(len(winning), np.bool_)
    stays[located] = own[slices.partition_of[place[located]]] == keys.partitions[winning[located]]
    decided[winning[stays]] = place[stays]
    decided[winning[~stays & ~deleted[firsts]]] = NOWHERE
    moved = np.flatnonzero(located & ~stays)
    leaving = {
        number: take_strings(keys.records, winning[moved[place[moved] == number]])
        for number in np.unique(place[moved]).tolist()
    }
    return Resolved(decided, leaving)


def _partition_numbers(sources: Sources, incoming: Incoming) -> Numbers:
    """For each partition of the slices, its number among those of the incoming keys; `NOWHERE` for one without."""
    number_of = {path: number for number, path in enumerate(incoming.keys.paths)}
    return np.array([number_of.get(path, NOWHERE) for path in sources.snapshot.slices.partitions], np.int64)
