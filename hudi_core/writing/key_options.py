"""Options of the times in partition paths that a write states, since the table does not store them. Rules: KEY-1565 to KEY-1568.

Apache Hudi stores them with tables of the key generator TIMESTAMP alone; writers of tables of CUSTOM state them each time. Other
options than those of the stored rows would put a row whose key the table has into a second partition, so what is stored decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from hudi_core.columns.nodes import to_list
from hudi_core.errors import RowError, UsageError
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.generator import Generator, TimePart
from hudi_core.keys.options import (
    AUTO_INSTANT,
    CONSISTENT,
    INPUT_ZONE,
    OUTPUT_ZONE,
    SCALAR_UNIT,
    TIMESTAMP_TYPE,
    ZONE,
    select_time_options,
)
from hudi_core.keys.time_forms import can_make
from hudi_core.reading.remote import SliceRead
from hudi_core.schema.schema import Schema
from hudi_core.stated_properties import FLAGS
from hudi_core.table.keying import has_times, table_generator
from hudi_core.table.table import Table
from hudi_core.timeline.slices import FileSlice
from hudi_core.types.nodes import String, Timestamp

_IN_ANY_CASE: Final = (TIMESTAMP_TYPE, SCALAR_UNIT, CONSISTENT)
_SLICES: Final = 8
"""File slices whose rows are looked at, each of another partition."""
_ROWS: Final = 1_000
"""Rows of each that are looked at. Some of them show another zone, of which most rows of a day show nothing."""


def state_key_options(table: Table, properties: Mapping[str, str]) -> Table:
    """The table with the options of times among the properties of a write, by which the keys of this write are made.

    Raises `UsageError` for options that contradict what the table stores, that have no effect on its paths, or by which its
    partitions or some of its rows would have other paths than they have.
    """
    given = select_time_options(properties)
    if not given:
        return table
    _refuse_idle(table, given)
    _refuse_contradictions(select_time_options(table.config.properties), given)
    stated = replace(table, key_options=given)
    generator = table_generator(stated, {} if table.config.record_key_fields else {AUTO_INSTANT: "0"})
    assert isinstance(generator, Generator)
    _refuse_idle_instants(generator, table.schema, given)
    _refuse_other_forms(stated, generator)
    _refuse_other_paths(stated, generator)
    return stated


def _refuse_idle(table: Table, given: Mapping[str, str]) -> None:
    """Raises `UsageError` for options of times of a table that has none in its paths. Rule KEY-1566."""
    if not has_times(table.config):
        paths = f"made by the key generator {table.config.key_generator} of {_list_parts(table)}"
        raise UsageError(
            "properties", expected="a table with times in its partition paths", found=f"{min(given)}: paths {paths}"
        )


def _list_parts(table: Table) -> str:
    return ", ".join(table.config.stated_partition_fields) or "no column"


def _refuse_idle_instants(generator: Generator, schema: Schema, given: Mapping[str, str]) -> None:
    """Raises `UsageError` where instants are to be printed as such and no part of the paths is one. Rule KEY-1566."""
    if not FLAGS[given.get(CONSISTENT, "false").lower()]:
        return
    fields = [part.field for part in generator.parts if isinstance(part, TimePart)]
    places = [schema.find(field) for field in fields]
    if not any(place and isinstance(place.field.type, Timestamp) and place.field.type.zoned for place in places):
        expected = f"a timestamp with a zone in {' or '.join(fields)}, which it has an effect on"
        raise UsageError(CONSISTENT, expected=expected, found="none")


def _refuse_contradictions(stored: Mapping[str, str], given: Mapping[str, str]) -> None:
    """Raises `UsageError` for an option that has another value than the table stores, or takes its place. Rule KEY-1566."""
    for name, value in given.items():
        for rival in (name, *_rivals(name)):
            if rival in stored and _key(rival, stored[rival]) != _key(rival, value):
                expected = f"{stored[rival]!r}, which the table stores{'' if rival == name else f' as {rival}'}"
                raise UsageError(name, expected=expected, found=repr(value))


def _rivals(name: str) -> tuple[str, ...]:
    """Other options that state the same."""
    if name == ZONE:
        return INPUT_ZONE, OUTPUT_ZONE
    return (ZONE,) if name in (INPUT_ZONE, OUTPUT_ZONE) else ()


def _key(name: str, value: str) -> str:
    return value.upper() if name in _IN_ANY_CASE else value


def _refuse_other_forms(table: Table, generator: Generator) -> None:
    """Raises `UsageError` for options by which a stored partition path cannot have been made. Rule KEY-1567."""
    for path in table.snapshot().slices.partitions:
        if not can_make(path, generator):
            forms = " and ".join(
                f"{part.field} as {part.clock.output.text}" for part in generator.parts if isinstance(part, TimePart)
            )
            expected = f"options that can make the stored partition path {path!r}"
            raise UsageError("properties", expected=expected, found=f"those of paths with {forms}")


def _refuse_other_paths(table: Table, generator: Generator) -> None:
    """Raises `UsageError` for options by which some of the stored rows would get another partition path. Rule KEY-1568."""
    config, engine = table.config, table.engine
    named = (*config.record_key_fields, *config.partition_fields)
    scan = table.scan(columns=list(dict.fromkeys(name.partition(".")[0] for name in named)))
    keys, remote = KeyGenerator(generator, scan.schema, engine.values), scan.remote_scan()
    for one in _choose_slices(table):
        for batch in remote.read([SliceRead(one, filtered=False)]):
            root = engine.rows.root(engine.rows.slice(batch, 0, _ROWS))
            expected = f"options by which rows of the partition {one.partition!r} get its path"
            try:
                made = to_list(engine.rows.to_column(keys.keys(root).partition_path, String(), "keys"))
            except RowError as error:
                found = f"a row with {error.found} instead of {error.expected}"
                raise UsageError("properties", expected=expected, found=found) from None
            if other := next((path for path in made if path != one.partition), None):
                raise UsageError("properties", expected=expected, found=f"those that make {other!r} of one")
            break


def _choose_slices(table: Table) -> Iterator[FileSlice]:
    """Slices of some partitions, from the first to the last."""
    slices = table.snapshot().slices
    firsts = np.unique(slices.partition_of, return_index=True)[1]
    for place in np.unique(np.linspace(0, len(firsts) - 1, min(len(firsts), _SLICES)).astype(np.int64)):
        yield slices[int(firsts[place])]
