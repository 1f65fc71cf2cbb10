"""The metadata of a base file, as every format and engine states it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.schema.schema import Path, Schema

FILTER_KEYS: Final = ("org.apache.hudi.bloomfilter", "com.uber.hoodie.bloomfilter")
"""The names of a base file's own bloom filter in `Footer.metadata`."""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A part of a base file that can be read by itself. `statistics` as those of the whole."""

    rows: int
    statistics: Mapping[Path, LeafStatistics] = field(default_factory=dict)


def _release_nothing() -> None:
    """There are no such bytes."""


@dataclass(frozen=True, slots=True)
class Footer:
    """The metadata of a base file."""

    rows: int
    schema: Schema
    metadata: Mapping[str, str] = field(default_factory=dict)
    statistics: Mapping[Path, LeafStatistics] = field(default_factory=dict)
    """The statistics by name path, of leaves outside lists and maps only."""
    row_groups: Sequence[RowGroup] = ()
    """The row groups of the file in order; empty where the reader does not state them."""
    size: int | None = None
    """Bytes of the file as it is, which may differ from what the table records; None: unknown."""
    release: Callable[[], None] = field(default=_release_nothing, repr=False, compare=False)
    """Lets go of bytes of the file that statistics are computed from when asked for."""
