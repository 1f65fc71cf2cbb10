"""The result of a compaction, as users get it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from hudi_core.commit.compaction_plans import CompactionOperation, CompactionPlan
from hudi_core.notebook import show_briefly
from hudi_core.services.bounds import PutOff
from hudi_core.services.compaction.options import CompactionOptions

PUT_OFF = "put off"
COMPACTION_KIND, LOG_COMPACTION_KIND = "compaction", "log compaction"


@show_briefly
@dataclass(frozen=True, slots=True)
class CompactionResult:
    """The result of a compaction. `state` is `completed` for a plan that ran, `requested` for one that waits, `planned` for one
    that was only shown, `given up` for a log compaction that a compaction overtook, and `put off` where memory may not be
    enough. Otherwise it is `nothing to compact` or `not due`, and `instant` is None.

    `slices_dropped` counts slices of the plan whose file group was replaced since, or got another base file: they stay as they
    are. `operations` are the slices of a plan that did not run.
    """

    instant: str | None
    state: str
    kind: str
    strategy: str | None
    """The strategy of a plan that was made now."""
    slices: int = 0
    slices_dropped: int = 0
    log_files: int = 0
    rows: int = 0
    updated: int = 0
    inserted: int = 0
    deleted: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    seconds: float = 0.0
    partitions_left_out: tuple[str, ...] = ()
    slices_put_off: int = 0
    """Slices that bounds of bytes or memory leave for the next compaction."""
    bytes_put_off: int = 0
    memory_needed: int = 0
    """Bytes of memory that would do for the slices that lack it; 0 where none does."""
    operations: tuple[CompactionOperation, ...] = ()

    def with_put_off(self, put_off: PutOff) -> CompactionResult:
        """The result with what bounds put off."""
        return replace(self, slices_put_off=put_off.pieces, bytes_put_off=put_off.bytes, memory_needed=put_off.memory)

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return {
            **asdict(self),
            "partitions_left_out": list(self.partitions_left_out),
            "operations": [operation.as_dict() for operation in self.operations],
        }


def nothing_done(options: CompactionOptions, state: str = "nothing to compact") -> CompactionResult:
    """The result where no plan was made."""
    return CompactionResult(None, state, kind_of(of_logs=options.of_logs), options.strategy)


def plan_result(plan: CompactionPlan, options: CompactionOptions, instant: str | None, state: str) -> CompactionResult:
    """The result where a plan was made, and did not run."""
    return CompactionResult(
        instant,
        state,
        kind_of(of_logs=plan.of_logs),
        options.strategy,
        slices=len(plan.operations),
        log_files=sum(len(one.logs) for one in plan.operations),
        partitions_left_out=plan.left_out or (),
        operations=plan.operations,
    )


def kind_of(*, of_logs: bool) -> str:
    """What a plan is called."""
    return LOG_COMPACTION_KIND if of_logs else COMPACTION_KIND
