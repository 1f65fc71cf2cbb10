"""Operands of expressions: names, literals, CASE, intervals, casts, what is in brackets and what follows a value."""

from __future__ import annotations

from abc import abstractmethod

from hudi_core.errors import HudiError, SchemaError
from hudi_core.expr import calls, interval
from hudi_core.expr.call_syntax import CallSyntax
from hudi_core.expr.nodes import (
    Call,
    Case,
    Compare,
    Comparison,
    Expr,
    Lambda,
    Literal,
    Name,
    Not,
    Scalar,
)
from hudi_core.expr.place import error_at
from hudi_core.expr.text import name as quoted_name
from hudi_core.functions.casts import NARROW
from hudi_core.sql.place import Span
from hudi_core.sql.tokens import Kind, Token, bytes_value, number_value
from hudi_core.types.sql import sql_type

MAX_DEPTH = 100
"""Levels of brackets, and operators in a row, beyond which a text is refused: later walks go as deep as the tree."""

COMPARISONS = frozenset({*(operator.value for operator in Comparison), "==", "!=", "!<", "!>"})
PREDICATES = COMPARISONS | {"IS", "IN", "NOT", "BETWEEN", "LIKE", "ILIKE", "RLIKE", "REGEXP"}
"""The words and symbols that a condition on the value before them begins with."""

_FUNCTIONS_TOO = frozenset({"LIKE", "ILIKE", "RLIKE", "REGEXP", "EXISTS"})
_RESERVED = PREDICATES | {"AND", "OR", "WHEN", "THEN", "ELSE", "END", "FROM", "AS", "SELECT", "EXISTS", "ESCAPE"}
_TYPED = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"})
"""The names of types that make a literal of the string behind them."""
_MOMENTS = frozenset({"CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "LOCALTIMESTAMP"})
_NARROW_SUFFIXES = {"Y": NARROW[8].name, "S": NARROW[16].name}
_NOT, _UNARY = 30, 90
_NO_SUB_QUERIES = "an expression (sub-queries are not supported)"


class Operands(CallSyntax):
    """Operands of one text; the parser of operators supplies `expression`."""

    __slots__ = ()

    @abstractmethod
    def expression(self, floor: int = 0) -> Expr: ...

    def operand(self, floor: int = 0) -> Scalar:
        return calls.scalar(self.expression(floor))

    def prefix(self) -> Expr:
        """An operand with the signs before it and what follows it."""
        token = self.token
        match token.kind:
            case Kind.WORD:
                return self._postfix(self._word(), token)
            case Kind.NAME:
                return self._postfix(self._name(), token)
            case Kind.NUMBER | Kind.BYTES | Kind.STRING:
                return self._postfix(self._literal(), token)
            case Kind.SYMBOL:
                return self._sign(token)
            case _:
                raise self._no_operand()

    def _no_operand(self) -> HudiError:
        return self.make_error("a column, a value or `(`")

    def _sign(self, token: Token) -> Expr:
        match token.key:
            case "(":
                return self._postfix(self._parse_bracketed(), token)
            case "-":
                self.advance()
                if self.token.kind is Kind.NUMBER:  # so that the least long, which has no positive, is a literal
                    return self._postfix(self._literal(negative=True), token)
                return calls.negative(self.operand(_UNARY), self.span(token))
            case "+":
                self.advance()
                return calls.positive(self.operand(_UNARY), self.span(token))
            case "~":
                self.advance()
                return Call("~", (self.operand(_UNARY),), self.span(token))
            case "!":
                self.advance()
                return Not(self.expression(_NOT))
            case _:
                raise self._no_operand()

    def _parse_bracketed(self) -> Expr:
        """An expression in brackets; several values are a struct."""
        start = self.advance()
        if self.token.key == "SELECT":
            self.fail(_NO_SUB_QUERIES)
        inner = self.expression()
        if self.token.key != ",":
            self.expect(")")
            return inner
        values = [calls.scalar(inner)]
        while self.take(","):
            values.append(self.operand())
        self.expect(")")
        return Call("struct", tuple(values), self.span(start))

    def _postfix(self, value: Expr, start: Token) -> Expr:
        while True:
            match self.token.key:
                case "::":
                    self.advance()
                    value = self.cast_to(calls.scalar(value), start, False)
                case "[":
                    self.advance()
                    index = self.operand()
                    self.expect("]")
                    value = Call("[]", (calls.scalar(value), index), self.span(start))
                case ".":
                    self.advance()
                    value = Call("get_field", (calls.scalar(value), Literal(self.name())), self.span(start))
                case "COLLATE":
                    self.advance()
                    value = Call("collate", (calls.scalar(value), Literal(".".join(self._path()))), self.span(start))
                case _:
                    return value

    def _word(self) -> Expr:
        token = self.token
        following = self.following
        match token.key:
            case "TRUE" | "FALSE" | "NULL" if following.key not in ("(", "."):
                self.advance()
                value = {"TRUE": True, "FALSE": False, "NULL": None}[token.key]
                return Literal(value, None, self.span(token))
            case "NOT":
                self.advance()
                return Not(self.expression(_NOT))
            case "CASE" if following.key not in (".", "->"):
                return self._case()
            case "INTERVAL" if following.kind in (Kind.STRING, Kind.NUMBER) or following.key in ("-", "+"):
                return self._interval()
            case _ if token.key in _RESERVED and not (token.key in _FUNCTIONS_TOO and following.key == "("):
                raise self._no_operand()
        if following.kind is Kind.STRING and token.key in _TYPED:
            self.advance()
            text = self.string_of(self.advance())
            return Literal(text, sql_type(token.key), self.span(token))
        if token.key in _MOMENTS and following.key != "(":
            self.advance()
            return Call(token.key.lower(), (), self.span(token))
        return self._name()

    def _name(self) -> Expr:
        """A column, a function of that name, or a lambda whose parameter it is."""
        start = self.token
        path = self._path()
        if self.token.key == "(":
            if start.kind is Kind.WORD and len(path) == 1:
                if start.key == "EXISTS" and self.following.key == "SELECT":
                    self.fail(_NO_SUB_QUERIES, start)
                return self.call(path[0].lower(), start)
            return self.plain_call(".".join(map(quoted_name, path)).lower(), start)
        if self.token.key == "->" and len(path) == 1:
            return self._lambda(path, start)
        return Name(path, self.span(start))

    def _path(self) -> tuple[str, ...]:
        path = [self.name()]
        while self.take("."):
            path.append(self.name())
        return tuple(path)

    def _lambda(self, parameters: tuple[str, ...], start: Token) -> Lambda:
        self.expect("->")
        body = self.expression()
        return Lambda(parameters, body, self.span(start))

    def argument(self) -> Expr:
        """An argument of a call: an expression, a lambda of several parameters, or a value with the parameter's name."""
        start = self.token
        if start.kind is Kind.WORD and self.following.key == "=>":
            name = self.name()
            self.advance()
            return Call("=>", (Literal(name), self.operand()), self.span(start))
        parameters = self.lambda_parameters() if start.key == "(" else None
        return self.expression() if parameters is None else self._lambda(parameters, start)

    def _literal(self, negative: bool = False) -> Scalar:
        token = self.advance()
        span = self.span(token)
        source = self.source(token)
        if token.kind is Kind.NUMBER:
            return self._number(f"-{source}" if negative else source, span)
        if token.kind is Kind.BYTES:
            data = bytes_value(source)
            if data is None:
                raise error_at(span, expected="hexadecimal digits", found=repr(source[2:-1]))
            return Literal(data, None, span)
        value = self.string_of(token)
        while self.token.kind is Kind.STRING:  # literals side by side are one
            value += self.string_of(self.advance())
        return Literal(value, None, self.span(token))

    def _number(self, source: str, span: Span) -> Scalar:
        """A number; one of 8 or 16 bits is a cast to them."""
        try:
            constant, data_type = number_value(source)
        except SchemaError as wrong:
            raise error_at(span, expected=wrong.expected, found=wrong.found) from None
        narrow = _NARROW_SUFFIXES.get(source[-1].upper())
        return Literal(constant, data_type, span) if narrow is None else Call(narrow, (Literal(constant),), span)

    def _case(self) -> Expr:
        self.advance()
        subject = None if self.token.key == "WHEN" else self.operand()
        branches: list[tuple[Expr, Scalar]] = []
        while self.take("WHEN"):
            condition = self.expression()
            if subject is not None:
                condition = Compare(Comparison.EQ, subject, calls.scalar(condition))
            self.expect("THEN")
            branches.append((condition, self.operand()))
        if not branches:
            self.fail("WHEN")
        otherwise = self.operand() if self.take("ELSE") else Literal(None)
        self.expect("END")
        return Case(tuple(branches), otherwise)

    def _interval(self) -> Expr:
        start = self.advance()
        total = interval.Interval()
        while True:
            sign = "-" if self.take("-") else ""
            if not sign:
                self.take("+")
            token = self.advance()
            text = self.string_of(token) if token.kind is Kind.STRING else self.source(token)
            part: interval.Interval | None
            if self.token.key in interval.UNITS:
                unit = self.advance().key
                if self.take("TO"):
                    part = interval.of_range(text, unit, self.name())
                else:
                    part = interval.of_unit(text, unit) if _is_number(text) else None
            else:
                part = interval.of_text(text) if token.kind is Kind.STRING else None
            if part is None:
                self.fail("an interval such as INTERVAL '1' DAY", token)
            total += -part if sign else part
            if self.token.kind is not Kind.NUMBER or self.following.key not in interval.UNITS:
                return calls.interval_call(total, self.span(start))


def _is_number(text: str) -> bool:
    return text.strip().lstrip("+-").replace(".", "", 1).isdigit()
