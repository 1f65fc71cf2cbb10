"""The expression language as users write it: a closed tree over column names and literals.

A node that stands for a place in a text carries it as `span`, for messages only: it takes no part in equality.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from hudi_core.sql.place import Span
from hudi_core.truth import Truth
from hudi_core.types.nodes import Type


@dataclass(frozen=True, slots=True)
class Name:
    """A column by its path of names."""

    path: tuple[str, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """A value as written. `type` is None for a plain number, text, bytes, boolean or null.

    `value` is bool, int, Decimal, float, str, bytes or None; for a typed literal the text between the quotes, or a value in
    the form of `hudi_core.values`.
    """

    value: object
    type: Type | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


class Comparison(Enum):
    """The comparison operators; the value is the SQL symbol."""

    EQ = "="
    NE = "<>"
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    NULL_SAFE_EQ = "<=>"


@dataclass(frozen=True, slots=True)
class Compare:
    operator: Comparison
    left: Scalar
    right: Scalar


@dataclass(frozen=True, slots=True)
class In:
    value: Scalar
    choices: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Between:
    value: Scalar
    low: Scalar
    high: Scalar


@dataclass(frozen=True, slots=True)
class Like:
    value: Scalar
    pattern: str
    escape: str = "\\"
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RegexLike:
    """`value RLIKE pattern`: the regular expression is found somewhere in the text."""

    value: Scalar
    pattern: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IsNull:
    value: Scalar


@dataclass(frozen=True, slots=True)
class Is:
    """`part IS TRUE / FALSE / UNKNOWN`: never NULL itself."""

    part: Expr
    truth: Truth


@dataclass(frozen=True, slots=True)
class Not:
    part: Expr


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an arithmetic operator by its lower-case SQL name (`year`, `+`), known or not.

    Syntax of its own is a call too: `a[b]` of `[]`, `x.field` of `get_field` with the name, `(a, b)` of `struct`, `x COLLATE c`
    of `collate`, a cast to a type without values here of `cast` with the type's text, `f(name => x)` of `=>`. A unit before
    other arguments (`dateadd(DAY, 1, x)`) is a string in upper case.
    """

    function: str
    arguments: tuple[Scalar, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Cast:
    value: Scalar
    type: Type
    try_: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Case:
    """Searched CASE: the first branch whose condition is TRUE, else `otherwise`."""

    branches: tuple[tuple[Expr, Scalar], ...]
    otherwise: Scalar = Literal(None)


@dataclass(frozen=True, slots=True)
class Lambda:
    """`x -> body`, `(x, y) -> body`: an argument of a function of arrays or maps. In the body a parameter hides a column."""

    parameters: tuple[str, ...]
    body: Expr
    span: Span | None = field(default=None, compare=False, repr=False)


WRAPS: Final = "wraps around"
"""The function, which no text names, of calls that are true where the call that they are given wraps around (`expr.wraps`). They
are predicates, and never values."""

Scalar = Name | Literal | Call | Cast | Case | Lambda
Expr = Compare | In | Between | Like | RegexLike | IsNull | Is | Not | And | Or | Scalar
"""A predicate. A scalar is one too when its type is boolean."""
