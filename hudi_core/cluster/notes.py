"""The note in the commit of a clustering by this library: how it ordered rows. Rule CLUSTER-37."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from hudi_core.cluster.layout import Strategy
from hudi_core.json_texts import parse_json
from hudi_core.table.table import Table
from hudi_core.timeline.instants import REPLACE_COMMIT
from hudi_core.timeline.services import FileGroup

NOTE: Final = "hudi_core.clustering"
"""The key in the commit's `extraMetadata`."""


def note(strategy: Strategy, columns: Sequence[str]) -> str:
    """The text of the note."""
    return json.dumps(_content(strategy, columns))


def find_laid_out(table: Table, strategy: Strategy, columns: Sequence[str]) -> frozenset[FileGroup]:
    """The file groups that a clustering with this strategy and these columns wrote, unchanged since."""
    wanted = _content(strategy, columns)
    times = {
        instant.requested_time
        for instant in table.timeline.commits
        if instant.completes_as == REPLACE_COMMIT
        and _parse_note(table.timeline.metadata(instant).extra.get(NOTE, "")) == wanted
    }
    return frozenset(
        (file_slice.partition, file_slice.file_id)
        for file_slice in table.slices()
        if file_slice.instant in times and not file_slice.logs
    )


def _content(strategy: Strategy, columns: Sequence[str]) -> dict[str, Any]:
    return {"strategy": strategy.value, "columns": list(columns)}


def _parse_note(text: str) -> object:
    """The note as JSON; None for a text of another writer."""
    try:
        return parse_json(text)
    except ValueError:
        return None
