"""SQL text to nodes: the expressions that stand in a WHERE clause, in Spark SQL's grammar and precedence.

OR  <  AND  <  NOT  <  comparison, IS, IN, BETWEEN, LIKE, RLIKE  <  |  <  ^  <  &  <  + - ||  <  * / % DIV
    <  unary + - ~  <  ::type  [index]  .field
"""

from __future__ import annotations

from hudi_core.errors import ExpressionError
from hudi_core.expr import calls, interval
from hudi_core.expr.cursor import Cursor
from hudi_core.expr.lex import Kind, Token, bytes_value, number, plain_list
from hudi_core.expr.nodes import (
    And,
    Between,
    Call,
    Case,
    Cast,
    Compare,
    Comparison,
    Expr,
    In,
    Is,
    IsNull,
    Literal,
    Name,
    Not,
    Or,
    RegexLike,
    Scalar,
    Span,
)
from hudi_core.truth import FALSE, NULL, TRUE
from hudi_core.types.nodes import Date, String, Time, Timestamp, Type
from hudi_core.types.sql import NARROW, sql_type

MAX_DEPTH = 100
"""Levels of brackets, and operators in a row, beyond which a text is refused: later walks go as deep as the tree."""

_OR, _AND, _NOT, _PREDICATE, _UNARY, _POSTFIX = 10, 20, 30, 40, 90, 100
_ARITHMETIC = {"|": 50, "^": 55, "&": 60, "+": 70, "-": 70, "||": 70, "*": 80, "/": 80, "%": 80, "DIV": 80}
_COMPARISONS = {operator.value: operator for operator in Comparison} | {"==": Comparison.EQ, "!=": Comparison.NE}
_PREDICATES = frozenset({*_COMPARISONS, "IS", "IN", "NOT", "BETWEEN", "LIKE", "ILIKE", "RLIKE", "REGEXP"})
_RESERVED = _PREDICATES | {"AND", "OR", "WHEN", "THEN", "ELSE", "END", "FROM", "AS", "SELECT", "EXISTS", "ESCAPE"}
_TYPED: dict[str, Type] = {
    "DATE": Date(),
    "TIME": Time(),
    "TIMESTAMP": Timestamp(),
    "TIMESTAMP_LTZ": Timestamp(),
    "TIMESTAMP_NTZ": Timestamp(zoned=False),
}
_MOMENTS = frozenset({"CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "LOCALTIMESTAMP"})
_TRUTHS = {"TRUE": TRUE, "FALSE": FALSE, "UNKNOWN": NULL, "NULL": NULL}


def parse_predicate(sql: str) -> Expr:
    """The tree of a predicate. Raises `ExpressionError` that says where in the text, what was expected and what was found.

    >>> parse_predicate("a.b >= 1.50")
    Compare(operator=<Comparison.GE: '>='>, left=Name(path=('a', 'b')), right=Literal(value=Decimal('1.50'), type=None))
    """
    parser = _Parser(sql)
    try:
        found = parser.expression()
    except RecursionError:
        raise ExpressionError("predicate", expected="fewer brackets inside each other", found="too many") from None
    parser.expect_end()
    return found


class _Parser(Cursor):
    """Precedence climbing over one text."""

    __slots__ = ("_depth",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0

    # ---- expressions

    def expression(self, floor: int = 0) -> Expr:
        """An expression of operators that bind at least as tightly as `floor`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._unexpected(f"at most {MAX_DEPTH} brackets inside each other")
        start = self._token
        left = self._prefix()
        links = 0
        while True:
            key = self._token.key
            links += 1
            if links > MAX_DEPTH:
                raise self._unexpected(f"at most {MAX_DEPTH} operators in a row")
            if key in _ARITHMETIC and floor <= _ARITHMETIC[key]:
                left = self._arithmetic(left, start)
            elif key in _PREDICATES and floor <= _PREDICATE:
                left = self._predicate(left, start)
            elif key == "AND" and floor <= _AND:
                left = And(self._chain(left, "AND", _AND))
            elif key == "OR" and floor <= _OR:
                left = Or(self._chain(left, "OR", _OR))
            else:
                self._depth -= 1
                return left

    def _chain(self, left: Expr, word: str, binding: int) -> tuple[Expr, ...]:
        parts = [left]
        while self._take(word):
            parts.append(self.expression(binding + 1))
        return tuple(parts)

    def _operand(self, floor: int) -> Scalar:
        return calls.scalar(self.expression(floor))

    def _arithmetic(self, left: Expr, start: Token) -> Expr:
        key = self._next().key
        right = self._operand(_ARITHMETIC[key] + 1)
        span = self._span(start)
        if key != "||":
            return Call(key.lower(), (calls.scalar(left), right), span)
        if isinstance(left, Call) and left.function == "concat" and self._text[start.start : start.end] != "(":
            return Call("concat", (*left.arguments, right), span)
        return Call("concat", (calls.scalar(left), right), span)

    def _predicate(self, left: Expr, start: Token) -> Expr:
        token = self._next()
        comparison = _COMPARISONS.get(token.key)
        if comparison is not None:
            return Compare(comparison, calls.scalar(left), self._operand(_PREDICATE + 1))
        if token.key == "IS":
            negated = self._take("NOT")
            found = self._is(left)
        else:
            negated = token.key == "NOT"
            if negated:
                token = self._next()
            found = self._condition(token, calls.scalar(left), start)
        return Not(found) if negated else found

    def _is(self, left: Expr) -> Expr:
        token = self._next()
        if token.key == "DISTINCT":
            self._expect("FROM")
            return Not(Compare(Comparison.NULL_SAFE_EQ, calls.scalar(left), self._operand(_PREDICATE + 1)))
        if token.key == "NULL" and isinstance(left, Name | Literal | Call | Cast | Case):
            return IsNull(left)
        if token.key in _TRUTHS:
            return Is(left, _TRUTHS[token.key])
        raise self._unexpected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM", token)

    def _condition(self, token: Token, value: Scalar, start: Token) -> Expr:
        match token.key:
            case "IN":
                return In(value, self._choices())
            case "BETWEEN":
                low = self._operand(_PREDICATE + 1)
                self._expect("AND")
                return Between(value, low, self._operand(_PREDICATE + 1))
            case "LIKE" | "ILIKE":
                return self._like(value, start, token.key == "ILIKE")
            case "RLIKE" | "REGEXP":
                pattern = self._operand(_PREDICATE + 1)
                if isinstance(pattern, Literal) and isinstance(pattern.value, str):
                    return RegexLike(value, pattern.value, pattern.span)
                return Call("rlike", (value, pattern), self._span(start))
            case _:
                raise self._unexpected("IN, BETWEEN, LIKE or RLIKE", token)

    def _like(self, value: Scalar, start: Token, any_case: bool) -> Expr:
        if self._token.key in ("ANY", "SOME", "ALL") and self._following.key == "(":
            joined = And if self._next().key == "ALL" else Or
            patterns: tuple[Scalar, ...] = self._choices()
        else:
            joined, patterns = And, (self._operand(_PREDICATE + 1),)
        escape = "\\"
        if self._take("ESCAPE"):
            found = self._prefix()
            if not isinstance(found, Literal) or not isinstance(found.value, str) or len(found.value) != 1:
                raise self._unexpected("one character in quotes after ESCAPE", self._last)
            escape = found.value
        span = self._span(start)
        parts = tuple(calls.like(value, pattern, escape, span, any_case=any_case) for pattern in patterns)
        return parts[0] if len(parts) == 1 else joined(parts)

    def _choices(self) -> tuple[Scalar, ...]:
        opening = self._token
        plain = plain_list(self._text, opening.start) if opening.key == "(" else None
        if plain is not None:
            values, end = plain
            self._last = Token(Kind.SYMBOL, ")", end - 1, end)
            self._go_to(end)
            span = Span(self._text, opening.start, end)
            return tuple([Literal(value, None, span) for value in values])
        self._expect("(")
        if self._token.key == "SELECT":
            raise self._unexpected("a list of values (sub-queries are not supported)")
        found: list[Scalar] = []
        while self._token.key != ")" and (not found or self._take(",")):
            found.append(self._operand(0))
        self._expect(")")
        return tuple(found)

    # ---- operands

    def _prefix(self) -> Expr:
        token = self._token
        match token.kind:
            case Kind.WORD:
                return self._postfix(self._word(), token)
            case Kind.NAME:
                return self._postfix(self._name(), token)
            case Kind.NUMBER | Kind.BYTES | Kind.TEXT:
                return self._postfix(self._literal(), token)
            case Kind.SYMBOL:
                return self._sign(token)
            case _:
                raise self._unexpected("a column, a value or `(`")

    def _sign(self, token: Token) -> Expr:
        match token.key:
            case "(":
                self._next()
                if self._token.key == "SELECT":
                    raise self._unexpected("an expression (sub-queries are not supported)")
                inner = self.expression()
                self._expect(")")
                return self._postfix(inner, token)
            case "-":
                self._next()
                if self._token.kind is Kind.NUMBER:  # so that the least long, which has no positive, is a literal
                    return self._postfix(self._literal(negative=True), token)
                return calls.negative(self._operand(_UNARY), self._span(token))
            case "+":
                self._next()
                return self._operand(_UNARY)
            case "~":
                self._next()
                return Call("~", (self._operand(_UNARY),), self._span(token))
            case "!":
                self._next()
                return Not(self.expression(_NOT))
            case _:
                raise self._unexpected("a column, a value or `(`")

    def _postfix(self, found: Expr, start: Token) -> Expr:
        while self._token.key in ("::", "[", "."):
            key = self._next().key
            if key == "::":
                found = self._cast(calls.scalar(found), start, False)
            elif key == "[":
                index = self._operand(0)
                self._expect("]")
                found = Call("[]", (calls.scalar(found), index), self._span(start))
            else:
                part = self._part()
                found = Call(".", (calls.scalar(found), Literal(part)), self._span(start))
        return found

    def _word(self) -> Expr:
        token = self._token
        following = self._following
        match token.key:
            case "TRUE" | "FALSE" | "NULL" if following.key not in ("(", "."):
                self._next()
                value = {"TRUE": True, "FALSE": False, "NULL": None}[token.key]
                return Literal(value, None, self._span(token))
            case "NOT":
                self._next()
                return Not(self.expression(_NOT))
            case "CASE":
                return self._case()
            case "EXISTS":
                raise self._unexpected("an expression (sub-queries are not supported)")
            case "INTERVAL" if following.kind in (Kind.TEXT, Kind.NUMBER) or following.key in ("-", "+"):
                return self._interval()
            case _ if token.key in _RESERVED:
                raise self._unexpected("a column, a value or `(`")
        if following.kind is Kind.TEXT and token.key in _TYPED:
            self._next()
            text = self._text_of(self._next())
            return Literal(text, _TYPED[token.key], self._span(token))
        if following.key == "(":
            return self._call()
        if token.key in _MOMENTS:
            self._next()
            return Call(token.key.lower(), (), self._span(token))
        return self._name()

    def _name(self) -> Name:
        start = self._token
        path = [self._part()]
        while self._token.key == ".":
            self._next()
            path.append(self._part())
        return Name(tuple(path), self._span(start))

    def _literal(self, negative: bool = False) -> Literal:
        token = self._next()
        span = self._span(token)
        source = self._source(token)
        if token.kind is Kind.NUMBER:
            return number(f"-{source}" if negative else source, span)
        if token.kind is Kind.BYTES:
            return bytes_value(source, span)
        value = self._text_of(token)
        while self._token.kind is Kind.TEXT:  # literals side by side are one
            value += self._text_of(self._next())
        return Literal(value, None, self._span(token))

    def _case(self) -> Expr:
        self._next()
        subject = None if self._token.key == "WHEN" else self._operand(0)
        branches: list[tuple[Expr, Scalar]] = []
        while self._take("WHEN"):
            condition = self.expression()
            if subject is not None:
                condition = Compare(Comparison.EQ, subject, calls.scalar(condition))
            self._expect("THEN")
            branches.append((condition, self._operand(0)))
        if not branches:
            raise self._unexpected("WHEN")
        otherwise = self._operand(0) if self._take("ELSE") else Literal(None)
        self._expect("END")
        return Case(tuple(branches), otherwise)

    def _call(self) -> Expr:
        start = self._next()
        self._expect("(")
        name = self._source(start).lower()
        if name in ("cast", "try_cast"):
            value = self._operand(0)
            self._expect("AS")
            found = self._cast(value, start, name == "try_cast")
            self._expect(")")
            return found
        if name == "extract":
            unit = self._part().lower()
            self._expect("FROM")
            value = self._operand(0)
            self._expect(")")
            return calls.extract(unit, value, self._span(start))
        side = self._next().key if name == "trim" and self._token.key in ("BOTH", "LEADING", "TRAILING") else ""
        conditions: list[Expr] = []
        if self._token.key != ")" or side:
            conditions.append(Literal(" ") if side and self._token.key == "FROM" else self.expression())
            while self._take(",") or (name in ("trim", "substring", "substr") and self._token.key in ("FROM", "FOR")):
                self._take("FROM") or self._take("FOR")
                conditions.append(self.expression())
        self._expect(")")
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(side, name)
        return calls.build(name, tuple(conditions), self._span(start))

    def _cast(self, value: Scalar, start: Token, try_: bool) -> Expr:
        token = self._token
        name = self._part()
        numbers: list[int] = []
        if self._token.key == "(":
            self._next()
            while True:
                if not self._source(self._token).isdigit():
                    raise self._unexpected("a number")
                numbers.append(int(self._source(self._next())))
                if not self._take(","):
                    break
            self._expect(")")
        span = self._span(start)
        if name.upper() in NARROW:
            return Call(name.lower(), (value,), span)
        to = String() if name.upper() in ("VARCHAR", "CHAR") else sql_type(name, *numbers)
        if to is None:
            raise self._unexpected("the SQL name of a primitive type", token)
        return calls.cast(value, to, try_, span)

    def _interval(self) -> Expr:
        start = self._next()
        total = interval.Interval()
        while True:
            sign = "-" if self._take("-") else ""
            if not sign:
                self._take("+")
            token = self._next()
            text = self._text_of(token) if token.kind is Kind.TEXT else self._source(token)
            found: interval.Interval | None
            if self._token.key in interval.UNITS:
                unit = self._next().key
                if self._take("TO"):
                    found = interval.of_range(text, unit, self._part())
                else:
                    found = interval.of_unit(text, unit) if _is_number(text) else None
            else:
                found = interval.of_text(text) if token.kind is Kind.TEXT else None
            if found is None:
                raise self._unexpected("an interval such as INTERVAL '1' DAY", token)
            total += -found if sign else found
            if self._token.kind is not Kind.NUMBER or self._following.key not in interval.UNITS:
                return calls.interval_call(total, self._span(start))


def _is_number(text: str) -> bool:
    return text.strip().lstrip("+-").replace(".", "", 1).isdigit()
