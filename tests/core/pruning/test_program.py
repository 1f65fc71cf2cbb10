from __future__ import annotations

from dataclasses import replace

import numpy as np

from hudi_core.expr.outcomes import can_be
from hudi_core.expr.predicate import And, Apply, Below, Column, Cut, IsNull, Less, Not, OneOf, Or, Predicate
from hudi_core.pruning.intervals import fold
from hudi_core.pruning.program import NO, YES, AllOf, AnyOf, ColumnAnswers, Compiler, MayHold, Program, mask
from hudi_core.pruning.statistics import from_values, unknown
from hudi_core.truth import FALSE, NULL, TRUE, Truth
from hudi_core.types import nodes as t

A, B = Column(1, "a", t.Int()), Column(2, "b", t.Int())


def _known(lower: list[int | None], upper: list[int | None], nulls: list[int]) -> ColumnAnswers:
    keys, of = fold(from_values(t.Int(), lower, upper, nulls, [9] * len(lower)))
    return ColumnAnswers(t.Int(), keys, of)


COLUMNS = {1: _known([1, 5, None], [3, 5, None], [0, 2, 9]), 2: _known([2, 9, 1], [4, 9, 1], [0, 0, 0])}


def _program(outcome: Truth, predicate: Predicate) -> Program:
    return can_be(outcome, predicate, Compiler(lambda term: COLUMNS.get(term.id) if isinstance(term, Column) else None))


def _files(outcome: Truth, predicate: Predicate) -> list[int]:
    return mask(_program(outcome, predicate), slice(0, 3)).nonzero()[0].tolist()


def test_all_conditions_on_one_column_become_one_set() -> None:
    found = _program(TRUE, And((Not(Below(A, Cut(1))), Below(A, Cut(9)), Not(OneOf(A, (3, 4))))))
    assert isinstance(found, MayHold) and found.ranges == ((1, 2), (5, 8))
    found = _program(TRUE, Or((Below(A, Cut(1)), IsNull(A), OneOf(A, (1, 7)))))
    assert isinstance(found, MayHold) and found.null and found.ranges[-2:] == ((-(2**31), 1), (7, 7))


def test_contradictions_about_one_column_are_seen_at_once() -> None:
    assert _program(TRUE, And((Below(A, Cut(3)), Not(Below(A, Cut(3)))))) is NO
    assert _program(TRUE, And((IsNull(A), Below(A, Cut(3))))) is NO


def test_parts_on_several_columns_stay_apart() -> None:
    found = _program(TRUE, And((Below(A, Cut(3)), And((Below(B, Cut(3)), Below(A, Cut(2)))))))
    assert isinstance(found, AllOf) and len(found.parts) == 2
    found = _program(FALSE, And((Below(A, Cut(3)), Below(B, Cut(3)))))
    assert isinstance(found, AnyOf) and len(found.parts) == 2


def test_files_of_each_outcome() -> None:
    assert _files(TRUE, Below(A, Cut(2))) == [0]
    assert _files(FALSE, Below(A, Cut(2))) == [0, 1]
    assert _files(NULL, Below(A, Cut(2))) == [1, 2]
    assert _files(TRUE, And((Below(A, Cut(6)), Below(B, Cut(5))))) == [0]
    assert _files(TRUE, Or((Below(A, Cut(2)), Below(B, Cut(2))))) == [0, 2]
    assert _files(NULL, And((Below(A, Cut(6)), Below(B, Cut(5))))) == [2]


def test_two_columns_of_one_type_are_compared() -> None:
    """PRUNE-12."""
    assert _files(TRUE, Less(A, B)) == [0, 1]
    assert _files(FALSE, Less(A, B)) == [0]
    assert _files(NULL, Less(A, B)) == [1, 2]


def test_keys_with_different_bases_are_compared_as_values() -> None:
    keys, of = fold(from_values(t.Long(), [10**12, None], [10**12 + 5, None], [0, 0], [9, 9]))
    small_keys, small = fold(from_values(t.Long(), [1, 1], [7, 7], [0, 0], [9, 9]))
    far, near = ColumnAnswers(t.Long(), keys, of), ColumnAnswers(t.Long(), small_keys, small)
    one, other = Column(1, "far", t.Long()), Column(2, "near", t.Long())
    columns = {1: far, 2: near}
    compiler = Compiler(lambda term: columns.get(term.id) if isinstance(term, Column) else None)
    assert mask(can_be(TRUE, Less(one, other), compiler), slice(0, 2)).tolist() == [False, True]
    assert mask(can_be(TRUE, Less(other, one), compiler), slice(0, 2)).tolist() == [True, True]


def test_a_function_of_a_column_may_be_anything() -> None:
    from_function = Apply(None, (A,), t.Int())  # type: ignore[arg-type]
    for outcome in Truth:
        assert _program(outcome, Below(from_function, Cut(3))) is YES
    assert _program(NULL, IsNull(from_function)) is NO


def test_few_remaining_files_are_tested_one_by_one() -> None:
    count = 10_000
    values = list(range(count))
    keys, of = fold(from_values(t.Int(), values, values, [0] * count, [9] * count))
    one, other = ColumnAnswers(t.Int(), keys, of), ColumnAnswers(t.Int(), keys, of)
    program = AllOf((MayHold(one, ((10, 19),), False), MayHold(other, ((15, 5_000),), False)))
    assert mask(program, slice(0, count)).nonzero()[0].tolist() == list(range(15, 20))
    assert mask(program, slice(12, 17)).nonzero()[0].tolist() == [3, 4]
    assert mask(program, np.array([3, 18, 600])).tolist() == [False, True, False]


def test_of_nested_values_only_nulls_are_counted() -> None:
    """Of three files one has nulls alone, one has both, and of one nothing is known."""
    ints = t.Array(t.Field(3, "element", t.Int()))
    column = Column(1, "arr", ints)
    statistics = replace(unknown(ints, 3), nulls=np.array([9, 2, -1]), rows=np.array([9, 9, -1]))
    known = ColumnAnswers(ints, *fold(statistics))

    def files(outcome: Truth, predicate: Predicate) -> list[int]:
        program = can_be(outcome, predicate, Compiler(lambda _: known))
        return mask(program, slice(0, 3)).nonzero()[0].tolist()

    for predicate in (Below(column, Cut((1,))), OneOf(column, ((1, None), ())), Less(column, column)):
        assert [files(outcome, predicate) for outcome in (TRUE, FALSE, NULL)] == [[1, 2], [1, 2], [0, 1, 2]]
    assert files(TRUE, OneOf(column, ())) == []
    assert files(FALSE, OneOf(column, ())) == [1, 2]
