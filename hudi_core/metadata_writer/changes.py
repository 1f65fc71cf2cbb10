"""The delta commit that a commit of the table makes in the metadata table. Rules META-51 to META-55, META-530, META-531."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from hudi_core.commit.steps import Step
from hudi_core.metadata.kinds import get_known_kind
from hudi_core.metadata_rows.committed_change import CommittedChange
from hudi_core.metadata_rows.rows_of_change import is_kept, make_rows, make_rows_of_whole_partitions
from hudi_core.metadata_writer.delta_commit import delta_commit_steps, refuse_unkept


@dataclass(frozen=True, slots=True)
class Overlap:
    """Writes that overlap a commit. Log files apply in the order in which their writes were requested, whichever completed first;
    records of whole partitions have to be right in that order, too. Rules META-530, META-531."""

    earlier: bool = False
    """Writes that were requested before this one are not complete."""
    again: tuple[str, str] | None = None
    """Writes that were requested after this one are complete: requested and completion time of a second delta commit, after all
    of theirs."""


NO_OVERLAP: Final = Overlap()


def delta_commit(
    commit: CommittedChange, completion_time: str, building: Collection[str] = (), again: tuple[str, str] | None = None
) -> list[Step]:
    """The steps that bring the metadata table up to date with a commit of the table, its completed instant last; where writes
    that began later are complete, a second delta commit with the records of whole partitions after it.

    `building` are the partitions under construction; `again` is as in `Overlap`. Raises `UnsupportedError` when the metadata
    table has a partition that a commit does not keep up to date, `UsageError` for a record key that the change adds twice.
    """
    metadata, noted = commit.metadata, commit.noted
    refuse_unkept(metadata, lambda name: is_kept(name) and (name in noted or not get_known_kind(name).notes_files))
    steps = delta_commit_steps(metadata, commit.instant_time, completion_time, make_rows(commit), building)
    if again is not None:
        # It counts before the commit of the table does: what the commit takes away is still there then.
        rows = make_rows_of_whole_partitions(replace(commit, tight=False))
        steps += delta_commit_steps(metadata, *again, rows, repeats=commit.instant_time)
    return steps
