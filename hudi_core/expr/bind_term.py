"""Scalar expressions to terms: names to column ids, calls to functions of terms, casts and intervals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, assert_never

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import ExpressionError, UnknownColumnError
from hudi_core.expr import calls, moments, narrow, nodes, paths
from hudi_core.expr.calls import interval_of
from hudi_core.expr.interval import Interval
from hudi_core.expr.lambdas import Scope, scope_of
from hudi_core.expr.nodes import Expr, Literal, Scalar
from hudi_core.expr.place import error_at
from hudi_core.expr.predicate import Apply, Choose, Column, Constant, Folded, Mapped, Predicate, Term
from hudi_core.expr.terms import FORMS, NULL, as_argument, call, cast_to, constant, move, try_to
from hudi_core.expr.text import to_sql
from hudi_core.expr.walk import names_in, place_of
from hudi_core.functions import coerce
from hudi_core.functions.casts import NARROW
from hudi_core.functions.collections import STRUCT, array_of
from hudi_core.functions.lambdas import BESIDE, ENTRIES, PACKED, SPREAD
from hudi_core.functions.record import MismatchError
from hudi_core.functions.strings import PART_OF_SPLIT
from hudi_core.schema.schema import ColumnPlace, Path, Schema
from hudi_core.sql.place import Span
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text

if TYPE_CHECKING:
    from hudi_core.functions import registry
else:
    registry = ModuleByNeed("hudi_core.functions.registry")  # most predicates call no function

_OF_SESSION = frozenset(
    {"current_user", "user", "session_user", "current_database", "current_schema", "current_catalog"}
)
"""Names that are values of a session where they are no columns."""

_TRIED: Final = ("try_add", "try_subtract", "try_multiply", "try_divide")
_OPERATORS: Final = frozenset({"+", "-", "*", "/", "%", "pmod", *_TRIED})
_DIGITS: Final = {8: 3, 16: 5}


class NotKnownError(Exception):
    """A function is unknown, or unknown in the session's zone, or a column is left out."""


class _OneCall:
    """A call as one object, which may be in many places of a tree. Equal calls may differ in types: 1 is equal to 1.0."""

    __slots__ = ("_call",)

    def __init__(self, call: nodes.Call) -> None:
        self._call = call

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OneCall) and self._call is other._call

    def __hash__(self) -> int:
        return object.__hash__(self._call)


class TermBinder:
    """Binds scalar expressions to the columns of a schema, with the settings of a session."""

    def __init__(self, schema: Schema, case_sensitive: bool, zone: str, partial: bool) -> None:
        self._schema, self.case_sensitive, self.zone, self.partial = schema, case_sensitive, zone, partial
        self.utc = zone.upper() in ("UTC", "GMT", "Z", "ETC/UTC")
        self._called: dict[_OneCall, Term] = {}

    @abstractmethod
    def predicate(self, expr: Expr) -> Predicate:
        """The bound predicate of a condition of CASE."""

    @abstractmethod
    def inside(self, scope: Scope) -> TermBinder:
        """The binder of the body of a lambda."""

    def term(self, expr: Scalar) -> Term:
        match expr:
            case nodes.Literal():
                return constant(expr, self.zone)
            case nodes.Name():
                return self._bind_name(expr)
            case nodes.Cast(value, to, try_):
                term = self.term(value)
                if coerce.is_nested(term.type) and isinstance(to, t.String):
                    raise NotKnownError
                return self.cast(term, to, value, try_)
            case nodes.Lambda():
                raise NotKnownError
            case nodes.Case(branches, otherwise):
                return self._case(branches, otherwise)
            case nodes.Call():
                bound = self._called.get(_OneCall(expr))
                if bound is None:
                    bound = self._called[_OneCall(expr)] = self._call(expr)
                return bound
            case _:
                assert_never(expr)

    def type_of(self, expr: Scalar) -> t.Type:
        return self.term(expr).type

    def _bind_name(self, name: nodes.Name) -> Term:
        named = self.resolve(name)
        if isinstance(named, nodes.Call):
            return self._call(named)
        return Column(named.field.id, named.name, named.field.type, named.optional)

    def resolve(self, name: nodes.Name) -> ColumnPlace | nodes.Call:
        """The column that a name stands for, or the calls that take a value from a list or map."""
        try:
            place = self._schema.find(name.path, case_sensitive=self.case_sensitive)
        except UnknownColumnError as ambiguous:
            raise error_at(name.span, expected=ambiguous.expected, found=ambiguous.found) from None
        if place is not None and not place.repeated:
            return place
        inside = paths.inside(name, self._schema, case_sensitive=self.case_sensitive)
        if inside is not None:
            return inside
        shown = ".".join(name.path)
        if place is not None:
            raise error_at(
                name.span, expected="a single value in each row", found=f"{shown}, which is inside a list or map"
            )
        if self.partial or shown.lower() in _OF_SESSION:
            raise NotKnownError
        raise error_at(name.span, message=f"no column {shown}{self._schema.suggestion(shown)}")

    def _case(self, branches: tuple[tuple[Expr, Scalar], ...], otherwise: Scalar) -> Term:
        conditions = [self.predicate(when) for when, _ in branches]
        parts = [*(then for _, then in branches), otherwise]
        *values, last = _widen_narrow(parts, list(map(self.term, parts)))
        typed = [term.type for term in (*values, last) if not as_argument(term).is_untyped]
        common = coerce.widest(typed) if typed else NULL.type
        if common is None:
            raise error_at(
                place_of(branches[0][1]),
                expected="values of one type in CASE",
                found=" and ".join(dict.fromkeys(map(type_text, typed))),
            )
        chosen = [self.cast(value, common, then) for value, (_, then) in zip(values, branches, strict=True)]
        return Choose(tuple(zip(conditions, chosen, strict=True)), self.cast(last, common, otherwise), common)

    def _call(self, expr: nodes.Call) -> Term:
        match expr:
            case nodes.Call("+" | "-", (moment, nodes.Call("interval") as by)):
                return self._move(moment, interval_of(by), expr.function == "-")
            case nodes.Call("+", (nodes.Call("interval") as by, moment)):
                return self._move(moment, interval_of(by), False)
            case nodes.Call("interval"):
                raise NotKnownError
            case nodes.Call("[]", (nodes.Call("split", (text, pattern)), index)):
                return self._bind_known(nodes.Call(PART_OF_SPLIT.name, (text, pattern, index), expr.span))
            case nodes.Call("[]" | "get_field", (value, Literal(str() as part))):
                field = paths.field_of(value, part, self._schema, case_sensitive=self.case_sensitive)
                if field is not None and (expr.function == "get_field" or self._is_struct(value)):
                    return self._bind_name(field)
            case nodes.Call("aggregate"):
                return self._bind_fold(expr)
            case nodes.Call("struct", parts):
                return self._bind_known(calls.named_struct(parts, expr.span))
        return self._bind_known(expr)

    def _is_struct(self, value: Scalar) -> bool:
        return isinstance(self.type_of(value), t.Record)

    def _bind_known(self, expr: nodes.Call) -> Term:
        function = registry.find(expr.function)
        if function is not None and len(expr.arguments) not in function.arity:
            allowed = function.arity
            wanted = str(allowed[0]) if len(allowed) == 1 else f"{allowed[0]} to {allowed[-1]}"
            count = str(len(expr.arguments))
            raise error_at(expr.span, expected=f"{wanted} arguments of {expr.function}", found=count)
        if registry.takes_lambda(expr.function):
            return self._apply(expr.function, self._with_lambda(expr), expr.span)
        arguments = [self.term(argument) for argument in expr.arguments]
        if expr.function in _OPERATORS:
            arguments = _widen_integers(expr.arguments, arguments)
        term = self._apply(expr.function, arguments, expr.span)
        widths = [narrow.width(one) if isinstance(one, nodes.Call | nodes.Case) else None for one in expr.arguments]
        if not any(widths):
            return term
        if narrow.matters(function, expr.function, list(map(as_argument, arguments)), widths):
            raise NotKnownError
        width = narrow.width(expr) if narrow.wraps(expr.function) else None
        return term if width is None else self.narrow_cast(term, width, expr)

    def _with_lambda(self, expr: nodes.Call) -> list[Term]:
        """Arrays or a map, and the array of what the lambda gives of their elements."""
        *others, last = expr.arguments
        function = _lambda(last)
        held = [self.term(other) for other in others]
        if any(map(is_null, held)):
            raise NotKnownError
        takes_map = PACKED.get((expr.function, len(function.parameters))) is ENTRIES
        for term, other in zip(held, others, strict=True):
            if not isinstance(term.type, t.Map if takes_map else t.Array):
                shown = f"{to_sql(other)} of {type_text(term.type)}"
                kind = "a map" if takes_map else "an array"
                raise error_at(expr.span, expected=f"{kind} in {expr.function}", found=shown)
        elements, types = self._elements(expr, held, len(function.parameters))
        scope = scope_of(list(zip(function.parameters, types, strict=True)), self._columns_around(function))
        if len(scope.parameters) < len(types):
            raise NotKnownError
        if narrow.width(calls.scalar(function.body)):
            raise NotKnownError
        body = self.inside(scope).term(calls.scalar(function.body))
        body = Constant(None, t.Boolean()) if is_null(body) else body
        name = BESIDE.name if len(types) == 1 else SPREAD.name
        rows = self._apply(name, [elements, *scope.around.values()], function.span)
        return [*held, Mapped(rows, scope.schema, body, array_of(body.type))]

    def _elements(self, expr: nodes.Call, held: list[Term], count: int) -> tuple[Term, list[t.Type]]:
        """The array that a lambda of so many parameters runs over, and the types of the parameters."""
        packed = PACKED.get((expr.function, count))
        if packed is None and (count > 1 or len(held) > 1 or not isinstance(held[0].type, t.Array)):
            raise NotKnownError
        elements = held[0] if packed is None else self._apply(packed.name, held, expr.span)
        assert isinstance(elements.type, t.Array)
        element = elements.type.element.type
        return elements, [element] if packed is None else [field.type for field in t.children(element)]

    def _bind_fold(self, expr: nodes.Call) -> Term:
        """`aggregate(array, start, (so_far, element) -> .., last -> ..)`."""
        if not 3 <= len(expr.arguments) <= 4:
            raise error_at(expr.span, expected="3 to 4 arguments of aggregate", found=str(len(expr.arguments)))
        array, start = map(self.term, expr.arguments[:2])
        itself = nodes.Lambda(("so_far",), nodes.Name(("so_far",)))
        step, last = map(_lambda, (*expr.arguments[2:], itself)[:2])
        if (len(step.parameters), len(last.parameters)) != (2, 1):
            raise NotKnownError
        if is_null(array) or is_null(start) or narrow.width(expr.arguments[1]):
            raise NotKnownError
        if not isinstance(array.type, t.Array):
            raise error_at(expr.span, expected="an array in aggregate", found=type_text(array.type))
        around = self._columns_around(step) | self._columns_around(last)
        so_far, element = step.parameters
        scope = scope_of([(so_far, start.type), (element, array.type.element.type)], around)
        of_last = scope_of([(last.parameters[0], start.type)], around)
        made = self.inside(scope).term(calls.scalar(step.body))
        if len(scope.parameters) < 2 or made.type != start.type:
            raise NotKnownError
        value = self.inside(of_last).term(calls.scalar(last.body))
        held = [array, start, *around.values()]
        struct = t.Record(tuple(t.Field(0, f"x{place}", term.type) for place, term in enumerate(held)))
        parts = [part for place, term in enumerate(held) for part in (Constant(f"x{place}", t.String()), term)]
        return Folded(Apply(STRUCT, tuple(parts), struct), scope.schema, made, of_last.schema, value, value.type)

    def _columns_around(self, function: nodes.Lambda) -> dict[Path, Term]:
        """The columns that a lambda names, beside its parameters."""
        names: list[nodes.Name] = []
        for name in names_in(function):
            resolved = self.resolve(name)
            names += [name] if isinstance(resolved, ColumnPlace) else names_in(resolved)
        return {name.path: self.term(name) for name in names}

    def _apply(self, function: str, arguments: list[Term], span: Span | None) -> Term:
        """A function of terms; `+` and `-` of dates are functions of their own."""
        if moments.is_interval_between(function, arguments):
            raise NotKnownError
        function, arguments = moments.of_days(function, arguments)
        try:
            term = call(function, arguments, self.utc)
        except (MismatchError, ExpressionError) as wrong:  # an argument of no such type, or a pattern that is none
            if coerce.are_same_nesting([argument.type for argument in arguments]) and not registry.takes_lambda(
                function
            ):
                raise NotKnownError from None
            raise error_at(span, expected=wrong.expected, found=wrong.found) from None
        if term is None and registry.find(function) is None and function not in FORMS:
            raise NotKnownError(_unknown_function(function))
        if term is None:
            raise NotKnownError
        return term

    def _move(self, moment: Scalar, by: Interval, back: bool) -> Term:
        """A date or timestamp and an interval."""
        term = self.term(moment)
        by = -by if back else by
        if isinstance(term, Constant) and isinstance(term.type, t.Date | t.Timestamp) and term.value is not None:
            if self.utc or not _is_of_zone(term.type, by):
                return move(term, by)
            raise NotKnownError
        function = moments.moving(term, by, self.utc)
        if function is None:
            raise NotKnownError
        return self._apply(*function, place_of(moment))

    def narrow_cast(self, term: Term, width: int, source: Scalar) -> Term:
        """A term as a value of so many bits."""
        return self._apply(NARROW[width].name, [term], place_of(source))

    def cast(self, term: Term, to: t.Type, source: Scalar, try_: bool = False) -> Term:
        if not self.utc and coerce.crosses_zone(coerce.sql_equivalent(term.type), to):
            raise NotKnownError
        try:
            return try_to(term, to) if try_ else cast_to(term, to)
        except MismatchError as wrong:
            raise error_at(place_of(source), expected=wrong.expected, found=wrong.found) from None


def _is_of_zone(type: t.Type, by: Interval) -> bool:
    """Whether a moment plus an interval depends on the zone: days of a point in time, and less than a day of a date."""
    if isinstance(type, t.Timestamp):
        return type.zoned and bool(by.months or moments.has_days(by))
    return bool(by.micros)


def _widen_integers(parts: Sequence[Scalar], terms: list[Term]) -> list[Term]:
    """Beside a decimal only a literal has the digits that it is written with: any other integer has those of its type, also where
    it is a constant, and of 8 or 16 bits."""
    if not any(isinstance(term.type, t.Decimal) for term in terms):
        return terms
    return [_widen_integer(part, term) for part, term in zip(parts, terms, strict=True)]


def _widen_integer(part: Scalar, term: Term) -> Term:
    bits = narrow.width(part)
    is_literal = isinstance(part.arguments[0] if bits and isinstance(part, nodes.Call) else part, Literal)
    if is_literal or is_null(term) or not isinstance(term.type, t.Int | t.Long):
        return term
    if bits is None and not isinstance(term, Constant):
        return term
    return cast_to(term, t.Decimal(_DIGITS[bits] if bits else 20 if isinstance(term.type, t.Long) else 10))


def _widen_narrow(parts: Sequence[Scalar], terms: list[Term]) -> list[Term]:
    """Beside a decimal a value of 8 or 16 bits has as many digits as such a value can have."""
    if not any(isinstance(term.type, t.Decimal) for term in terms):
        return terms
    widths = map(narrow.width, parts)
    pairs = zip(terms, widths, strict=True)
    return [term if bits is None or is_null(term) else cast_to(term, t.Decimal(_DIGITS[bits])) for term, bits in pairs]


def _lambda(expr: Scalar) -> nodes.Lambda:
    if isinstance(expr, nodes.Lambda):
        return expr
    raise error_at(place_of(expr), expected="a lambda such as x -> x > 1", found=to_sql(expr))


def _unknown_function(name: str) -> str:
    close = registry.close_names(name)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    if name == "col":  # as in Python
        hint = "; in SQL text a column stands without col()"
    return f"unknown function {name}: rows cannot be filtered by it{hint}"


def is_null(term: Term) -> bool:
    """Whether a term is the constant null."""
    return isinstance(term, Constant) and term.value is None
