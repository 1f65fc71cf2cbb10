"""Conditions to the leaves of `predicate`, with literals in the type of what they are compared with.

The meaning is Spark SQL's without ANSI mode. One thing differs on purpose: a string literal compared with a number, a date
or another type has to be a value of that type; Spark would silently make it null and return no row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.expr import calls, moments, narrow, nodes, preimage
from hudi_core.expr.bind_term import NotKnownError, TermBinder, is_null
from hudi_core.expr.calls import affix_comparison, interval_across, is_boolean_as_scalar, is_interval
from hudi_core.expr.comparisons import (
    FLIPPED,
    against,
    are_compared,
    choose_comparison_type,
    drop_collations,
    two_terms,
    with_elements_of,
    with_null,
    with_uuid_of,
)
from hudi_core.expr.connectives import every, first_of, is_truth, negate, some
from hudi_core.expr.lambdas import Scope
from hudi_core.expr.like import like, like_of_bytes, pattern_at
from hudi_core.expr.nodes import Call, Case, Comparison, Expr, Literal, Scalar
from hudi_core.expr.place import error_at
from hudi_core.expr.predicate import ALWAYS_NULL, Column, Constant, Opaque, Predicate, Term
from hudi_core.expr.terms import read_text
from hudi_core.expr.text import to_sql
from hudi_core.expr.walk import MAX_TREE_DEPTH, check_depth, names_in, place_of
from hudi_core.functions import coerce
from hudi_core.functions.parameters import is_bytes
from hudi_core.functions.scalar import regex
from hudi_core.schema.schema import ColumnPlace, Schema
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import is_zone
from hudi_core.values.domain import INT_RANGE, LONG_RANGE
from hudi_core.values.order import is_ordered

if TYPE_CHECKING:
    from hudi_core.expr import wraps
else:
    wraps = ModuleByNeed("hudi_core.expr.wraps")  # few predicates ask for it


def bind(
    expr: Expr,
    schema: Schema,
    *,
    case_sensitive: bool = False,
    session_zone: str = "UTC",
    partial: bool = False,
    max_depth: int = MAX_TREE_DEPTH,
) -> Predicate:
    """The predicate an expression stands for on rows of the schema.

    Names are found without regard to case unless `case_sensitive`. Points in time written without a zone are those of
    `session_zone`. A condition with an unknown function becomes `Opaque`; with `partial`, so does one that names a missing
    column. Raises `ExpressionError` for a name that is not there (with those that come close), for types that SQL does not
    compare, for what is no boolean, and for a tree that is too deep.
    """
    check_depth(expr, max_depth)
    return _Binder(schema, case_sensitive, _check_zone(session_zone), partial).predicate(expr)


def bind_term(
    expr: Scalar,
    schema: Schema,
    *,
    case_sensitive: bool = False,
    session_zone: str = "UTC",
    max_depth: int = MAX_TREE_DEPTH,
) -> Term:
    """The value an expression stands for in rows of the schema.

    Raises as `bind`, and `UnsupportedError` for unknown functions.
    """
    check_depth(expr, max_depth)
    try:
        return _Binder(schema, case_sensitive, _check_zone(session_zone), False).term(expr)
    except NotKnownError:
        raise UnsupportedError(to_sql(expr), message="unknown value") from None


def _check_zone(zone: str) -> str:
    if zone != "UTC" and not is_zone(zone):
        raise ExpressionError("session zone", expected="the name of a time zone", found=repr(zone))
    return zone


class _Binder(TermBinder):
    """Binds one expression."""

    def predicate(self, expr: Expr) -> Predicate:
        match expr:
            case nodes.And(parts):
                return every([self.predicate(part) for part in parts])
            case nodes.Or(parts):
                return some([self.predicate(part) for part in parts])
            case nodes.Not(part):
                return negate(self.predicate(part))
            case nodes.Is(part, truth):
                return is_truth(self.predicate(part), truth)
            case nodes.Between(value, lower, upper):
                bounds = nodes.Compare(Comparison.GE, value, lower), nodes.Compare(Comparison.LE, value, upper)
                return every([self.predicate(bound) for bound in bounds])
            case nodes.Case(branches, otherwise):
                if is_boolean_as_scalar(expr):
                    return self.predicate(branches[0][0])
                bound = [(self.predicate(when), self.predicate(then)) for when, then in branches]
                return first_of(bound, self.predicate(otherwise))
            case _:
                try:
                    return self._leaf(expr)
                except (NotKnownError, UnsupportedError) as unknown:
                    self._check_names(expr)
                    return self._opaque(expr, unknown)

    def _opaque(self, expr: Expr, unknown: NotKnownError | UnsupportedError) -> Predicate:
        if isinstance(unknown, UnsupportedError):
            reason = f"rows cannot be filtered by it: {unknown.message}" if unknown.message else None
        else:
            reason = unknown.args[0] if unknown.args else None
        return Opaque(to_sql(expr)) if reason is None else Opaque(to_sql(expr), reason)

    def inside(self, scope: Scope) -> TermBinder:
        return _BodyBinder(self, scope)

    def _check_names(self, expr: Expr) -> None:
        """Raises for a name that is not there, also where what stands around it is not known."""
        for name in () if self.partial else names_in(expr):
            try:
                self.resolve(name)
            except NotKnownError:
                continue

    def _leaf(self, expr: Expr) -> Predicate:
        match expr:
            case nodes.Compare(operator, left, right):
                return self._compare(operator, left, right)
            case nodes.In(value, choices):
                return self._in(value, choices)
            case nodes.IsNull(value):
                return preimage.is_null(self.term(value))
            case nodes.Like(value, pattern, escape, span):
                parts, term = pattern_at(pattern, escape, span), self.term(value)
                if is_bytes(term.type):
                    return like_of_bytes(term, self.cast(term, t.String(), value), parts)
                return like(self._as_text(value), parts)
            case nodes.RegexLike(value, pattern, span):
                try:
                    regex.parse(pattern)
                except ExpressionError as wrong:
                    raise error_at(span, expected=wrong.expected, found=wrong.found) from None
                return preimage.matches(self.cast(self.term(value), t.String(), value), pattern)
            case nodes.Call("like" | "ilike" | "rlike"):
                return self._match(expr)
            case nodes.Call(nodes.WRAPS, (nodes.Call(function, arguments) as part,)):
                return wraps.wraps_around(function, list(map(self.term, arguments)), self.term(part))
            case nodes.Call("startswith" | "endswith", (value, part)):
                self._as_text(value), self._as_text(part)
                return self.predicate(affix_comparison(expr))
            case nodes.Name() | nodes.Literal() | nodes.Call() | nodes.Cast():
                return self._boolean(expr)
            case _:
                return self.predicate(expr)

    def _match(self, expr: nodes.Call) -> Predicate:
        """LIKE or RLIKE of a pattern that is no literal, which may be a constant all the same."""
        match [self.term(argument) for argument in expr.arguments]:
            case [_, Constant(str() as pattern)] if expr.function == "rlike":
                return self._leaf(nodes.RegexLike(expr.arguments[0], pattern, expr.span))
            case [_, Constant(str() as pattern), *rest] if all(isinstance(part, Constant) for part in rest):
                escape = next((str(part.value) for part in rest if isinstance(part, Constant)), "\\")
                any_case = expr.function == "ilike"
                return self._leaf(calls.like(expr.arguments[0], Literal(pattern), escape, expr.span, any_case=any_case))
            case _:
                return self._boolean(expr)

    def _boolean(self, expr: Scalar) -> Predicate:
        if is_interval(expr):
            raise _interval_alone(expr)
        term = self.term(expr)
        if is_null(term):
            return ALWAYS_NULL
        if not isinstance(term.type, t.Boolean):
            raise error_at(place_of(expr), expected="a condition", found=_describe_call(term, expr))
        return preimage.one_of(term, (True,))

    def _compare(self, operator: Comparison, left: Scalar, right: Scalar) -> Predicate:
        left, right = drop_collations((left, right))
        left, right = interval_across(left, right)
        for side, other in ((left, right), (right, left)):
            if is_interval(side):
                difference = moments.difference(operator, left, right, self.type_of, self.utc)
                if difference is not None:
                    return self._compare(*difference)
                self.term(other)  # beside what is not known, an interval is not known either
                raise _interval_alone(side)
        first, second = self.term(left), self.term(right)
        first, second = self._narrow(first, right), self._narrow(second, left)
        first, second = with_elements_of(first, second), with_elements_of(second, first)
        first, second = with_uuid_of(first, second), with_uuid_of(second, first)
        if is_null(first) or is_null(second):
            return with_null(operator, second if is_null(first) else first)
        for side, term in ((left, first), (right, second)):
            if coerce.is_nested(term.type) and not are_compared(first.type, second.type):
                raise error_at(place_of(side), expected="a single value to compare", found=_describe_call(term, side))
        common = choose_comparison_type(operator, first, second)
        if common is None:
            raise error_at(place_of(right), expected=_comparable(first, left), found=_describe_call(second, right))
        first, second = self._convert(first, common, left), self._convert(second, common, right)
        if isinstance(second, Constant):
            return against(operator, first, second)
        if isinstance(first, Constant):
            return against(FLIPPED.get(operator, operator), second, first)
        return two_terms(operator, first, second, common)

    def _narrow(self, term: Term, other: Scalar) -> Term:
        """A string beside a value of 8 or 16 bits is cast to as many; any other term as it is."""
        if not isinstance(term.type, t.String) or not isinstance(other, Call | Case) or is_null(term):
            return term
        width = narrow.width(other)
        return term if width is None else self.narrow_cast(term, width, other)

    def _in(self, value: Scalar, choices: tuple[Scalar, ...]) -> Predicate:
        value, *others = drop_collations((value, *choices))
        choices = tuple(others)
        term = self.term(value)
        plain = _plain_choices(term, choices)
        if plain is not None:
            return plain
        listed = [self.term(item) for item in choices]
        present = [choice for choice in listed if not is_null(choice)]
        with_null = len(present) < len(listed)
        if is_null(term) or (with_null and not present):
            return ALWAYS_NULL
        present = [with_uuid_of(with_elements_of(choice, term), term) for choice in present]
        types = [choice.type for choice in (term, *present)]
        common = coerce.widest(types)
        if common is None and coerce.are_same_nesting(types) and all(map(is_ordered, types)):
            raise NotKnownError
        if common is None or (coerce.is_nested(common) and not is_ordered(common)):
            pairs = list(zip(choices, listed, strict=True))
            wrong, wrong_term = next(
                ((c, f) for c, f in pairs if coerce.widest([term.type, f.type]) is None), (value, term)
            )
            raise error_at(place_of(wrong), expected=_comparable(term, value), found=_describe_call(wrong_term, wrong))
        subject = self.cast(term, common, value)
        converted = [self.cast(choice, common, value) for choice in present]
        values = [choice.value for choice in converted if isinstance(choice, Constant)]
        constants = [constant for constant in values if constant is not None]
        parts: list[Predicate] = [
            two_terms(Comparison.EQ, subject, other, common) for other in converted if not isinstance(other, Constant)
        ]
        if values or not parts:
            parts.append(preimage.one_of(subject, constants, with_null or len(constants) < len(values)))
        elif with_null:
            parts.append(ALWAYS_NULL)
        return some(parts)

    def _as_text(self, value: Scalar) -> Term:
        term = self.term(value)
        if isinstance(coerce.sql_equivalent(term.type), t.Binary):
            raise NotKnownError
        return self.cast(term, t.String(), value)

    def _convert(self, term: Term, common: t.Type, source: Scalar) -> Term:
        """One side of a comparison in the type of both. A text written as a literal has to stand for such a value."""
        if isinstance(common, t.Time) and isinstance(term, Constant) and isinstance(term.type, t.Int | t.Long):
            return Constant(term.value, common)
        if not isinstance(source, Literal) or not isinstance(term, Constant) or not isinstance(term.type, t.String):
            return self.cast(term, common, source)
        value = read_text(str(term.value), common, self.zone)
        if value is None:
            raise error_at(source.span, expected=f"a value of {type_text(common)}", found=repr(term.value))
        return Constant(value, common)


class _BodyBinder(_Binder):
    """Binds the body of a lambda. What is not known in it makes the condition around the lambda unknown."""

    def __init__(self, around: _Binder, scope: Scope) -> None:
        super().__init__(scope.schema, around.case_sensitive, around.zone, around.partial)
        self._around, self._scope = around, scope

    def resolve(self, name: nodes.Name) -> ColumnPlace | nodes.Call:
        if self._scope.names_parameter(name.path):
            return super().resolve(name)
        return self._scope.column(name.path) or self._around.resolve(name)

    def _opaque(self, expr: Expr, unknown: NotKnownError | UnsupportedError) -> Predicate:
        raise unknown


def _plain_choices(term: Term, choices: tuple[Scalar, ...]) -> Predicate | None:
    """IN of a column and untyped literals of its own kind, of which there may be many thousands; None for any other."""
    values: list[object] = [choice.value for choice in choices if isinstance(choice, Literal) and choice.type is None]
    kinds = set(map(type, values))
    if len(values) < len(choices) or len(kinds) != 1 or not isinstance(term, Column):
        return None
    if kinds == {str} and isinstance(term.type, t.String):
        return preimage.one_of(term, values)
    if kinds == {int} and isinstance(term.type, t.Int | t.Long):
        least, greatest = INT_RANGE if isinstance(term.type, t.Int) else LONG_RANGE
        return preimage.one_of(
            term, [value for value in values if isinstance(value, int) and least <= value <= greatest]
        )
    return None


def _interval_alone(interval: nodes.Call) -> ExpressionError:
    return error_at(interval.span, expected="a date or timestamp beside an interval", found="an interval alone")


def _comparable(term: Term, source: Scalar) -> str:
    return f"a value comparable with {_describe_call(term, source)}"


def _describe_call(term: Term, source: Scalar) -> str:
    shown = to_sql(source)
    return f"{shown if len(shown) <= 40 else f'{shown[:37]}...'} of {type_text(term.type)}"
