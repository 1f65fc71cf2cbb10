"""What writes do in a drawn history.

An act has what is run, and the rows and columns after it. A writer that dies may run it: then all of it is there or nothing.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hudi_core.errors import ConflictError, SchemaError, UnsupportedError, UsageError
from hudi_core.expr.build import col
from hudi_core.front.table import Table
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.plan import FileSizes
from hudi_core.writing.spread.operations import spread_write
from tests.model.history import CONDITIONS, VALUES, WIDER, Columns, History, rows_of, unmarked
from tests.model.history_kinds import Row, State, marker_column, reduced
from tests.support.crashes import Death, MortalStorage
from tests.support.local_flow import local_rows
from tests.support.log_formats import log_format

REFUSALS = (UnsupportedError, UsageError, ConflictError, SchemaError)
LATER = datetime.timedelta(minutes=11)
"""When a dead writer's heartbeat and lock are no sign of life any more."""


@dataclass
class Act:
    """What is run, and what the table is after it. Of the doubtful keys the rows may be there or not."""

    name: str
    run: Callable[[Table], Any]
    state: State | None = None
    columns: Columns | None = None
    doubtful: State = field(default_factory=dict)
    loose: dict[tuple[str, str], tuple[Any, ...]] = field(default_factory=dict)


def perform(history: History, act: Act, *, dies_at: int | None = None) -> Any:
    """Runs an act, and takes its rows over. One that is refused changes nothing."""
    history.trace.append(act.name if dies_at is None else f"{act.name}, dies at {dies_at}")
    table: Table = history.open()
    result = None
    with history.clock(), log_format(history.kind.logs), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dies_at is not None:
            storage = MortalStorage(str(history.path), dies_at, after=history.random.random() < 0.5)
            table = Table(table.engine, storage, table.config, table.timeline)
        try:
            result = act.run(table)
        except REFUSALS as problem:
            history.refusals[f"{act.name.partition(' ')[0]}: {type(problem).__name__} {shortened(str(problem))}"] += 1
            history.trace.append(f"    refused: {problem}")
            return None
        except Death:
            history.ahead += LATER
            if not is_done(history, act):
                return None
    if act.state is not None:
        history.state = act.state
    if act.columns is not None:
        history.columns = act.columns
    history.loose |= act.loose
    settle(history, act.doubtful)
    return result


def shortened(problem: str) -> str:
    return problem.rpartition("expected")[2][:110] or problem[-110:]


def is_done(history: History, act: Act) -> bool:
    """Whether a writer that died had committed: the rows are those after its act."""
    before, columns = history.state, history.columns
    names = [*history.schema().names]
    state = act.state if act.state is not None else before
    if act.columns is not None:
        table = history.open()
        return set(act.columns) <= set(table.schema.names) and set(columns) - set(act.columns) <= set(columns) - set(
            table.schema.names
        )
    found = sorted(map(repr, (sorted(row.items()) for row in rows_of(history.open().scan(columns=names)))))
    wanted = sorted(repr(sorted(history.by_name(row).items())) for row in state.values())
    return found == wanted


def settle(history: History, doubtful: State) -> None:
    """Takes over which of the doubtful rows are there."""
    if not doubtful:
        return
    there = {history.kind.place(row) for row in rows_of(history.open().scan())}
    for place, row in doubtful.items():
        if place in there:
            history.state = {**history.state, place: row}


# -- writes


def options_of(history: History, *, changes: bool = True, partial: bool = False, **more: Any) -> WriteOptions:
    draw = history.random
    named: dict[str, Any] = {}
    if draw.random() < 0.5:
        named["sizes"] = FileSizes(small=0)
    if changes and history.kind.type == "mor" and draw.random() < 0.2:
        named["record_positions"] = False
    if changes and draw.random() < 0.3:
        named["cancels_plans"] = True
    if partial and history.kind.type == "mor" and draw.random() < 0.5:
        named["partial_updates"] = True
    properties: dict[str, str] = {}
    if draw.random() < 0.15:
        properties["hoodie.write.concurrency.early.conflict.detection.enable"] = "true"
    if draw.random() < 0.1:
        properties["hoodie.clean.automatic"] = "true"
        history.cleaned = True
        properties["hoodie.clean.commits.retained"] = "3"
    return WriteOptions(**named | {"properties": properties} | more)


def drawn_rows(history: History, most: int = 5) -> list[Row]:
    rows = [history.row() for _ in range(history.random.randint(1, most))]
    return [*rows, *(history.new_row() for _ in range(history.random.randint(0, 2)))]


def upserted(
    history: History, rows: list[Row], kept: frozenset[str] = frozenset(), *, moves: bool = True
) -> tuple[State, State, dict[Any, Any]]:
    """The state after an upsert, doubtful rows, and markers that it leaves. Of the columns in `kept` stored values stay."""
    kind, state, of_table = history.kind, dict(history.state), history.is_global
    by_key = {key: (path, key) for path, key in state} if of_table else {}
    doubtful: State = {}
    loose: dict[Any, Any] = {}
    for place, given in reduced(kind, map(history.by_id, rows), of_table=of_table).items():
        stored = by_key.get(place[1]) if of_table else place
        old = state.get(stored) if stored is not None else None
        mark = ("", place[1]) if of_table else place
        if old is None:
            limit = history.loose.get(mark)
            if kind.is_marker(given):
                loose[mark] = max(kind.order(given), limit or kind.order(given))
            elif limit is not None and kind.order(given) <= limit:
                doubtful[kind.place(given)] = given
            else:
                state[kind.place(given)] = given
            continue
        new = given | {number: old.get(number) for number in kept}
        if not moves:
            new |= {name: old[name] for name in kind.partition_columns}
        result = kind.merged(old, new)
        del state[stored]
        if kind.is_marker(result):
            loose[mark] = kind.order(result)
        else:
            state[kind.place(result)] = result
    return state, doubtful, loose


def upsert(history: History) -> Act:
    draw, rows = history.random, drawn_rows(history)
    named: dict[str, Any] = {}
    if history.kind.buckets == "" and draw.random() < 0.2 and not history.is_global:
        named["index"] = draw.choice(["bloom", "simple"])
    moves = True
    if history.is_global and "at" not in history.kind.partition_columns and draw.random() < 0.3:
        moves = False
        named["properties"] = {"hoodie.record.index.update.partition.path": "false"}
    state, doubtful, loose = upserted(history, rows, moves=moves)
    options, batch = options_of(history, **named), history.batch(rows)
    if draw.random() < 0.15:
        return Act(
            f"upsert (spread) {rows} {options}",
            lambda table: spread_write(table, local_rows(table.engine, [batch]), options=options),
            state,
            None,
            doubtful,
            loose,
        )
    return Act(
        f"upsert {rows} {options}", lambda table: table.write(batch, "upsert", options), state, None, doubtful, loose
    )


def upsert_few_columns(history: History) -> Act:
    draw, kind = history.random, history.kind
    needed = {*kind.key, *kind.partition_columns, *kind.ordering}
    free = [name for name in history.schema().names if name not in needed]
    lacking = draw.sample(free, draw.randint(1, len(free) - 1))
    columns = [name for name in history.schema().names if name not in lacking]
    how = draw.choice(["null", "keep"])
    rows = []
    seen = set()
    for row in map(unmarked, drawn_rows(history)):
        whole = row | dict.fromkeys(lacking)
        place = kind.place(row)[1] if history.is_global else kind.place(row)
        if place not in seen:
            rows.append(whole)
        seen.add(place)
    kept = frozenset(history.by_id(dict.fromkeys(lacking))) - {marker_column()} if how == "keep" else frozenset()
    if how == "keep" and history.is_global:
        at = {key: path for path, key in history.state}
        rows = [row for row in rows if at.get(kind.place(row)[1], kind.place(row)[0]) == kind.place(row)[0]] or [
            history.new_row() | dict.fromkeys(lacking)
        ]
    state, doubtful, loose = upserted(history, rows, kept)
    options = options_of(history, partial=how == "keep", missing_columns=how)
    batch = history.batch(rows, columns)
    return Act(
        f"upsert of {columns} ({how}) {rows} {options}",
        lambda table: table.write(batch, "upsert", options),
        state,
        None,
        doubtful,
        loose,
    )


def upsert_other_columns(history: History) -> Act:
    """The batch has a column that the table lacks, or a wider one."""
    draw = history.random
    columns = dict(history.columns)
    narrow = [name for name, (_, kind) in columns.items() if kind in WIDER]
    if narrow and draw.random() < 0.5:
        name = draw.choice(narrow)
        columns[name] = (columns[name][0], WIDER[columns[name][1]][1])
    else:
        columns |= new_column(history)
    before, history.columns = history.columns, columns
    rows = drawn_rows(history)
    state, doubtful, loose = upserted(history, rows)
    batch = history.batch(rows)
    history.columns = before
    options = options_of(history)
    return Act(
        f"upsert other columns {columns} {rows}",
        lambda table: table.write(batch, "upsert", options),
        state,
        columns,
        doubtful,
        loose,
    )


def new_column(history: History) -> Columns:
    history.number += 1
    return {f"c{history.number}": (history.number, history.random.choice(list(VALUES)))}


def add_rows(history: History) -> Act:
    op = history.random.choice(["append", "insert", "bulk_insert"])
    rows = [history.new_row() for _ in range(history.random.randint(1, 6))]
    more = {"sort": history.random.choice(["global", "partition", "none"])} if op == "bulk_insert" else {}
    state = {**history.state, **{history.kind.place(row): history.by_id(row) for row in rows}}
    options, batch = options_of(history, changes=False, **more), history.batch(rows)
    return Act(f"{op} {rows} {options}", lambda table: table.write(batch, op, options), state)


def insert_only_new(history: History) -> Act:
    rows = [unmarked(row) for row in drawn_rows(history)]
    of_table = history.is_global
    there = {key if of_table else (path, key) for path, key in history.state}
    state = dict(history.state)
    for row in rows:
        place = history.kind.place(row)
        name = place[1] if of_table else place
        if name not in there:
            state[place] = history.by_id(row)
            there.add(name)
    options = options_of(history, changes=False, properties={"hoodie.datasource.insert.dup.policy": "drop"})
    batch = history.batch(rows)
    return Act(f"insert of new keys {rows} {options}", lambda table: table.write(batch, "insert", options), state)


def delete_keys(history: History) -> Act:
    kind, rows, of_table = history.kind, drawn_rows(history, 4), history.is_global
    gone = {kind.place(row)[1] if of_table else kind.place(row) for row in rows}
    state = {place: row for place, row in history.state.items() if (place[1] if of_table else place) not in gone}
    for place in gone:
        history.loose.pop(("", place) if of_table else place, None)  # type: ignore[arg-type]
    columns = [*dict.fromkeys([*kind.key, *kind.partition_columns])]
    batch = history.batch(rows, columns)
    options = options_of(history)
    return Act(
        f"delete {[kind.place(row) for row in rows]} {options}",
        lambda table: table.write(batch, "delete", options),
        state,
    )


def delete_rows(history: History) -> Act:
    condition = history.random.choice(list(CONDITIONS))
    holds = CONDITIONS[condition]
    state = {place: row for place, row in history.state.items() if not holds(row)}
    options = options_of(history)
    return Act(
        f"delete where {condition} {options}", lambda table: table.delete(where=condition, options=options), state
    )


def update_rows(history: History) -> Act:
    condition = history.random.choice(list(CONDITIONS))
    holds, value = CONDITIONS[condition], history.random.randrange(100)
    state = {place: row | {"n": value} if holds(row) else row for place, row in history.state.items()}
    options = options_of(history, partial=True)
    return Act(
        f"update n = {value} where {condition} {options}",
        lambda table: table.update({"n": value}, condition, options),
        state,
    )


def merge_rows(history: History) -> Act:
    kind, of_table = history.kind, history.is_global
    rows = [history.by_name(history.by_id(unmarked(row))) for row in drawn_rows(history)]
    rows = list({kind.place(row)[1] if of_table else kind.place(row): row for row in rows}.values())
    by_key = {key: (path, key) for path, key in history.state}
    state = dict(history.state)
    for row in rows:
        place = kind.place(row)
        stored = by_key.get(place[1]) if of_table else place
        if stored in state:
            if row["n"] is not None and row["n"] > 50:
                state[stored] = state[stored] | {"n": row["n"]}
        else:
            state[place] = history.by_id(row)
    by_source = history.random.random() < 0.4
    if by_source:
        named = {kind.place(row)[1] if of_table else kind.place(row) for row in rows}
        state = {
            place: row for place, row in state.items()
            if (place[1] if of_table else place) in named or not (row["n"] is not None and row["n"] < 20)
        }  # fmt: skip
    on = [*dict.fromkeys([*kind.key, *(() if of_table else kind.partition_columns)])]
    batch, options = history.batch(rows), options_of(history)

    def run(table: Table) -> Any:
        merge = (
            table.merge(batch, on)
            .when_matched_update({"n": col("source.n")}, "source.n > 50")
            .when_not_matched_insert()
        )
        if by_source:
            merge = merge.when_not_matched_by_source_delete("target.n < 20")
        return merge.execute(options)

    return Act(f"merge {rows} {by_source} {options}", run, state)


def transaction(history: History) -> Act:
    rows = [history.new_row() for _ in range(2)]
    condition = "n < 20"
    state = {place: row for place, row in history.state.items() if not (row["n"] is not None and row["n"] < 20)}
    state |= {history.kind.place(row): history.by_id(row) for row in rows}
    batch, options = history.batch(rows), options_of(history)

    def run(table: Table) -> Any:
        with table.transaction(options) as together:
            together.upsert(batch)
            together.delete(where=condition)
        return together.result

    return Act(f"transaction {rows} {options}", run, state)


def overwrite(history: History) -> Act:
    kind, draw = history.kind, history.random
    whole = draw.random() < 0.3
    rows = [history.new_row() for _ in range(draw.randint(1, 4))]
    paths = {kind.place(row)[0] for row in rows}
    state = {} if whole else {place: row for place, row in history.state.items() if place[0] not in paths}
    state |= {kind.place(row): history.by_id(row) for row in rows}
    batch, options = history.batch(rows), options_of(history, changes=False)
    op = "insert_overwrite_table" if whole else "insert_overwrite"
    return Act(f"{op} {rows} {options}", lambda table: table.write(batch, op, options), state)


def overwrite_where(history: History) -> Act:
    rows = [history.new_row() | {"p": "y"} for _ in range(2)]
    state = {place: row for place, row in history.state.items() if row["p"] != "y"}
    state |= {history.kind.place(row): history.by_id(row) for row in rows}
    batch, options = history.batch(rows), options_of(history)
    return Act(
        f"overwrite where p = 'y' {rows} {options}",
        lambda table: table.overwrite(batch, options, where="p = 'y'"),
        state,
    )


def drop_partition(history: History) -> Act | None:
    kind = history.kind
    if not kind.partition_by or not history.state:
        return None
    row = history.random.choice(list(history.state.values()))
    path, model = kind.path(row), kind.place(row)[0]
    state = {place: row for place, row in history.state.items() if place[0] != model}
    options = options_of(history)
    return Act(f"drop partition {path}", lambda table: table.delete_partitions([path], options), state)
