"""Whether a timeline without instants is that of a new table: one whose folder is lost has its files still. Rule TABLE-1370."""

from __future__ import annotations

from typing import Final

from hudi_core.columns.strings import string_list
from hudi_core.errors import CorruptFileError
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.snapshot.snapshot import list_files
from hudi_core.timeline.timeline import Timeline, timeline_in

_SHORTEST: Final = 14
"""Digits of an instant; files of others may have a number in its place."""


def refuse_lost_timeline(timeline: Timeline) -> None:
    """Raises `CorruptFileError` where no write is known, and there are files of writes: none of their rows would come."""
    if timeline.files:
        return
    storage, files = timeline.storage, list_files(timeline.storage)
    first = next((row for row, name in enumerate(string_list(files.names)) if _is_of_write(name)), None)
    # A first write, since the timeline was listed, requests its instant before it writes a file.
    if first is not None and not timeline_in(storage, timeline.folder, timeline.layout).files:
        expected = "instants of the writes whose files the table has"
        found = f"none, beside {files.info(first).path}"
        raise CorruptFileError(f"{storage.uri}/{timeline.folder}", expected=expected, found=found)


def _is_of_write(name: str) -> bool:
    file = parse_base_file(name) or parse_log_file(name)
    return file is not None and len(file.instant) >= _SHORTEST
