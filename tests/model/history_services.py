"""What comes in a drawn history beside writes: changes of the schema, services, indexes, and what undoes writes."""

from __future__ import annotations

import pyarrow as pa

from hudi_core.cluster import operations as clusterings
from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.options import ClusterOptions
from hudi_core.front.table import Table
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.compaction import operations as compactions
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.timeline.instants import COMPACTION, LOG_COMPACTION
from hudi_core.timeline.services import is_planned_clustering
from hudi_core.writing.plan import FileSizes
from tests.model.history import SQL, WIDER, History
from tests.model.history_writes import Act, new_column


def evolve(history: History) -> Act:
    draw = history.random
    columns = dict(history.columns)
    ways = ["add", "add nested", "reorder"]
    if columns:
        ways += ["drop", "rename", "rename", "widen"]
    way = draw.choice(ways)
    if way == "add" or (way == "add nested" and not any(pa.types.is_struct(kind) for _, kind in columns.values())):
        added = new_column(history)
        ((name, (_, kind)),) = added.items()
        columns |= added
        text = f"ADD COLUMN {name} {SQL[kind]}" + draw.choice(["", " FIRST", " AFTER n"])
    elif way == "add nested":
        name = draw.choice([name for name, (_, kind) in columns.items() if pa.types.is_struct(kind)])
        number, kind = columns[name]
        history.number += 1
        columns[name] = number, pa.struct([*kind, pa.field(f"f{history.number}", pa.int32())])
        text = f"ADD COLUMN {name}.f{history.number} int"
    elif way == "reorder":
        text = f"MOVE COLUMN {draw.choice(['n', 'x', 's'])} {draw.choice(['FIRST', 'LAST', 'AFTER u'])}"
    elif way == "drop":
        name = draw.choice(list(columns))
        del columns[name]
        text = f"DROP COLUMN {name}"
    elif way == "rename":
        name = draw.choice(list(columns))
        history.number += 1
        to = f"c{history.number}"
        columns = {to if one == name else one: column for one, column in columns.items()}
        text = f"RENAME COLUMN {name} TO {to}"
    else:
        narrow = [name for name, (_, kind) in columns.items() if kind in WIDER]
        name = draw.choice(narrow or list(columns))
        number, kind = columns[name]
        sql, wider = WIDER.get(kind, (SQL.get(kind, "string"), kind))
        columns[name] = number, wider
        text = f"ALTER COLUMN {name} TYPE {sql}"
    return Act(f"evolve {text}", lambda table: table.evolve(text), None, columns)


# -- services

_NO_CHANGE = ("COMPACT", "LOG_COMPACT", "CLUSTER")
"""Operations of services, which leave the rows as they are."""


def serve(history: History) -> Act:
    properties = {
        "hoodie.compact.inline.max.delta.commits": "2", "hoodie.log.compaction.enable": "true",
        "hoodie.log.compaction.blocks.threshold": "2", "hoodie.clustering.async.enabled": "true",
        "hoodie.clustering.async.max.commits": "2", "hoodie.clean.commits.retained": "2", "hoodie.keep.min.commits": "3",
        "hoodie.keep.max.commits": "4",
    }  # fmt: skip

    def run(table: Table) -> None:
        history.cleaned = True
        table.run_services(properties=properties)

    return Act("run services", run)


def compact(history: History) -> Act:
    draw = history.random
    of_logs = draw.random() < 0.4
    options = CompactionOptions(of_logs=of_logs, min_log_blocks=2)
    way = draw.choice(["run", "plan", "plan"])
    if way == "plan":
        return Act(f"plan compaction {of_logs}", lambda table: compactions.plan_only(table, options))
    return Act(f"compact {of_logs}", lambda table: table.compact(options))


def run_plans(history: History) -> Act:
    """Runs a compaction or a clustering that waits, or cancels a clustering."""
    draw = history.random

    def run(table: Table) -> None:
        timeline = table.timeline
        for instant in timeline.pending:
            if instant.action in (COMPACTION, LOG_COMPACTION):
                compactions.run_requested(table, instant.requested_time)
            elif is_planned_clustering(timeline, instant):
                if draw.random() < 0.3:
                    clusterings.cancel(table, instant.requested_time, ClusterOptions())
                else:
                    clusterings.run_requested(table, instant.requested_time, ClusterOptions())

    return Act("run plans", run)


def cluster(history: History) -> Act:
    draw = history.random
    columns = draw.choice([(), ("n",), ("s", "n")])
    strategy = (
        draw.choice([Strategy.LINEAR, Strategy.ZORDER, Strategy.HILBERT]) if len(columns) > 1 else Strategy.LINEAR
    )
    where = draw.choice([None, None, "p = 'x'"])
    options = ClusterOptions(strategy, columns, sizes=FileSizes(target=1 << 20, small=1 << 19), where=where)
    if draw.random() < 0.4:
        return Act("plan clustering", lambda table: clusterings.plan_only(table, options))
    return Act(f"cluster {columns} {where}", lambda table: table.cluster(options))


def clean(history: History) -> Act:
    draw = history.random
    options = draw.choice(
        [
            CleanOptions(keep_commits=1),
            CleanOptions(keep_commits=4),
            CleanOptions(keep_versions=1, full=True),
            CleanOptions(keep_versions=2),
            CleanOptions(keep_hours=1),
        ]
    )

    def run(table: Table) -> None:
        history.cleaned = True
        table.clean(options)

    return Act(f"clean {options.keep_commits} {options.keep_versions} {options.keep_hours}", run)


def archive(history: History) -> Act:
    keep = history.random.choice([2, 4])
    properties = {"hoodie.clean.commits.retained": "1", "hoodie.compact.inline.trigger.strategy": "TIME_ELAPSED"}
    return Act(f"archive {keep}", lambda table: table.archive(keep_min=keep, properties=properties))


def save(history: History) -> Act:
    draw = history.random
    if draw.random() < 0.4:

        def drop(table: Table) -> None:
            for one in table.savepoints()[:1]:
                assert one.instant is not None
                table.drop_savepoint(one.instant)

        return Act("drop savepoint", drop)
    return Act("savepoint", lambda table: table.savepoint())


def restore(history: History) -> Act | None:
    table = history.open()
    known = {moment.instant: moment for moment in history.moments}
    active = [one.requested_time for one in table.timeline.commits if one.requested_time in known]
    saved = [one.instant for one in table.savepoints() if one.instant in known]
    if not active:
        return None
    if saved and history.random.random() < 0.6:
        to = history.random.choice(saved)
        moment = known[to]
        return Act(f"restore {to}", lambda table: table.restore(to), moment.state, moment.columns)
    to = history.random.choice(active[-4:])
    moment = known[to]
    return Act(f"restore to {to}", lambda table: table.restore(to=to), moment.state, moment.columns)


def roll_back(history: History) -> Act | None:
    commits = history.open().timeline.commits
    if not commits:
        return None
    last = commits[-1].requested_time
    numbers = [number for number, moment in enumerate(history.moments) if moment.instant == last]
    if not numbers or numbers[0] == 0:
        return None
    kept = history.open().timeline.metadata(commits[-1]).operation in _NO_CHANGE
    before = history.moments[numbers[0] if kept else numbers[0] - 1]
    return Act(f"rollback {last}", lambda table: table.rollback(last), before.state, before.columns)


def forget_undone(history: History) -> None:
    """Moments that a restore or a rollback undid are no more."""
    left = {one.requested_time for one in history.open().timeline.with_archived().commits}
    history.moments = [one for one in history.moments if one.instant in left or one.instant is None]


# -- indexes


def index(history: History) -> Act:
    draw = history.random
    there = [one.name for one in history.open().indexes()]
    if there and draw.random() < 0.35:
        name = draw.choice([*there, "files"])
        return Act(f"drop index {name}", lambda table: table.drop_index(name))
    what = draw.choice(
        ["files", "column_stats", "partition_stats", "bloom_filters", "record_index", "partitioned_record_index",
         "secondary_index", "secondary_index", "expression_index", "expression_index"]
    )  # fmt: skip
    if history.kind.buckets and what in ("record_index", "secondary_index"):
        what = "column_stats"  # a key may be in buckets of several partitions, and an index of the whole table has one
    options = IndexOptions(rebuild=draw.random() < 0.3)
    if what == "secondary_index":
        column = draw.choice(["s", "n", *history.columns])
        options = IndexOptions([column], name=f"by_{column}")
    elif what == "expression_index":
        options = draw.choice(
            [
                IndexOptions(["s"], name="low", function="lower"), IndexOptions(["x"], name="x"),
                IndexOptions(["n"], name="sieve", using="bloom_filters"), IndexOptions(["s"], name="length", function="length"),
            ]
        )  # fmt: skip
    elif what == "column_stats" and draw.random() < 0.3:
        options = IndexOptions(["n", "s"])
    if what in ("record_index",) and len({key for _, key in history.state}) < len(history.state):
        what = "column_stats"
        options = IndexOptions()
    return Act(
        f"index {what} {options.columns} {options.name} {options.rebuild}",
        lambda table: table.index(what, options=options),
    )
