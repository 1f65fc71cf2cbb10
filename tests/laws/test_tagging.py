"""Locating keys through ranges and bloom filters gives what a look into every file gives, whatever is missing or damaged.

Also covers: `tagging/key_columns.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_column
from hudi_core.engine import FileInfo, Footer, RowGroup
from hudi_core.formats.bloom_write import FilterKind, FilterSettings, encode_bloom_filter
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.tagging import by_files
from hudi_core.tagging.by_files import FileLookup, FilterUse
from hudi_core.tagging.key_columns import all_slices, slices_of_partitions
from hudi_core.tagging.key_reader import key_columns
from hudi_core.tagging.slice_keys import KeyBounds
from hudi_core.tagging.work import TaggingMetrics
from hudi_core.timeline.slices import FileSlice
from hudi_core.types.nodes import String

SCHEMA = schema_from_avro('{"type": "record", "name": "r", "fields": []}', "made")
SETTINGS = FilterSettings(FilterKind.SIMPLE, 8, 0.01)


@dataclass(frozen=True)
class Made:
    """A slice: the keys of its row groups, and what is told of it."""

    partition: str
    groups: tuple[tuple[str, ...], ...]
    logs: bool
    recorded: bool
    in_footer: bool
    filter: str
    bare: bool = False
    """Its row groups have no statistics of their own."""

    @property
    def keys(self) -> list[str]:
        return [key for group in self.groups for key in group]


class MadeKeys:
    """What `SliceKeyReader` gives, of slices that are made."""

    def __init__(self, made: Sequence[Made]) -> None:
        self.made = made
        slices = [
            FileSlice(item.partition, f"f{n}", "1", FileInfo(f"f{n}", 10), (FileInfo("log", 1),) if item.logs else ())
            for n, item in enumerate(made)
        ]
        storage = SimpleNamespace(expect=lambda **_: None)
        snapshot = SimpleNamespace(slices=slices, usable=lambda _: None, storage=storage)
        self.sources = SimpleNamespace(snapshot=snapshot)
        self.read: list[int] = []

    def _made(self, slice: FileSlice) -> Made:
        return self.made[int(slice.file_id[1:])]

    def of_slice(
        self, slice: FileSlice, row_groups: Sequence[int] | None = None, opened: object = None
    ) -> Iterator[StringColumn]:
        self.read.append(int(slice.file_id[1:]))
        groups = self._made(slice).groups
        for number in range(len(groups)) if row_groups is None else row_groups:
            yield string_column(groups[number])

    def open(self, slice: FileSlice) -> SimpleNamespace | None:
        footer = self.footer(slice)
        return None if footer is None else SimpleNamespace(footer=footer)

    def footer(self, slice: FileSlice) -> Footer | None:
        made = self._made(slice)
        if made.logs:
            return None
        text = filter_text(made)
        metadata = {} if text is None else {"org.apache.hudi.bloomfilter": text.decode()}
        groups = [RowGroup(len(group), {} if made.bare else leaf(group)) for group in made.groups]
        return Footer(len(made.keys), SCHEMA, metadata, leaf(made.keys) if made.in_footer else {}, groups)

    def read_recorded_bounds(self, numbers: Any) -> KeyBounds:
        made = [self.made[number] for number in numbers.tolist()]
        known = [item.recorded and bool(item.keys) for item in made]
        low, high = (
            ByteStrings.from_list(
                [pick(map(str.encode, item.keys)) if here else b"" for item, here in zip(made, known, strict=True)]
            )
            for pick in (min, max)
        )
        empty = [item.recorded and not item.keys for item in made]
        return KeyBounds(low, high, np.array(known, np.bool_), np.array(empty, np.bool_))


def test_a_recorded_filter_of_the_base_file_does_not_cover_keys_in_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """INDEX-6."""
    text = encode_bloom_filter(string_column(["a", "c"]), SETTINGS)
    monkeypatch.setattr(by_files, "read_recorded_texts", lambda *_: {0: text})
    stored = MadeKeys([Made("p", (("a", "b", "c"),), True, True, False, "none")])
    keys = key_columns(string_column(["a", "b"]), string_column(["p", "p"]))
    placed = slices_of_partitions(keys, stored.sources.snapshot.slices)
    found = FileLookup(stored, FilterUse.ALL).locate(keys, placed, TaggingMetrics())  # type: ignore[arg-type]
    assert found.slices.tolist() == [0, 0]


def leaf(keys: Sequence[str]) -> dict[Any, LeafStatistics]:
    low, high = (pick(keys, key=str.encode, default=None) for pick in (min, max))
    return {(RECORD_KEY,): LeafStatistics(String(), low, high, 0, len(keys))}


def filter_text(made: Made) -> bytes | None:
    """A filter of the slice's keys, or what may be found in its place."""
    whole = encode_bloom_filter(string_column([key for key in made.keys if key]), SETTINGS)
    match made.filter:
        case "none":
            return None
        case "cut":
            return whole[: len(whole) // 8 * 4]
        case "none of it":
            return b"no filter at all"
        case "saturated":
            return encode_bloom_filter(string_column([f"k{n}" for n in range(500)]), SETTINGS)
        case "larger":
            settings = FilterSettings(FilterKind.DYNAMIC_V0, 3, 1e-6, 9)
            return encode_bloom_filter(string_column([key for key in made.keys if key]), settings)
        case _:
            return whole


KEYS = st.sampled_from([f"key-{n:03}" for n in range(25)] + ["\ue000", "\U0001f600", "a" * 40, "a" * 40 + "b"])
PARTITIONS = st.sampled_from(["p", "q", ""])
SLICES = st.builds(
    Made,
    PARTITIONS,
    st.lists(st.lists(KEYS, max_size=6).map(tuple), min_size=1, max_size=3).map(tuple),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["good", "none", "cut", "none of it", "saturated", "larger"]),
    st.booleans(),
)


@given(
    st.lists(SLICES, max_size=6),
    st.lists(st.tuples(KEYS, PARTITIONS | st.just("elsewhere")), min_size=1, max_size=30),
    st.sampled_from(FilterUse),
    st.booleans(),
)
def test_keys_are_located_as_by_a_look_into_every_file(
    made: list[Made], requested: list[tuple[str, str]], filters: FilterUse, whole_table: bool
) -> None:
    """INDEX-1, INDEX-2, INDEX-9."""
    stored = MadeKeys(made)
    keys = key_columns(string_column([key for key, _ in requested]), string_column([path for _, path in requested]))
    slices = stored.sources.snapshot.slices
    placed = all_slices(keys, slices) if whole_table else slices_of_partitions(keys, slices)
    work = TaggingMetrics()
    found = FileLookup(stored, filters).locate(keys, placed, work)  # type: ignore[arg-type]
    for row, (key, path) in enumerate(requested):
        holding = [n for n, item in enumerate(made) if key in item.keys and (whole_table or item.partition == path)]
        assert found.slices[row] == (holding[0] if holding else -1)
        exact = holding and not made[holding[0]].logs
        assert found.positions[row] == (made[holding[0]].keys.index(key) if exact else -1)


@given(st.lists(KEYS, min_size=1, max_size=8, unique=True), st.lists(KEYS, max_size=8, unique=True))
def test_a_filter_of_another_file_loses_no_key(held: list[str], others: list[str]) -> None:
    """Where its range tells a key that a file holds, its filter has to know that key (INDEX-8)."""

    class Mixed(MadeKeys):
        def footer(self, slice: FileSlice) -> Footer | None:
            text = encode_bloom_filter(string_column(others), SETTINGS).decode()
            return Footer(len(held), SCHEMA, {"org.apache.hudi.bloomfilter": text}, leaf(held))

    low, high = min(held, key=str.encode), max(held, key=str.encode)
    keys = key_columns(string_column([low, high]), string_column(["p", "p"]))
    for recorded in (True, False):
        stored = Mixed([Made("p", (tuple(held),), False, recorded, True, "good")])
        placed = slices_of_partitions(keys, stored.sources.snapshot.slices)
        found = FileLookup(stored, FilterUse.ALL).locate(keys, placed, TaggingMetrics())  # type: ignore[arg-type]
        assert found.slices.tolist() == [0, 0]
