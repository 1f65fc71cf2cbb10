"""Mending: indexes are built again, leftovers removed. Nothing else is touched. Rules VALID-19, VALID-20."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hudi_core.commit.lock import table_lock
from hudi_core.commit.markers import MARKERS
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import UnsupportedError
from hudi_core.indexing.changes import is_kept
from hudi_core.metadata.table import FILES
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.validation.findings import Finding
from hudi_core.writing.index_build import build_metadata_table


@dataclass(frozen=True, slots=True)
class Mended:
    """What was mended: paths that were removed, partitions of the metadata table that were built anew; and the table after it."""

    removed: tuple[str, ...]
    rebuilt: tuple[str, ...]
    table: Table


def mend(table: Table, findings: Iterable[Finding], clock: Clock = system_clock) -> Mended:
    """Mends what is only an index, or a leftover of a write that is over; findings of other kinds stay.

    The metadata table is built again as a whole, with the partitions that it has. Raises `UnsupportedError` where it cannot be,
    as `index_build.build_metadata_table` does: the table goes on with what it has. Leftovers are removed first.
    """
    listed = list(findings)
    removed = _removed(
        table, dict.fromkeys(finding.mending.removes for finding in listed if finding.mending.removes), clock
    )
    latest = refreshed(table)
    if not any(finding.mending.rebuilds for finding in listed):
        return Mended(removed, (), latest)
    partitions = sorted(latest.config.metadata_partitions)
    strange = [name for name in partitions if not is_kept(name)]
    if strange:
        expected = "a metadata table of indexes that can be built here"
        raise UnsupportedError(latest.storage.uri, expected=expected, found=", ".join(strange))
    built = build_metadata_table(latest, [name for name in partitions if name != FILES], clock=clock)
    return Mended(removed, tuple(partitions), built)


def _removed(table: Table, paths: Iterable[str], clock: Clock) -> tuple[str, ...]:
    """Removes leftovers of writes that are still over when others are locked out."""
    wanted = list(paths)
    if not wanted:
        return ()
    with table_lock(table.storage, clock=clock):
        pending = {instant.requested_time for instant in refreshed(table).timeline.pending}
        over = [path for path in wanted if path.rpartition("/")[2] not in pending]
        for path in over:
            if path.startswith(f"{MARKERS}/"):
                table.storage.delete_folder(path)
            else:
                table.storage.delete(path)
    return tuple(over)
