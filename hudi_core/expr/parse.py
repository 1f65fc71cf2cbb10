"""SQL text to nodes: the expressions that are in a WHERE clause, in Spark SQL's grammar and precedence.

OR  <  AND  <  NOT  <  comparison, IS, IN, BETWEEN, LIKE, RLIKE  <  |  <  ^  <  &  <  << >> >>>  <  + - ||  <  * / % DIV
    <  unary + - ~  <  ::type  [index]  .field  COLLATE

Two structs are compared field by field, `(a, b) IN ((1, 2), (3, 4))`, and nulls in them are equal to each other: a struct is
not null because a field is.
"""

from __future__ import annotations

from hudi_core.errors import ExpressionError, UsageError, describe
from hudi_core.expr import calls
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
)
from hudi_core.expr.operands import MAX_DEPTH, PREDICATES, Operands
from hudi_core.expr.place import complaint
from hudi_core.sql.place import Span
from hudi_core.sql.tokens import Kind, Token, plain_list
from hudi_core.truth import FALSE, NULL, TRUE

STRUCT = "struct"
_EQUALITIES = {Comparison.EQ, Comparison.NE, Comparison.NULL_SAFE_EQ}


def _struct_in(value: Scalar, choices: tuple[Scalar, ...]) -> Expr | None:
    """IN of a struct among structs of as many fields, as conditions on the fields; None for any other IN."""
    pairs = [_struct_fields(value, choice) for choice in choices]
    if not pairs or None in pairs:
        return None
    parts = tuple(_all_equal(pair) for pair in pairs if pair is not None)
    return parts[0] if len(parts) == 1 else Or(parts)


def _compare(operator: Comparison, left: Scalar, right: Scalar) -> Expr:
    """A comparison; of two structs of as many fields, for equality alone, as conditions on the fields."""
    pairs = _struct_fields(left, right) if operator in _EQUALITIES else None
    if pairs is None:
        return Compare(operator, left, right)
    equal = _all_equal(pairs)
    return Not(equal) if operator is Comparison.NE else equal


def _struct_fields(left: Scalar, right: Scalar) -> list[tuple[Scalar, Scalar]] | None:
    match left, right:
        case Call(function, one), Call(other, two) if function == other == STRUCT and len(one) == len(two) > 0:
            return list(zip(one, two, strict=True))
        case _:
            return None


def _all_equal(pairs: list[tuple[Scalar, Scalar]]) -> Expr:
    parts: list[Expr] = [_fields_equal(left, right) for left, right in pairs]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _fields_equal(left: Scalar, right: Scalar) -> Expr:
    return _compare(Comparison.NULL_SAFE_EQ, left, right)


_OR, _AND, _PREDICATE, _SHIFT = 10, 20, 40, 65
_ARITHMETIC = {"|": 50, "^": 55, "&": 60, "+": 70, "-": 70, "||": 70, "*": 80, "/": 80, "%": 80, "DIV": 80}
_SHIFTS = {"<<": "shiftleft", ">>": "shiftright", ">>>": "shiftrightunsigned"}
_COMPARISONS = {operator.value: operator for operator in Comparison} | {
    "==": Comparison.EQ,
    "!=": Comparison.NE,
    "!>": Comparison.LE,
    "!<": Comparison.GE,
}
_TRUTHS = {"TRUE": TRUE, "FALSE": FALSE, "UNKNOWN": NULL, "NULL": NULL}


def parse_predicate(sql: str) -> Expr:
    """The tree of a predicate. Raises `ExpressionError` with the place in the text, what was expected and what was found,
    and `UsageError` for what is no string.

    >>> parse_predicate("a.b >= 1.50")
    Compare(operator=<Comparison.GE: '>='>, left=Name(path=('a', 'b')), right=Literal(value=Decimal('1.50'), type=None))
    """
    if not isinstance(sql, str):
        raise UsageError("predicate", expected="SQL as a string", found=describe(sql))
    if not sql.strip():
        raise ExpressionError("predicate", expected="a condition, as fare > 80", found="an empty text")
    parser = _Parser(sql)
    try:
        tree = parser.expression()
    except RecursionError:
        raise ExpressionError("predicate", expected="fewer nested brackets", found="too many") from None
    parser.expect_end("AND, OR or the end")
    return tree


class _Parser(Operands):
    """Precedence climbing over one text."""

    __slots__ = ("_depth",)

    def __init__(self, text: str) -> None:
        super().__init__(text, complaint)
        self._depth = 0

    def expression(self, floor: int = 0) -> Expr:
        """An expression of operators that bind at least as tightly as `floor`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} nested brackets")
        start = self.token
        left = self.prefix()
        links, compares = 0, False
        while True:
            key = self.token.key
            links += 1
            if links > MAX_DEPTH:
                self.fail(f"at most {MAX_DEPTH} operators in a row")
            if key in _ARITHMETIC and floor <= _ARITHMETIC[key]:
                left = self._arithmetic(left, start)
            elif key in ("<", ">") and floor <= _SHIFT and self._is_shift():
                left = self._shift(left, start)
            elif key in PREDICATES and floor <= _PREDICATE:
                if compares and key in _COMPARISONS:
                    expected = "AND between two comparisons, or one condition in brackets"
                    raise self.make_error(expected, self.token)
                left, compares = self._predicate(left, start), key in _COMPARISONS
            elif key == "AND" and floor <= _AND:
                left = And(self._chain(left, "AND", _AND))
            elif key == "OR" and floor <= _OR:
                left = Or(self._chain(left, "OR", _OR))
            else:
                self._depth -= 1
                return left

    def _chain(self, left: Expr, word: str, binding: int) -> tuple[Expr, ...]:
        parts = [left]
        while self.take(word):
            parts.append(self.expression(binding + 1))
        return tuple(parts)

    def _arithmetic(self, left: Expr, start: Token) -> Expr:
        key = self.advance().key
        if key == "||":
            return self._join(left, start)
        right = self.operand(_ARITHMETIC[key] + 1)
        return Call(key.lower(), (calls.scalar(left), right), self.span(start))

    def _join(self, left: Expr, start: Token) -> Expr:
        """`left || right || ...`, of any number of strings, as one `concat`."""
        parts = [calls.scalar(left)]
        if isinstance(left, Call) and left.function == "concat" and self.text[start.start : start.end] != "(":
            parts = list(left.arguments)
        parts.append(self.operand(_ARITHMETIC["||"] + 1))
        while self.take("||"):
            parts.append(self.operand(_ARITHMETIC["||"] + 1))
        return Call("concat", tuple(parts), self.span(start))

    def _is_shift(self) -> bool:
        """Whether `<<` or `>>` comes next, which are two tokens, for types end in `>>`."""
        return self.token.key == self.following.key and self.adjoins(self.token, self.following)

    def _shift(self, left: Expr, start: Token) -> Expr:
        symbol = self.advance().key + self.advance().key
        if symbol == ">>" and self.token.key == ">" and self.adjoins(self.last, self.token):
            symbol += self.advance().key
        return Call(_SHIFTS[symbol], (calls.scalar(left), self.operand(_SHIFT + 1)), self.span(start))

    def _predicate(self, left: Expr, start: Token) -> Expr:
        token = self.advance()
        comparison = _COMPARISONS.get(token.key)
        if comparison is not None:
            right = self.operand(_PREDICATE + 1)
            return _compare(comparison, calls.scalar(left), right)
        if token.key == "IS":
            negated = self.take("NOT")
            condition = self._is(left)
        else:
            negated = token.key == "NOT"
            if negated:
                token = self.advance()
                if token.key in ("LIKE", "ILIKE") and self._has_patterns():
                    return self._like(calls.scalar(left), start, token.key == "ILIKE", negated=True)
            condition = self._condition(token, calls.scalar(left), start)
        return Not(condition) if negated else condition

    def _last_operand(self) -> Scalar:
        """The operand that ends a condition. A comparison behind it is refused: Spark takes it for a part of the operand."""
        operand = self.operand(_PREDICATE + 1)
        if self.token.key in _COMPARISONS:
            raise self.make_error("brackets around the condition before a comparison", self.token)
        return operand

    def _is(self, left: Expr) -> Expr:
        token = self.advance()
        if token.key == "DISTINCT":
            self.expect("FROM")
            right = self._last_operand()
            return Not(_compare(Comparison.NULL_SAFE_EQ, calls.scalar(left), right))
        if token.key == "NULL" and isinstance(left, Name | Literal | Call | Cast | Case):
            return IsNull(left)
        if token.key in _TRUTHS:
            return Is(left, _TRUTHS[token.key])
        raise self.make_error("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM", token)

    def _condition(self, token: Token, value: Scalar, start: Token) -> Expr:
        match token.key:
            case "IN":
                choices = self._choices()
                return _struct_in(value, choices) or In(value, choices)
            case "BETWEEN":
                return self._between(value)
            case "LIKE" | "ILIKE":
                return self._like(value, start, token.key == "ILIKE")
            case "RLIKE" | "REGEXP":
                pattern = self._last_operand()
                if isinstance(pattern, Literal) and isinstance(pattern.value, str):
                    return RegexLike(value, pattern.value, pattern.span)
                return Call("rlike", (value, pattern), self.span(start))
            case _:
                raise self.make_error("IN, BETWEEN, LIKE or RLIKE", token)

    def _between(self, value: Scalar) -> Expr:
        """From one bound to the other; with SYMMETRIC the bounds are in any order."""
        plain = self.following.key in ("AND", ".", "(")  # a column or a function that has the word for its name
        symmetric = not plain and self.take("SYMMETRIC")
        if not plain and not symmetric:
            self.take("ASYMMETRIC")
        lower = self.operand(_PREDICATE + 1)
        self.expect("AND")
        upper = self._last_operand()
        between = Between(value, lower, upper)
        return Or((between, Between(value, upper, lower))) if symmetric else between

    def _has_patterns(self) -> bool:
        return self.token.key in ("ANY", "SOME", "ALL") and self.following.key == "("

    def _like(self, value: Scalar, start: Token, any_case: bool, negated: bool = False) -> Expr:
        """LIKE of a pattern, or of patterns, each of which is negated: NOT LIKE ALL is like none of them."""
        if self._has_patterns():
            joined = And if self.advance().key == "ALL" else Or
            patterns: tuple[Scalar, ...] = self._choices()
        else:
            joined, patterns = And, (self._last_operand(),)
        escape = "\\"
        if self.take("ESCAPE"):
            pattern_expr = self.prefix()
            if (
                not isinstance(pattern_expr, Literal)
                or not isinstance(pattern_expr.value, str)
                or len(pattern_expr.value) != 1
            ):
                self.fail("one character in quotes after ESCAPE", self.last)
            escape = pattern_expr.value
        span = self.span(start)
        parts = tuple(calls.like(value, pattern, escape, span, any_case=any_case) for pattern in patterns)
        if negated:
            parts = tuple(Not(part) for part in parts)
        return parts[0] if len(parts) == 1 else joined(parts)

    def _choices(self) -> tuple[Scalar, ...]:
        opening = self.token
        plain = plain_list(self.text, opening.start) if opening.key == "(" else None
        if plain is not None:
            values, end = plain
            self.last = Token(Kind.SYMBOL, ")", end - 1, end)
            self.go_to(end)
            span = Span(self.text, opening.start, end)
            return tuple([Literal(value, None, span) for value in values])
        self.expect("(")
        if self.token.key == "SELECT":
            self.fail("a list of values (sub-queries are not supported)")
        choices: list[Scalar] = []
        while self.token.key != ")" and (not choices or self.take(",")):
            choices.append(self.operand(0))
        self.expect(")")
        return tuple(choices)
