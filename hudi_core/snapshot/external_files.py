"""Files of other writers that were registered where they are: their names in metadata have a suffix. Rule TABLE-741."""

from __future__ import annotations

from typing import Final

import numpy as np

from hudi_core.columns.spans import windows
from hudi_core.errors import UnsupportedError
from hudi_core.timeline.files import FileList
from hudi_core.timeline.timeline import Timeline

SUFFIX: Final = "_hudiext"
"""What follows the name of such a file, and the instant that registered it."""


def refuse_external(files: FileList, timeline: Timeline, where: str, *, listed: bool) -> None:
    """Raises `UnsupportedError` where the files of a table are of other writers, which a listing of folders does not show: their
    rows would be left out. `listed`: the files are those of folders, and the latest commit is looked at."""
    external = _first_external(files)
    if external is None and listed and timeline.commits:
        stats = timeline.metadata(timeline.commits[-1]).stats.values()
        external = next(
            (stat.path for of_partition in stats for stat in of_partition if stat.path.endswith(SUFFIX)), None
        )
    if external is not None:
        raise UnsupportedError(
            where, expected="files that Apache Hudi's writers made", found=f"the registered file {external}"
        )


def _first_external(files: FileList) -> str | None:
    """The first name with the suffix."""
    offsets, size = files.names.offsets, len(SUFFIX)
    rows = np.flatnonzero(np.diff(offsets) > size)
    if not len(rows):
        return None
    tails = windows(files.names.data, offsets[1:][rows] - size, size)
    matching = rows[(tails == np.frombuffer(SUFFIX.encode(), np.uint8)).all(1)]
    return files.name(int(matching[0])) if len(matching) else None
