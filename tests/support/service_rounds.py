"""Rounds of writes and services on one table, by this library and by Apache Hudi in turn, in an order that a seed draws.

After each step both read the rows that the model has, and `validate` finds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import strftime
from typing import Any, Final

from hudi_core.cluster import operations as clusterings
from hudi_core.cluster.options import ClusterOptions
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.services.cleaning import operations as cleans
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.compaction import operations as compactions
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.table.open import refreshed
from hudi_core.timeline.instants import RESTORE, WRITES
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from tests.support.rounds import Rounds, Row, by_name, differences, without_meta

_OURS: Final = (
    "upsert", "upsert", "insert", "delete", "update", "overwrite_partitions", "delete_partition", "cluster", "clean", "archive",
    "savepoint_restore", "restore", "rollback", "toggle_index", "run_their_clean", "run_their_clustering",
)  # fmt: skip
_OURS_OF_LOGS: Final = ("compact", "compact_logs", "run_their_compaction", "run_their_log_compaction")
_THEIRS: Final = (
    "upsert", "upsert", "insert", "delete", "bulk_insert", "insert_overwrite", "delete_partition", "cluster", "clean", "archive",
    "savepoint_restore", "rollback", "toggle_index", "run_our_clean", "run_our_clustering",
)  # fmt: skip
_THEIRS_OF_LOGS: Final = ("compact", "compact_logs", "run_our_compaction", "run_our_log_compaction")
_LOG_COMPACTION: Final = CompactionOptions(of_logs=True, min_log_blocks=2)
_KEEP: Final = {"hoodie.clean.commits.retained": "1", "hoodie.compact.inline.trigger.strategy": "TIME_ELAPSED"}
"""Under these an archive passes all that it may."""
_BY_CONTENT: Final = {
    "record_index": {"kind": "record"},
    "bloom_filters": {"kind": "bloom"},
    "secondary_index_by_s": {"kind": "secondary", "column": "s", "name": "by_s"},
    "expr_index_low": {"kind": "expression", "column": "s", "expr": "lower", "name": "low"},
}
"""Indexes that come and go, by name, and how the judge names them."""
_BUILT: Final = {
    "record_index": ("record_index", IndexOptions()),
    "bloom_filters": ("bloom_filters", IndexOptions()),
    "secondary_index_by_s": ("secondary_index", IndexOptions(["s"], name="by_s")),
    "expr_index_low": ("expression_index", IndexOptions(["s"], name="low", function="lower")),
}
_FEW: Final = 5
_SINCE_8: Final = ("secondary_index_by_s", "expr_index_low")


@dataclass
class ServiceRounds(Rounds):
    """The operations of both are drawn as cards are: each comes once before one comes again."""

    trace: list[str] = field(default_factory=list)
    """What was done, in order."""

    def run(self, rounds: int, first: int = 0) -> None:
        """Raises AssertionError, with the way there, where the two do not read what the model has."""
        of_logs = self.case.kind == "mor"
        ours = self._deck([*_OURS, *(_OURS_OF_LOGS if of_logs else ())], rounds)
        theirs = self._deck([*_THEIRS, *(_THEIRS_OF_LOGS if of_logs else ())], rounds)
        try:
            self.write("insert")
            for one, other in zip(ours, theirs, strict=True):
                self._refill()
                self._step("ours", one)
                self.write(one)
                self._refill()
                self._step("theirs", other)
                self.go_on(other)
            self.verify()
        except Exception as problem:
            problem.add_note(" ".join(self.trace))
            raise

    def write(self, operation: str) -> None:
        super().write(operation)
        self._validate(f"{operation} of ours")

    def verify(self) -> None:
        """Where Apache Hudi cleaned under an expression index, it has put file groups of that into `column_stats`, and looks for
        keys in the wrong ones: the index is built again first."""
        if any((self.folder / "t/.hoodie/metadata/column_stats").glob("*expr-index-*")):
            self._step("ours", "rebuild")
            self.table = refreshed(self.table)
            self.table.index("column_stats", options=IndexOptions(rebuild=True))
        super().verify()

    def go_on(self, operation: str) -> None:
        steps = getattr(self, f"_their_{operation}", lambda: [operation])()
        before = by_name(self._rows(refreshed(self.table)))
        answer = self.judge.ask(
            "continue", self.path, ops=steps, rows=6, seed=self.random.randrange(1 << 30), options=self._options(),
            out=str(self.folder / "theirs"), stop_at_error=True,
        )  # fmt: skip
        assert answer["ok"], f"{operation}: {self.judge.explain(answer)}"
        last = steps[-1] if isinstance(steps[-1], str) else steps[-1]["op"]
        stated = self._stated(f"theirs/{len(steps) - 1:02d}_{last}.jsonl")
        ours = self._whole_rows(refreshed(self.table))
        assert not differences(ours, stated), f"ours after {operation} of theirs"
        if operation.startswith("run_our"):
            assert not differences(map(without_meta, ours), before), f"after {operation}"
        self._validate(f"{operation} of theirs")

    def _refill(self) -> None:
        """Operations derive rows from those that are there."""
        if refreshed(self.table).scan().count() < _FEW:
            self._step("ours", "refill")
            self.write("insert")

    def _deck(self, operations: Sequence[str], rounds: int) -> list[str]:
        drawn: list[str] = []
        while len(drawn) < rounds:
            drawn += self.random.sample(operations, len(operations))
        return drawn[:rounds]

    def _step(self, whose: str, operation: str) -> None:
        self.trace.append(f"{whose}:{operation}")
        print(strftime("%H:%M:%S"), len(self.trace), self.trace[-2:], flush=True)  # a long run is watched with `-s`

    def _validate(self, step: str) -> None:
        findings = list(validate(self.table))
        # A restore of Apache Hudi drops indexes that it does not build again, and leaves their definitions.
        forgotten = [one for one in findings if one.mending.forgets and step.endswith("theirs")]
        if forgotten:
            self._note(f"forgets {', '.join(mend(self.table, forgotten).forgotten)}")
            findings = list(validate(self.table))
        assert list(map(str, findings)) == [], f"after {step}"

    def _options(self) -> dict[str, str]:
        return {
            "hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(self.case.version), **self.case.theirs
        }  # fmt: skip

    def _plan_of_theirs(self, what: str) -> str | None:
        """The requested time of a plan that Apache Hudi makes; None where it has nothing to plan."""
        answer = self.judge.ask("plan", self.path, what=what, options=self._options())
        assert "error" not in answer, self.judge.explain(answer)
        self.table = refreshed(self.table)
        return max(answer["plans"], default=None)

    # -- ours: each gives the rows that it must leave

    def _delete_partition(self, before: dict[str, Row]) -> dict[str, Row]:
        path = self.random.choice(sorted({row["p"] for row in before.values()}))
        self.table.delete_partitions([path])
        return {name: row for name, row in before.items() if row["p"] != path}

    def _compact(self, before: dict[str, Row]) -> dict[str, Row]:
        self._note(self.table.compact().state)
        return before

    def _compact_logs(self, before: dict[str, Row]) -> dict[str, Row]:
        after = self._grow_logs(before)
        self._note(self.table.compact(_LOG_COMPACTION).state)
        return after

    def _grow_logs(self, before: dict[str, Row]) -> dict[str, Row]:
        """Two updates of the same rows: each appends a block to the logs of their slices, which a log compaction joins."""
        chosen = self._choose(before, 4)
        for number in (-8, -9):
            self.table.update({"n": number}, where=self._one_of(chosen))
            self.table = refreshed(self.table)
        names = {self._name(row) for row in chosen}
        return {name: row | ({"n": -9} if name in names else {}) for name, row in before.items()}

    def _cluster(self, before: dict[str, Row]) -> dict[str, Row]:
        self._note(self.table.cluster(columns=[self.random.choice(["n", "s", "day"])]).state)
        return before

    def _clean(self, before: dict[str, Row]) -> dict[str, Row]:
        options = self.random.choice([CleanOptions(keep_commits=1), CleanOptions(keep_versions=1, full=True)])
        self._note(f"{self.table.clean(options).files}")
        return before

    def _archive(self, before: dict[str, Row]) -> dict[str, Row]:
        self._note(f"{self.table.archive(keep_min=2, properties=_KEEP).instants}")
        return before

    def _savepoint_restore(self, before: dict[str, Row]) -> dict[str, Row]:
        saved = self.table.savepoint().instant
        self._change_and_serve(before)
        self.table.restore(saved)
        self.table.drop_savepoint(saved)
        return before

    def _restore(self, before: dict[str, Row]) -> dict[str, Row]:
        latest = self.table.timeline.commits[-1].requested_time
        self._change_and_serve(before)
        self.table.restore(to=latest)
        return before

    def _change_and_serve(self, before: dict[str, Row]) -> None:
        """A write and services after it, which a restore undoes."""
        self._upsert(before)
        self.table = refreshed(self.table)
        if self.case.kind == "mor":
            self.table.compact()
        self.table = refreshed(self.table)
        self._delete({name: before[name] for name in sorted(before)[:5]})
        self.table = refreshed(self.table)

    def _rollback(self, before: dict[str, Row]) -> dict[str, Row]:
        self._upsert(before)
        self.table = refreshed(self.table)
        self.table.rollback(self.table.timeline.commits[-1].requested_time)
        return before

    def _toggle_index(self, before: dict[str, Row]) -> dict[str, Row]:
        name = self._drawn_index()
        self._note(name)
        if name in self._index_names():
            self.table.drop_index(name)
        else:
            kind, options = _BUILT[name]
            self.table.index(kind, options=options)
        return before

    def _run_their_clean(self, before: dict[str, Row]) -> dict[str, Row]:
        planned = self._plan_of_theirs("clean")
        self._note(planned)
        if planned is not None:
            cleans.run_requested(self.table, planned)
        return before

    def _run_their_clustering(self, before: dict[str, Row]) -> dict[str, Row]:
        planned = self._plan_of_theirs("clustering")
        self._note(planned)
        if planned is not None:
            clusterings.run_requested(self.table, planned, ClusterOptions())
        return before

    def _run_their_compaction(self, before: dict[str, Row]) -> dict[str, Row]:
        return self._run_compaction_of_theirs(before, "compaction")

    def _run_their_log_compaction(self, before: dict[str, Row]) -> dict[str, Row]:
        return self._run_compaction_of_theirs(self._grow_logs(before), "logcompaction")

    def _run_compaction_of_theirs(self, before: dict[str, Row], what: str) -> dict[str, Row]:
        planned = self._plan_of_theirs(what)
        self._note(planned)
        if planned is None:
            return before
        after = self._upsert(before) if self.case.version > 6 else before  # a writer goes on beside the plan
        self.table = refreshed(self.table)
        compactions.run_requested(self.table, planned)
        return after

    # -- theirs: the steps that the judge is asked for

    def _their_compact_logs(self) -> list[Any]:
        """Logs of updates alone. Where a key moved to another partition, the log that it left has a delete of it, and a log
        compaction of Apache Hudi removes that key from the record index."""
        return ["compact", "upsert", "upsert", "logcompact"]

    def _their_bulk_insert(self) -> list[Any]:
        """A bulk insert of Apache Hudi leaves its rows out of secondary indexes."""
        return ["insert" if self._has_secondary_index() else "bulk_insert"]

    def _their_insert_overwrite(self) -> list[Any]:
        return ["insert_overwrite" if self._files_can_be_replaced() else "upsert"]

    def _their_delete_partition(self) -> list[Any]:
        return ["insert", "delete_partition", "insert"] if self._files_can_be_replaced() else ["insert"]

    def _files_can_be_replaced(self) -> bool:
        """Apache Hudi refuses to overwrite or to drop partitions under a secondary index."""
        return bool(self.case.partition_by) and not self._has_secondary_index()

    def _has_secondary_index(self) -> bool:
        return "secondary_index_by_s" in self._index_names()

    def _their_toggle_index(self) -> list[Any]:
        name = self._drawn_index()
        self._note(name)
        if name in self._index_names():
            return [{"op": "index_drop", **_BY_CONTENT[name]}]
        return [{"op": "index_create", **_BY_CONTENT[name]}]

    def _their_savepoint_restore(self) -> list[Any]:
        """A savepoint, two writes and a restore. Apache Hudi restores the metadata table to the write that it saves: where that
        is older than the metadata table, which a restore of ours built anew, it stops half done. So another write comes first."""
        instants = refreshed(self.table).timeline.completed
        restored = max((one.requested_time for one in instants if one.action == RESTORE), default="")
        written = max(one.requested_time for one in instants if one.action in WRITES)
        return [*(["upsert"] if restored > written else []), "savepoint_restore"]

    def _their_run_our_clean(self) -> list[Any]:
        planned = cleans.schedule(refreshed(self.table), CleanOptions(keep_commits=1))
        self._note(planned and planned.requested_time)
        return ["clean"]

    def _their_run_our_clustering(self) -> list[Any]:
        planned = clusterings.plan_only(refreshed(self.table), ClusterOptions(columns=("n",))).instant
        return self._run_by_theirs("cluster_run", planned)

    def _their_run_our_compaction(self) -> list[Any]:
        return self._run_by_theirs("compact_run", compactions.plan_only(refreshed(self.table)).instant)

    def _their_run_our_log_compaction(self) -> list[Any]:
        refreshed(self.table).compact()  # as `_their_compact_logs` has it
        self.table = refreshed(self.table)
        self._grow_logs({self._name(row): row for row in self._rows(self.table)})
        planned = compactions.plan_only(self.table, _LOG_COMPACTION).instant
        return self._run_by_theirs("logcompact_run", planned)

    def _run_by_theirs(self, operation: str, planned: str | None) -> list[Any]:
        self._note(planned)
        return [{"op": operation, "instant": planned}] if planned else ["clean"]

    def _rows_can_move(self) -> bool:
        return "record_index" in self._index_names()

    def _drawn_index(self) -> str:
        return self.random.choice([name for name in _BUILT if self.case.version > 6 or name not in _SINCE_8])

    def _index_names(self) -> set[str]:
        return {index.name for index in refreshed(self.table).indexes()}  # type: ignore[attr-defined]

    def _note(self, result: object) -> None:
        self.trace[-1] += f"({result})"
