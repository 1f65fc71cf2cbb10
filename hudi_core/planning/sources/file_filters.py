"""The bloom filters of base files as they are stored, in the metadata table or in footers, and which of them are worth probing.

Rules INDEX-6 to INDEX-8, for queries and for tagging.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import groupby
from operator import itemgetter

from hudi_core.columns.hashes import bloom_filter_key, file_group_indexes
from hudi_core.columns.strings import utf8_column
from hudi_core.engine import Footer
from hudi_core.errors import CorruptFileError, TableError, UnsupportedError
from hudi_core.formats.bloom import BloomFilter, KeySample, parse_bloom_filter
from hudi_core.formats.footer import FILTER_KEYS
from hudi_core.metadata.filters import filter_texts
from hudi_core.metadata.table import BLOOM_FILTERS, MetadataTable
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.slices import FileSlice

MIN_KEY, MAX_KEY = "hoodie_min_record_key", "hoodie_max_record_key"


class FilterState(Enum):
    """The state of the filter of a file slice."""

    USABLE = auto()
    MISSING = auto()
    """There is none, or what there is does not cover rows in log files."""
    DAMAGED = auto()
    SATURATED = auto()


@dataclass(frozen=True, slots=True)
class SampleKeys:
    """Keys that a slice holds for certain: some among those of other slices, which are hashed together."""

    keys: KeySample
    rows: slice


@dataclass(frozen=True, slots=True)
class FileFilter:
    """The filter of a slice, or why there is none to use."""

    state: FilterState
    filter: BloomFilter | None = None
    problem: TableError | None = None
    """The damage of a damaged one."""


def open_recorded_filters(snapshot: Snapshot) -> MetadataTable | None:
    """The metadata table with its filters opened, for threads to share; None when it has none.

    File groups that cannot be opened are set aside: of files with filters in these nothing is known.
    """
    metadata = snapshot.usable(BLOOM_FILTERS)
    if metadata is None:
        return None
    try:
        groups = metadata.slices(BLOOM_FILTERS)
    except TableError as error:
        snapshot.warn_or_raise(error)
        return None
    metadata.expect_groups(groups)
    for group in groups:
        try:
            metadata.open_group(group)
        except TableError as error:
            snapshot.warn_or_raise(error)
    return metadata


def read_recorded_texts(
    metadata: MetadataTable | None, snapshot: Snapshot, slices: Sequence[FileSlice]
) -> dict[int, bytes]:
    """The texts of filters in the metadata table, by place of the slice among those given; what is damaged is left out."""
    if metadata is None:
        return {}
    positions = {
        bloom_filter_key(file_slice.partition, file_slice.base.name): position
        for position, file_slice in enumerate(slices)
        if file_slice.base
    }
    ordered = sorted(positions)
    groups = file_group_indexes(ordered, len(metadata.slices(BLOOM_FILTERS))).tolist()
    texts: dict[int, bytes] = {}
    by_group = groupby(sorted(zip(groups, ordered, strict=True)), itemgetter(0))
    for _, group_keys in by_group:  # one by one: where a file group is damaged, the others are not
        keys = [key for _, key in group_keys]
        try:
            for row, text in filter_texts(metadata.lookup(BLOOM_FILTERS, keys)):
                texts[positions[keys[row]]] = text
        except TableError as error:
            snapshot.warn_or_raise(error)
    return texts


def text_in_footer(footer: Footer | None) -> bytes | None:
    """The filter that a base file holds."""
    metadata = {} if footer is None else footer.metadata
    return next((metadata[key].encode() for key in FILTER_KEYS if key in metadata), None)


def without_filter(footer: Footer) -> Footer:
    """The footer without the bloom filter, which has a megabyte for a million keys, and without bytes that hold it."""
    footer.release()
    return replace(footer, metadata={key: text for key, text in footer.metadata.items() if key not in FILTER_KEYS})


def keys_in_footer(footer: Footer | None) -> SampleKeys | None:
    """The least and the greatest record key of a base file, as far as its footer has them."""
    if footer is None:
        return None
    return make_sample_keys([footer.metadata[key].encode() for key in (MIN_KEY, MAX_KEY) if key in footer.metadata])


def make_sample_keys(keys: Sequence[bytes]) -> SampleKeys | None:
    """Keys of one slice by themselves; None for none."""
    return SampleKeys(KeySample(utf8_column(keys)), slice(None)) if keys else None


def parse_file_filter(text: bytes | None, file_slice: FileSlice, held: SampleKeys | None = None) -> FileFilter:
    """The filter that a serialized form holds, if it is worth a look.

    `held` are keys that the slice holds: a filter that denies one of them is damaged, or another file's.
    """
    if text is None:
        return FileFilter(FilterState.MISSING)
    where = f"bloom filter of {file_slice.base.path if file_slice.base else file_slice.file_id}"
    try:
        parsed = parse_bloom_filter(text, where)
    except (CorruptFileError, UnsupportedError) as problem:
        return FileFilter(FilterState.DAMAGED, problem=problem)
    if parsed.saturated:
        return FileFilter(FilterState.SATURATED)
    if held is not None and not parsed.holds(held.keys.hashes(parsed.hashes, held.rows)):
        denied = CorruptFileError(
            where,
            expected="a filter that holds the least and the greatest key of its file",
            found="one that lacks a key",
        )
        return FileFilter(FilterState.DAMAGED, problem=denied)
    return FileFilter(FilterState.USABLE, parsed)
