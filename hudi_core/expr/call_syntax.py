"""Calls, and those with a syntax of their own: CAST, EXTRACT, TRIM, SUBSTRING, POSITION, OVERLAY, a unit before the arguments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from hudi_core.expr import calls
from hudi_core.expr.interval import BARE_UNITS
from hudi_core.expr.nodes import Between, Call, Case, Cast, Expr, Literal, Name, Scalar
from hudi_core.functions.casts import NARROW as NARROW_CASTS
from hudi_core.sql.cursor import Cursor
from hudi_core.sql.place import Span
from hudi_core.sql.tokens import Kind, Token
from hudi_core.sql.type_text import TypeText, parse_type_text
from hudi_core.types.nodes import Int, String, Type
from hudi_core.types.sql import NARROW, sql_type

_WITH_UNIT = {
    **dict.fromkeys(["timestampadd", "dateadd", "date_add"], "timestampadd"),
    **dict.fromkeys(["timestampdiff", "datediff", "date_diff", "timediff"], "timestampdiff"),
}
_SIDES = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}
_OPAQUE_TYPES = frozenset({"ARRAY", "MAP", "STRUCT", "INTERVAL", "VOID", "VARIANT", "GEOMETRY", "GEOGRAPHY"})
_PREDICATE_OPERAND = 41


class CallSyntax(Cursor):
    """Calls of one text; the parser of expressions parses the arguments."""

    __slots__ = ()

    @abstractmethod
    def expression(self, floor: int = 0) -> Expr: ...

    @abstractmethod
    def operand(self, floor: int = 0) -> Scalar: ...

    @abstractmethod
    def argument(self) -> Expr: ...

    def call(self, name: str, start: Token) -> Expr:
        """The call of a function by its bare lower-case name; `(` comes next."""
        return _SPECIAL.get(name, CallSyntax.plain_call)(self, name, start)

    def plain_call(self, name: str, start: Token) -> Expr:
        """`name(argument, ...)`."""
        self.expect("(")
        arguments: list[Expr] = []
        if self.token.key != ")":
            arguments.append(self.argument())
            while self.take(","):
                arguments.append(self.argument())
        return self._make_call(name, arguments, start)

    def cast_to(self, value: Scalar, start: Token, try_: bool) -> Expr:
        """The cast of a value to the type that comes next. One that has no values here makes a call of `cast`."""
        text = parse_type_text(self)
        span = self.span(start)
        if text.name in NARROW and text.is_plain:
            return _narrow_cast(value, NARROW[text.name], try_, span)
        data_type = self._type(text)
        if data_type is not None:
            return calls.cast(value, data_type, try_, span)
        return Call("try_cast" if try_ else "cast", (value, Literal(" ".join(text.span.source.split()))), span)

    def lambda_parameters(self) -> tuple[str, ...] | None:
        """The parameters of `(x, y) -> ...`, taken; None, and nothing taken, where none come next."""
        begin = self.token
        names: list[str] = []
        while self.take("," if names else "(") and self.token.kind in (Kind.WORD, Kind.NAME):
            names.append(self.name())
        if names and self.take(")") and self.token.key == "->":
            return tuple(names)
        self.go_back(begin)
        return None

    def _type(self, text: TypeText) -> Type | None:
        numbers = [parameter.value for parameter in text.parameters if isinstance(parameter.value, int)]
        if text.name in ("VARCHAR", "CHAR", "CHARACTER") and len(numbers) == len(text.parameters) <= 1:
            return String()
        if text.name in _OPAQUE_TYPES or text.collation is not None:
            return None
        data_type = sql_type(text.name, *numbers) if len(numbers) == len(text.parameters) and not text.sizes else None
        if data_type is None:
            self.fail("the SQL name of a type", text.token)
        return data_type

    def _make_call(self, name: str, arguments: list[Expr], start: Token) -> Expr:
        self.expect(")")
        return calls.build(name, tuple(arguments), self.span(start))

    # ---- calls with a syntax of their own

    def cast_call(self, name: str, start: Token) -> Expr:
        self.expect("(")
        value = self.operand()
        self.expect("AS")
        cast = self.cast_to(value, start, name == "try_cast")
        self.expect(")")
        return cast

    def extract_call(self, _: str, start: Token) -> Expr:
        self.expect("(")
        unit = self.name().lower()
        self.expect("FROM")
        value = self.operand()
        self.expect(")")
        return calls.extract(unit, value, self.span(start))

    def trim_call(self, name: str, start: Token) -> Expr:
        """`trim([BOTH | LEADING | TRAILING] [characters] FROM value)`, or plain arguments."""
        self.expect("(")
        side = ""
        if self.token.key in _SIDES and self.following.key not in (")", ",", "."):
            side = self.advance().key
        arguments: list[Expr] = [Literal(" ") if self.token.key == "FROM" else self.argument()]
        if side and self.token.key != "FROM":
            self.fail("`FROM`")
        while self.take("FROM") or self.take(","):
            arguments.append(self.argument())
        return self._make_call(_SIDES.get(side, name).lower(), arguments, start)

    def substring_call(self, name: str, start: Token) -> Expr:
        """`substring(value FROM start [FOR length])`, or plain arguments."""
        self.expect("(")
        arguments = [self.argument()]
        while self.take("FROM") or self.take("FOR") or self.take(","):
            arguments.append(self.argument())
        return self._make_call(name, arguments, start)

    def position_call(self, name: str, start: Token) -> Expr:
        """`position(part IN value)`, or plain arguments."""
        self.expect("(")
        arguments: list[Expr] = [self.expression(_PREDICATE_OPERAND)]
        while self.take("IN") or self.take(","):
            arguments.append(self.expression(_PREDICATE_OPERAND))
        return self._make_call(name, arguments, start)

    def overlay_call(self, name: str, start: Token) -> Expr:
        """`overlay(value PLACING other FROM start [FOR length])`, or plain arguments."""
        self.expect("(")
        arguments = [self.argument()]
        while any(map(self.take, ("PLACING", "FROM", "FOR", ","))):
            arguments.append(self.argument())
        return self._make_call(name, arguments, start)

    def unit_call(self, name: str, start: Token) -> Expr:
        """`dateadd(DAY, 1, value)`: the unit is no column but a word. With other than three arguments it is one."""
        self.expect("(")
        unit = self.token
        arguments: list[Expr] = []
        if unit.key != ")":
            arguments.append(self.argument())
            while self.take(","):
                arguments.append(self.argument())
        if len(arguments) != 3:
            return self._make_call(name, arguments, start)
        match arguments[0]:
            case Name((word,)) | Literal(str() as word) if word.upper() in BARE_UNITS:
                return self._make_call(_WITH_UNIT[name], [Literal(word.upper()), *arguments[1:]], start)
            case _:
                return self.fail(f"a unit such as DAY before the arguments of {name}", unit)


def _narrow_cast(value: Scalar, bits: int, try_: bool, span: Span) -> Scalar:
    """A cast to 8 or 16 bits. TRY_CAST is null beyond their range, and where TRY_CAST to an int is."""
    name = NARROW_CASTS[bits].name
    if not try_:
        return Call(name, (value,), span)
    whole, half = Cast(value, Int(), True, span), 1 << (bits - 1)
    return Case(((Between(whole, Literal(-half), Literal(half - 1)), Call(name, (whole,), span)),), Literal(None))


_SPECIAL: dict[str, Callable[[CallSyntax, str, Token], Expr]] = {
    **dict.fromkeys(["cast", "try_cast"], CallSyntax.cast_call),
    "extract": CallSyntax.extract_call,
    "trim": CallSyntax.trim_call,
    **dict.fromkeys(["substring", "substr"], CallSyntax.substring_call),
    "position": CallSyntax.position_call,
    "overlay": CallSyntax.overlay_call,
    **dict.fromkeys(_WITH_UNIT, CallSyntax.unit_call),
}
