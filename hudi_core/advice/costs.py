"""Bytes and seconds of building an index, or of clustering: measured on the sample, scaled up to the table. Rule ADVICE-5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np

from hudi_core.advice.sample import Sample, files_of
from hudi_core.columns.hashes import bloom_filter_keys
from hudi_core.columns.nodes import length
from hudi_core.columns.strings import string_column
from hudi_core.metadata_rows.rows import GroupKeys, IndexRows, location_rows
from hudi_core.metadata_rows.statistics_rows import V1, V2, Sizes, file_statistics_rows, form_of
from hudi_core.planning.sources.file_filters import text_in_footer
from hudi_core.pruning.statistics import from_leaves
from hudi_core.reading.base_files import BaseFiles
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.temporary import temporary_folder


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes that are written, and seconds."""

    size: int
    seconds: float


@dataclass(frozen=True)
class Costs:
    """What building takes."""

    sample: Sample

    def column_stats(self, columns: Sequence[str]) -> Cost:
        """The cost of statistics of columns: footers of all files are read."""
        footers = list(self.sample.footers.values())
        version = V2 if self.sample.sources.snapshot.config.version >= 9 else V1
        begun, written, counted = perf_counter(), 0, 0
        for column in columns:
            leaves = [
                leaf for footer in footers if (leaf := footer.statistics.get(tuple(column.split(".")))) is not None
            ]
            if not leaves or form_of(leaves[0].type, version) is None:
                continue
            alike = [leaf for leaf in leaves if leaf.type == leaves[0].type]
            names = string_column([f"file-{number}" for number in range(len(alike))])
            keys = bloom_filter_keys([""], np.zeros(len(alike), np.int64), names)
            zeros = np.zeros(len(alike), np.int64)
            rows = file_statistics_rows(
                column, keys, names, from_leaves(alike[0].type, alike), Sizes(zeros, zeros), version
            )
            written += _size(rows)
            counted = max(counted, len(alike))
        files = files_of(self.sample.sources)
        seconds = (perf_counter() - begun) / max(counted, 1) + self.sample.seconds_a_footer
        return Cost(round(written / max(counted, 1) * files), seconds * files)

    def bloom_filters(self) -> Cost | None:
        """The cost of the filters that footers have; None where they have none."""
        texts = [text for footer in self.sample.footers.values() if (text := text_in_footer(footer)) is not None]
        if not texts:
            return None
        files = len(self.sample.sources.snapshot.slices)
        return Cost(round(sum(map(len, texts)) / len(texts) * files), self.sample.seconds_a_footer * files)

    def record_index(self) -> Cost:
        """The cost of the record index: the keys of all slices are read."""
        sources = self.sample.sources
        stored, keys, size, begun = SliceKeyReader(sources), 0, 0, perf_counter()
        for number in self.sample.numbers[:8].tolist():
            file_slice = sources.snapshot.slices[number]
            for part in islice(stored.of_slice(file_slice), 4):
                keys += length(part)
                size += _size(location_rows([GroupKeys(file_slice.partition, file_slice.file_id, part)], 0))
        rows = self.sample.rows_a_slice * len(sources.snapshot.slices)
        return Cost(round(size / max(keys, 1) * rows), (perf_counter() - begun) / max(keys, 1) * rows)

    def writing(self, size: int) -> Cost:
        """The cost of writing so many bytes of base files again."""
        return Cost(size, self._seconds_a_byte * size)

    @cached_property
    def _seconds_a_byte(self) -> float:
        """To read a row group with all its columns and to write it again, a byte of the file that has it."""
        sources = self.sample.sources
        snapshot, numbers = sources.snapshot, self.sample.numbers
        base = None if not len(numbers) else snapshot.slices[int(numbers[len(numbers) // 2])].base
        if base is None:
            return 0.0
        file_slice, footer = snapshot.slices[int(numbers[len(numbers) // 2])], sources.headers.footer(base)
        groups, extension = footer.row_groups, base.extension
        begun = perf_counter()
        batches: list[Any] = list(BaseFiles(sources).rows(file_slice, base, snapshot.schema, [0] if groups else None))
        with temporary_folder("hudi-core-") as folder:
            writer = snapshot.engine.writer(extension)
            writer.write(snapshot.engine.storage(folder), f"sample.{extension}", snapshot.schema, batches, dict)
        rows = groups[0].rows if groups else footer.rows
        return (perf_counter() - begun) / max(base.size * rows / max(footer.rows, 1), 1)


def _size(rows: IndexRows) -> int:
    return len(rows.keys.data) + len(rows.values.data)
