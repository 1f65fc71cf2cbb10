"""Laws of planning: over random tables, indexes and predicates no slice with a matching row is skipped, whatever is missing.

Also covers: `planning/sources/sources.py`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hudi_core.expr import nodes as n
from hudi_core.expr.bind import bind
from hudi_core.expr.nodes import Comparison
from hudi_core.planning.plan import READ, ScanPlan
from hudi_core.planning.shares import shares
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.truth import TRUE, Verdict
from hudi_core.types import nodes as t
from tests.support.drawing import cases
from tests.support.made_tables import COLUMNS, Group, Log, MadeTable
from tests.support.predicates import truth_of

KEYS = [f"k{number}" for number in range(7)]
TEXTS = ["", "a", "b", "ab", "B", "é"]
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "n": st.none() | st.integers(-2, 4),
    "x": st.none() | st.just(math.nan) | st.sampled_from([math.inf, 0.0, -0.0, 1.5, -2.5]),
    "s": st.none() | st.sampled_from(TEXTS),
}
INDEXES = ["column_stats", "record_index", "bloom_filters", "secondary_index_s", "expr_index_low"]


def rows(keys: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"id": keys, **VALUES})


def unique_rows(least: int = 0) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(rows(st.sampled_from(KEYS)), min_size=least, max_size=3, unique_by=lambda row: row["id"])


LOGS = st.builds(
    Log,
    unique_rows(),
    st.lists(st.sampled_from(KEYS), max_size=2, unique=True),
    st.none() | st.lists(st.sampled_from(["n", "x", "s"]), min_size=1, max_size=2, unique=True).map(tuple),
    st.booleans(),
)
GROUPS = st.builds(
    Group,
    st.sampled_from(["u", "v"]),
    unique_rows(1),
    st.just(()) | st.lists(LOGS, max_size=2),
    st.sampled_from([tuple(COLUMNS), (), ("id",), ("n", "s"), ("x", "n", "id")]),
    st.booleans(),
)
TABLES = st.builds(
    MadeTable,
    st.lists(GROUPS, min_size=1, max_size=4),
    st.lists(st.sampled_from(INDEXES), min_size=1, unique=True).map(tuple),
)


@st.composite
def updated(draw: st.DrawFn) -> MadeTable:
    """A table with a group whose log files update columns of rows in its base file; `column_stats` tell everything."""
    base = draw(unique_rows(1))
    known = st.sampled_from([row["id"] for row in base])
    parts = st.lists(st.sampled_from(["n", "x", "s"]), min_size=1, max_size=2, unique=True).map(tuple)
    logs = st.builds(Log, st.lists(rows(known), min_size=1, max_size=1), columns=st.none() | parts)
    return MadeTable([Group("u", base, draw(st.lists(logs, min_size=1, max_size=2)))])


def literal(column: str) -> st.SearchStrategy[n.Literal]:
    match column:
        case "n":
            return st.integers(-3, 5).map(n.Literal)
        case "x":
            return st.sampled_from([math.nan, math.inf, 0.0, 1.5, 2.0, -2.5]).map(lambda v: n.Literal(v, t.Double()))
        case "id":
            return st.sampled_from([*KEYS, "none"]).map(n.Literal)
        case "p":
            return st.sampled_from(["u", "v", "U", "w"]).map(n.Literal)
        case _:
            return st.sampled_from([*TEXTS, "c"]).map(n.Literal)


def name(column: str) -> n.Scalar:
    return n.Name((column,))


@st.composite
def leaves(draw: st.DrawFn) -> n.Expr:
    column = draw(st.sampled_from(["id", "n", "x", "s", "p", "id", "s"]))
    kind = draw(st.sampled_from("cccilnftm"))
    value = name(column)
    if kind == "f" and column in ("s", "p", "id"):
        value = n.Call(draw(st.sampled_from(["lower", "upper"])), (value,))
    match kind:
        case "i":
            return n.In(value, tuple(draw(st.lists(literal(column), min_size=1, max_size=3))))
        case "l" if column not in ("n", "x"):
            return n.Like(value, draw(st.sampled_from(["a%", "%b", "k1%", "_", "u%", "%"])))
        case "n":
            return n.IsNull(value)
        case "t":
            other = draw(st.sampled_from([("n", "x"), ("s", "id"), ("p", "s")]))
            return n.Compare(draw(st.sampled_from(list(Comparison))), name(other[0]), name(other[1]))
        case "m":
            return n.Compare(
                draw(st.sampled_from(list(Comparison))), n.Call("length", (name("s"),)), draw(literal("n"))
            )
        case _:
            return n.Compare(draw(st.sampled_from(list(Comparison))), value, draw(literal(column)))


PREDICATES: st.SearchStrategy[n.Expr] = st.recursive(
    leaves(),
    lambda part: st.one_of(
        st.lists(part, min_size=2, max_size=3).map(lambda parts: n.And(tuple(parts))),
        st.lists(part, min_size=2, max_size=3).map(lambda parts: n.Or(tuple(parts))),
        part.map(n.Not),
    ),
    max_leaves=5,
)

SLOW = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


def check(made: MadeTable, where: n.Expr, mode: MetadataMode = MetadataMode.AUTO) -> None:
    table = made.open(mode)
    predicate = bind(where, table.schema)
    plan = table.scan(where=where).plan
    by_id = {made.file_id(number): group for number, group in enumerate(made.groups)}
    for decision in plan.decisions():
        merged = by_id[decision.slice.file_id].merge()
        rows = [tuple(row.get(field.name) for field in table.schema.fields) for row in merged]
        truths = [truth_of(predicate, row, table.schema) for row in rows]
        if decision.verdict is Verdict.SKIP:
            assert TRUE not in truths, decision.by
        if decision.verdict is Verdict.ALL_MATCH:
            assert set(truths) <= {TRUE}, decision.by
    check_reasons(table, plan)


def check_reasons(table: Table, plan: ScanPlan) -> None:
    """What is said to be impossible in a slice is so by itself."""
    skipped: dict[str, set[str]] = {}
    for decision in plan.decisions():
        answer = decision.by.partition(": ")[2]
        if decision.verdict is Verdict.SKIP and answer != "the conditions together":
            skipped.setdefault(answer, set()).add(decision.slice.file_id)
    for answer, files in skipped.items():
        alone = table.scan(where=answer).plan.decisions()
        assert files <= {item.slice.file_id for item in alone if item.verdict is Verdict.SKIP}, answer


def holds_for(row: dict[str, Any], column: str, how: str) -> n.Expr:
    """A condition on a column that is TRUE for the row."""
    value, answer = row[column], name(column)
    if value is None:
        return n.IsNull(answer)
    given = n.Literal(value, t.Double() if column == "x" else None)
    match how:
        case "lower" | "upper" if column not in ("n", "x"):
            return n.Compare(Comparison.EQ, n.Call(how, (answer,)), n.Literal(getattr(value, how)()))
        case "not":
            return n.Not(n.Compare(Comparison.NE, answer, given))
        case "in":
            return n.In(answer, (given, n.Literal("zz") if column not in ("n", "x") else given))
        case "or":
            return n.Or((n.Compare(Comparison.EQ, answer, given), n.Compare(Comparison.LT, answer, given)))
        case _:
            return n.Compare(Comparison.EQ, answer, given)


@given(TABLES | updated(), st.data())
@SLOW
def test_slice_of_a_row_is_read_for_all_that_is_true_of_it(made: MadeTable, data: st.DataObject) -> None:
    found = [(number, row) for number, group in enumerate(made.groups) for row in group.merge()]
    assume(found)
    number, row = data.draw(st.sampled_from(found))
    columns = data.draw(st.lists(st.sampled_from(["id", "n", "x", "s", "p", "s", "n"]), min_size=1, max_size=3))
    ways = data.draw(st.lists(st.sampled_from(["lower", "upper", "not", "in", "or", "is"]), min_size=3, max_size=3))
    where = n.And(tuple(holds_for(row, column, how) for column, how in zip(columns, ways, strict=False)))
    kept = {item.file_id for item in made.open().scan(where=where).plan.kept()}
    assert made.file_id(number) in kept


@given(TABLES, PREDICATES)
@SLOW
def test_no_slice_with_a_matching_row_is_skipped(made: MadeTable, where: n.Expr) -> None:
    """TABLE-5."""
    check(made, where)


@given(TABLES, PREDICATES)
@SLOW
def test_no_row_is_lost_without_the_metadata_table(made: MadeTable, where: n.Expr) -> None:
    check(made, where, MetadataMode.OFF)


@given(TABLES, PREDICATES, st.integers(1, 5))
@settings(SLOW, max_examples=cases(50))
def test_shares_of_the_slices_are_pruned_as_the_whole_is(made: MadeTable, where: n.Expr, count: int) -> None:
    """SOURCE-20."""
    scan = made.open().scan(where=where)
    work = scan.pruning()
    assume(work is not None and len(scan.sources.snapshot.slices))
    assert work is not None
    slices = scan.sources.snapshot.slices
    cut = shares(slices, count)
    together = scan.with_shares(cut, [work.prune(slices.select(numbers)) for numbers in cut], "apart").plan
    whole_decisions = list(scan.plan.decisions())
    for number in np.flatnonzero(together.codes != scan.plan.codes):
        assert together.codes[number] == READ
        assert whole_decisions[number].by.endswith("the conditions together")


@given(TABLES, PREDICATES, st.data())
@SLOW
def test_no_row_is_lost_when_an_index_file_is_damaged(made: MadeTable, where: n.Expr, data: st.DataObject) -> None:
    made.open()
    paths = sorted(path for path in made.memory.files if path.endswith(".hfile"))
    chosen = data.draw(st.sampled_from(paths))
    content = made.memory.files[chosen]
    cut = data.draw(st.integers(0, len(content)))
    damaged = replace(made, memory=replace(made.memory))
    damaged._write = lambda: None  # type: ignore[method-assign]
    damaged.memory.files[chosen] = content[:cut] + bytes(len(content) - cut) if cut % 2 else content[:cut]
    check(damaged, where)
