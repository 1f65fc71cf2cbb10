"""Whether a listing has the files that the latest commit wrote: a test of metadata whose bytes are inferred. Rule META-710."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

import numpy as np

from hudi_core.errors import CorruptFileError
from hudi_core.timeline.files import FileList
from hudi_core.timeline.timeline import Timeline


def refuse_incomplete(files: FileList, timeline: Timeline, where: str) -> None:
    """Raises `CorruptFileError` where the latest completed write records a file that is not listed, or has another size."""
    if not timeline.commits:
        return
    latest = timeline.commits[-1]
    for partition, stats in timeline.metadata(latest).stats.items():
        listed = _sizes(files, partition)
        for stat in stats:
            name = stat.path.rpartition("/")[2]
            size = listed.get(name)
            if name and not stat.errors and (size is None or (stat.file_size and stat.file_size != size)):
                expected = f"{name} of commit {latest.requested_time} in the listing of the metadata table"
                found = "none" if size is None else f"{size:,} bytes for {stat.file_size or 0:,}"
                raise CorruptFileError(where, expected=expected, found=found)


def _sizes(files: FileList, partition: str) -> Mapping[str, int]:
    """Sizes of the files of a partition by name."""
    number = bisect_left(files.partitions, partition)
    rows = np.flatnonzero(files.partition_of == number)
    return files.select(rows).by_name().get(partition, {})
