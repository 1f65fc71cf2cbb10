"""The bloom filters of file slices, from the metadata table or from footers. Rules INDEX-6 to INDEX-8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from hudi_core.engine import Footer
from hudi_core.errors import CorruptFileError, TableError, UnsupportedError
from hudi_core.formats.bloom import KEPT_ROUNDS, BloomFilter, HashedKeys, parse_bloom_filter
from hudi_core.formats.hashes import bloom_filter_key, file_group_indexes
from hudi_core.formats.text_columns import byte_column
from hudi_core.metadata.filters import filter_texts
from hudi_core.metadata.table import BLOOM_FILTERS, MetadataTable
from hudi_core.table.snapshot import Snapshot
from hudi_core.table.sources.filters import FOOTER_KEYS
from hudi_core.timeline.slices import FileSlice

Numbers = NDArray[np.int64]

_CLEARLY, _FEW = 2, 20
"""So many times the keys that pass by chance, and so many more, do not pass by chance."""


class State(Enum):
    """What became of the filter of a file slice."""

    ASKED = auto()
    MISSING = auto()
    """There is none, or what there is says nothing of rows in log files."""
    DAMAGED = auto()
    SATURATED = auto()


@dataclass(frozen=True, slots=True)
class Kept:
    """The filter of a slice, or why there is none to be asked."""

    state: State
    filter: BloomFilter | None = None


def recorded_filters(snapshot: Snapshot) -> MetadataTable | None:
    """The metadata table with its filters opened, for threads to share; None when it has none.

    File groups that cannot be opened are set aside: of files with filters in these nothing is known.
    """
    metadata = snapshot.usable(BLOOM_FILTERS)
    if metadata is None:
        return None
    try:
        groups = metadata.slices(BLOOM_FILTERS)
    except TableError as error:
        snapshot.set_aside(error)
        return None
    for each in groups:
        try:
            metadata.opened(each)
        except TableError as error:
            snapshot.set_aside(error)
    return metadata


def recorded_texts(metadata: MetadataTable | None, snapshot: Snapshot, slices: Sequence[FileSlice]) -> dict[int, bytes]:
    """The texts of filters in the metadata table, by place of the slice among those given; what is damaged is left out."""
    if metadata is None:
        return {}
    asked = {bloom_filter_key(each.partition, each.base.name): place for place, each in enumerate(slices) if each.base}
    ordered = sorted(asked)
    groups = file_group_indexes(ordered, len(metadata.slices(BLOOM_FILTERS))).tolist()
    texts: dict[int, bytes] = {}
    for group in dict.fromkeys(groups):  # one by one: where a file group is damaged, the others are not
        keys = [key for key, its in zip(ordered, groups, strict=True) if its == group]
        try:
            for number, text in filter_texts(metadata.lookup(BLOOM_FILTERS, keys)):
                texts[asked[keys[number]]] = text
        except TableError as error:
            snapshot.set_aside(error)
    return texts


def lookup_order(metadata: MetadataTable | None, slices: Sequence[FileSlice]) -> list[int]:
    """The places of the slices in an order in which neighbours' filters are in neighbouring blocks."""
    keys = [bloom_filter_key(each.partition, each.base.name) if each.base else "" for each in slices]
    if metadata is None or not keys:
        return list(range(len(slices)))
    groups = file_group_indexes(keys, len(metadata.slices(BLOOM_FILTERS))).tolist()
    return sorted(range(len(slices)), key=lambda place: (groups[place], keys[place]))


def kept(text: bytes | None, slice: FileSlice, held: Sequence[bytes] = ()) -> Kept:
    """The filter that a text says, if it is worth asking.

    `held` are keys that the slice holds: a filter that denies one of them is damaged, or another file's.
    """
    if text is None:
        return Kept(State.MISSING)
    try:
        found = parse_bloom_filter(text, f"bloom filter of {slice.base.path if slice.base else slice.file_id}")
    except (CorruptFileError, UnsupportedError):
        return Kept(State.DAMAGED)
    if found.saturated:
        return Kept(State.SATURATED)
    if held and not found.may_contain(HashedKeys(byte_column(held))).all():
        return Kept(State.DAMAGED)
    return Kept(State.ASKED, found)


def passing(of: BloomFilter, keys: HashedKeys, asked: slice) -> Numbers:
    """The places of the keys, among all, that a filter lets pass.

    Where far more keys pass the first of its hashes than chance explains, the file holds some and is read in any case: the
    other hashes would rule out few of those that are left.
    """
    first: Numbers = asked.start + np.flatnonzero(of.may_contain(keys, asked, KEPT_ROUNDS))
    by_chance = (asked.stop - asked.start) * of.false_after(KEPT_ROUNDS)
    if len(first) > _CLEARLY * by_chance + _FEW:
        return first
    return first[of.may_contain(keys, first)]


def text_in_footer(footer: Footer | None) -> bytes | None:
    """The filter that a base file holds."""
    if footer is None:
        return None
    return next((footer.metadata[key].encode() for key in FOOTER_KEYS if key in footer.metadata), None)
