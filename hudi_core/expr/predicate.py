"""Bound predicates: columns by id, literals in the column's domain, every comparison a cut through a total order.

Three leaves carry almost everything: below a cut, one of a set, is null. The rest (two terms compared, text patterns,
unknown conditions) is beside them. `bind` makes these from `nodes`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import assert_never

from hudi_core.functions.record import Function
from hudi_core.functions.scalar.like import Pattern
from hudi_core.schema.schema import Schema
from hudi_core.truth import FALSE, NULL, TRUE, Truth
from hudi_core.types.nodes import Array, Type


@dataclass(frozen=True, slots=True)
class Column:
    """A column by id. `name` is its dotted path at bind time and serves messages only."""

    id: int
    name: str
    type: Type
    optional: bool = True


@dataclass(frozen=True, slots=True)
class Constant:
    """A value in the form of `hudi_core.values`; None is null."""

    value: object
    type: Type


@dataclass(frozen=True, slots=True)
class Apply:
    """A known function of terms; a cast is a function too (`type` is its target)."""

    function: Function
    arguments: tuple[Term, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Choose:
    """The first branch whose condition is TRUE, else `otherwise`."""

    branches: tuple[tuple[Predicate, Term], ...]
    otherwise: Term
    type: Type


@dataclass(frozen=True, slots=True)
class Mapped:
    """The array of what a lambda gives of each element: null where `elements`, an array of structs, is null.

    `body` is a term over `schema`, that of these structs: its columns are none of the table's.
    """

    elements: Term
    schema: Schema
    body: Term
    type: Array


@dataclass(frozen=True, slots=True)
class Folded:
    """What a lambda makes of a start and each element in turn, and another one of the last: null where the array is null.

    `held` is a struct of the array, the start and columns around the lambdas. `step` is a term over `schema`, a struct of what
    there is so far, the element and these columns; `last` is one over `last_schema`, the same without the element.
    """

    held: Term
    schema: Schema
    step: Term
    last_schema: Schema
    last: Term
    type: Type


Term = Column | Constant | Apply | Choose | Mapped | Folded


@dataclass(frozen=True, slots=True)
class Cut:
    """A place between values: just before `value`, or just after it. `value` is never null."""

    value: object
    after: bool = False


@dataclass(frozen=True, slots=True)
class Always:
    """Gives the same truth on every row."""

    truth: Truth


@dataclass(frozen=True, slots=True)
class Below:
    """The term's value lies below the cut; NULL when the value is null."""

    term: Term
    cut: Cut


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value is one of `values` (distinct, not null); NULL when the value is null, or absent while the list held a null."""

    term: Term
    values: tuple[object, ...]
    with_null: bool = False


@dataclass(frozen=True, slots=True)
class Within:
    """The value is in a set of values; NULL when the value is null. The form of many ranges; few are conditions of their own.

    `values` are distinct and ascend. `members[2 * i + 1]`: value i is in the set; `members[2 * i]`: the values
    between value i - 1 and value i are; the last member is for the values above all.
    """

    term: Term
    values: tuple[object, ...]
    members: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class IsNull:
    """The term's value is null; never NULL itself."""

    term: Term


@dataclass(frozen=True, slots=True)
class Less:
    """`left < right`, or `left <= right`; both of one type. NULL when either is null."""

    left: Term
    right: Term
    or_equal: bool = False


@dataclass(frozen=True, slots=True)
class Matches:
    """The text matches a LIKE pattern as a whole, or a regular expression somewhere. NULL when the text is null."""

    term: Term
    pattern: Pattern | str
    """A tuple is a LIKE pattern; a text is a regular expression."""


@dataclass(frozen=True, slots=True)
class MatchesOne:
    """The string matches one of the patterns, in the sense of `Matches`. NULL when the string is null."""

    term: Term
    patterns: tuple[Pattern | str, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """An unknown condition: any outcome is possible; rows cannot be evaluated."""

    text: str
    reason: str = field(default="not known, rows cannot be filtered by it", compare=False, repr=False)
    """Why rows cannot be evaluated."""


@dataclass(frozen=True, slots=True)
class Is:
    """The part gives `truth`; never NULL itself."""

    part: Predicate
    truth: Truth


@dataclass(frozen=True, slots=True)
class Not:
    part: Predicate


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Predicate, ...]


Predicate = Always | Below | OneOf | Within | IsNull | Less | Matches | MatchesOne | Opaque | Is | Not | And | Or

ALWAYS_TRUE, ALWAYS_FALSE, ALWAYS_NULL = Always(TRUE), Always(FALSE), Always(NULL)


def parts_of(predicate: Predicate) -> tuple[Predicate, ...]:
    """The predicates directly inside a predicate."""
    match predicate:
        case And(parts) | Or(parts):
            return parts
        case Not(part) | Is(part):
            return (part,)
        case _:
            return ()


def terms_of(predicate: Predicate) -> tuple[Term, ...]:
    """The terms of a leaf; none for any other predicate."""
    match predicate:
        case Below(term) | OneOf(term) | Within(term) | IsNull(term) | Matches(term) | MatchesOne(term):
            return (term,)
        case Less(left, right):
            return left, right
        case _:
            return ()


def unknowns_of(predicate: Predicate) -> list[str]:
    """The unknown conditions of a predicate, as SQL text: rows cannot be tested by them, and files are kept."""
    if isinstance(predicate, Opaque):
        return [predicate.text]
    unknowns = [text for part in parts_of(predicate) for text in unknowns_of(part)]
    for term in terms_of(predicate):
        unknowns += _unknowns_in(term)
    return unknowns


def _unknowns_in(term: Term) -> list[str]:
    match term:
        case Apply(_, arguments):
            return [text for argument in arguments for text in _unknowns_in(argument)]
        case Choose(branches, otherwise):
            conditions = [text for condition, _ in branches for text in unknowns_of(condition)]
            return conditions + [
                text for value in (*(then for _, then in branches), otherwise) for text in _unknowns_in(value)
            ]
        case Mapped(elements, _, body):
            return _unknowns_in(elements) + _unknowns_in(body)
        case Folded(held, _, step, _, last):
            return _unknowns_in(held) + _unknowns_in(step) + _unknowns_in(last)
        case Column() | Constant():
            return []
        case _:
            assert_never(term)


def term_key(term: Term) -> Hashable:
    """Equal for terms that have the same value in every row. Equality of constants would take -0.0 for 0.0."""
    match term:
        case Column(id=column_id):
            return column_id
        case Constant(value, type):
            return repr(value), type
        case Apply(function, arguments, type):
            return function, *map(term_key, arguments), type
        case Choose():
            return repr(term)
        case Mapped(elements, _, body, type):
            return Mapped, term_key(elements), term_key(body), type
        case Folded(held, _, step, _, last):
            return Folded, term_key(held), term_key(step), term_key(last)


def columns_of(predicate: Predicate) -> dict[int, Column]:
    """The columns a predicate looks at, by id, in order of first appearance."""
    columns: dict[int, Column] = {}
    _collect(predicate, columns)
    return columns


def _collect(part: Predicate | Term, columns: dict[int, Column]) -> None:
    match part:
        case Column():
            columns.setdefault(part.id, part)
        case Below(term) | OneOf(term) | Within(term) | IsNull(term) | Matches(term) | MatchesOne(term):
            _collect(term, columns)
        case Less(left, right):
            _collect(left, columns)
            _collect(right, columns)
        case Not(inner) | Is(inner):
            _collect(inner, columns)
        case And(parts) | Or(parts):
            for inner in parts:
                _collect(inner, columns)
        case Apply(_, arguments):
            for argument in arguments:
                _collect(argument, columns)
        case Choose(branches, otherwise):
            for condition, value in branches:
                _collect(condition, columns)
                _collect(value, columns)
            _collect(otherwise, columns)
        case Mapped(held) | Folded(held):
            _collect(held, columns)
        case Always() | Opaque() | Constant():
            pass


def literals_of(predicate: Predicate, column_id: int) -> list[object]:
    """The values that a column itself is compared with, in order of appearance, repetitions included."""
    match predicate:
        case Below(Column(id=own_id), cut):
            return [cut.value] if own_id == column_id else []
        case OneOf(Column(id=own_id), values) | Within(Column(id=own_id), values):
            return list(values) if own_id == column_id else []
        case Not(inner) | Is(inner):
            return literals_of(inner, column_id)
        case And(parts) | Or(parts):
            return [value for inner in parts for value in literals_of(inner, column_id)]
        case _:
            return []
