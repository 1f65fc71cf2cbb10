"""Which rows of a row group the pages of a column chunk hold, by Parquet's offset index.

Rules: `PageIndex.md` of the Parquet format. Every page starts with a new row then, in columns of lists too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.errors import CorruptFileError
from hudi_core.formats.parquet import thrift


@dataclass(frozen=True, slots=True)
class PageRows:
    """The data pages of a column chunk in order: the first row of each, and where it starts and ends in the file."""

    chunk_start: int
    firsts: Numbers
    starts: Numbers
    ends: Numbers

    def ranges(self, chosen: Bools) -> list[tuple[int, int]]:
        """Bytes (start, length) of the dictionary, if there is one, and of the pages that hold chosen rows.

        `chosen` has one flag for each row, equal for all rows of a page.
        """
        pages = np.flatnonzero(chosen[self.firsts])
        dictionary_size = int(self.starts[0]) - self.chunk_start
        ranges = [(self.chunk_start, dictionary_size)] if dictionary_size > 0 else []
        for run in np.split(pages, np.flatnonzero(np.diff(pages) > 1) + 1) if len(pages) else ():
            start = int(self.starts[run[0]])
            ranges.append((start, int(self.ends[run[-1]]) - start))
        return ranges


def page_rows(stored: memoryview, chunk: tuple[int, int], rows: int, where: str) -> PageRows:
    """Reads the offset index of a chunk (start, length) of `rows` rows. Raises `CorruptFileError`."""
    try:
        pages = thrift.structure(stored)[0][1]
        starts, sizes, firsts = (np.array([page[field_id] for page in pages], np.int64) for field_id in (1, 2, 3))
    except (IndexError, KeyError, ValueError, TypeError, OverflowError) as problem:
        raise CorruptFileError(where, expected="an offset index", found=str(problem) or "the end of the data") from None
    ends, bounds = starts + sizes, [chunk[0], sum(chunk)]
    places = np.concatenate([bounds[:1], np.stack([starts, ends], axis=1).ravel(), bounds[1:]])
    if not len(pages) or firsts[0] != 0 or (np.diff([*firsts, rows]) <= 0).any() or (np.diff(places) < 0).any():
        expected = f"pages of {rows} rows, one after the other, from {bounds[0]} to {bounds[1]}"
        raise CorruptFileError(where, expected=expected, found="an offset index of other pages")
    return PageRows(chunk[0], firsts, starts, ends)


def rows_between_cuts(cuts: Numbers, keep: Bools) -> Bools:
    """The rows of those spans between two cuts that have a row to keep. The first cut is 0."""
    ends = np.append(cuts[1:], len(keep))
    return np.repeat(np.logical_or.reduceat(keep, cuts), ends - cuts)
