"""Pruning in shares: the tasks by which other machines prune some of a table's slices, and the plan made of all answers.

Statistics of a slice do not depend on other slices, so a share is pruned as the whole is. A machine reads the
statistics of its share's files and no others. Rule SOURCE-20.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hudi_core.arrays import Numbers
from hudi_core.expr.predicate import columns_of
from hudi_core.metadata.file_keys import hash_keys
from hudi_core.metadata.kinds import has_statistics
from hudi_core.metadata.table import COLUMN_STATS, MetadataTable
from hudi_core.planning.plan import READ, Reasons, ScanPlan, Step
from hudi_core.planning.prune import Conjunct, prune
from hudi_core.planning.sources.commits import CommitTimes
from hudi_core.planning.sources.planner import PredicatePlanner
from hudi_core.planning.sources.sources import Sources
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.slices import NO_BASE, Slices


@dataclass(frozen=True, slots=True)
class PrunedShare:
    """The result of a share: the codes and the steps of the plan of its slices, and errors."""

    codes: npt.NDArray[np.int8]
    steps: tuple[Step, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class RemotePruning:
    """One predicate to be put to shares of a snapshot's slices; it can be pickled. It has no slices itself.

    Indexes that find slices by values take no part: whether they can be trusted shows only with all slices together.
    """

    snapshot: Snapshot
    metadata: MetadataTable | None
    commits: CommitTimes | None
    conjuncts: tuple[Conjunct, ...]
    case_sensitive: bool

    def prune(self, share: Slices) -> PrunedShare:
        """The result for these slices. Reads the metadata table, and footers, as planning of the whole does."""
        metadata = None if self.metadata is None else self.metadata.of_files(_keys_of_files(share))
        snapshot = self.snapshot.of_slices(share, metadata)
        asking = PredicatePlanner(
            Sources(snapshot, self.commits, by_indexes=False), self.conjuncts, self.case_sensitive
        )
        plan = prune(share, asking.conjuncts, asking.sources)
        return PrunedShare(plan.codes, plan.steps, tuple(snapshot.warnings))


def pruning(sources: Sources, conjuncts: Sequence[Conjunct], *, case_sensitive: bool = False) -> RemotePruning:
    """The task of pruning shares of the snapshot's slices by a predicate. Lists the files of the metadata table."""
    snapshot, metadata = sources.snapshot.without_slices(), sources.snapshot.metadata
    if metadata is None:
        snapshot = replace(snapshot, mode=MetadataMode.OFF)
    return RemotePruning(snapshot, metadata, sources.commits, tuple(conjuncts), case_sensitive)


def records_to_read(sources: Sources, conjuncts: Sequence[Conjunct]) -> int:
    """How many records of `column_stats` the predicate makes whoever plans read: one for each file and column, but for
    partition columns, whose values are in paths."""
    columns = {column for conjunct in conjuncts for column in columns_of(conjunct.predicate)} - sources.values.keys()
    if not columns or sources.snapshot.usable(COLUMN_STATS) is None:
        return 0
    return len(sources.recorded.files) * len(columns)


def shares(slices: Slices, count: int) -> list[Numbers]:
    """The numbers of the slices in at most `count` shares of about as many. The records of a share's base files lie together
    in the metadata table, which is sorted by partition and name; so few blocks of it are read more than once."""
    firsts, logs_alone = slices.bases.copy(), np.flatnonzero(slices.bases == NO_BASE)
    firsts[logs_alone] = slices.logs[slices.log_offsets[logs_alone]]
    files = slices.files
    keys = hash_keys(files, firsts)
    return [share for share in np.array_split(np.argsort(keys, kind="stable"), max(count, 1)) if len(share)]


def _keys_of_files(slices: Slices) -> npt.NDArray[np.bytes_]:
    return hash_keys(slices.files, np.concatenate([slices.bases[slices.bases != NO_BASE], slices.logs]))


def join_plans(
    slices: Slices, cut: Sequence[Numbers], pruned: Sequence[PrunedShare], why: Callable[[], Reasons], note: str
) -> ScanPlan:
    """The plan of all slices from those of their shares. `why` finds reasons; `note` describes how `column_stats` was read."""
    codes = np.full(len(slices), READ, np.int8)
    for rows, share in zip(cut, pruned, strict=True):
        codes[rows] = share.codes
    steps = [_of_all(together, note) for together in _by_source([share.steps for share in pruned])]
    warnings = dict.fromkeys(warning for share in pruned for warning in share.warnings)
    return ScanPlan(slices, codes, tuple(steps), why, tuple(warnings))


def _by_source(steps_of_shares: Sequence[Sequence[Step]]) -> list[list[Step]]:
    """The steps of each source, in the order of the share that consulted most of them: one without log files consults fewer."""
    together: dict[str, list[Step]] = {step.source: [] for step in max(steps_of_shares, key=len, default=())}
    for step in (step for steps in steps_of_shares for step in steps):
        together.setdefault(step.source, []).append(step)
    return list(together.values())


def _of_all(steps: Sequence[Step], note: str) -> Step:
    """A step as all shares took it, side by side. What they note of it differs where it has numbers of slices."""
    notes = dict.fromkeys(step.note for step in steps)
    remarks = [next(iter(notes))] if len(notes) == 1 else []
    if has_statistics([steps[0].source]):
        remarks.append(note)
    return Step(
        steps[0].source,
        sum(step.before for step in steps),
        sum(step.removed for step in steps),
        max(step.seconds for step in steps),
        "; ".join(filter(None, remarks)),
    )
