"""Spark's DDL text of a schema (`a INT NOT NULL COMMENT 'x', s STRUCT<b: STRING>`), both ways, without PySpark or a JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from hudi_core.avro.extras import carried, implied_default, type_shell
from hudi_core.errors import SchemaError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.loss import ConversionLoss, Converted
from hudi_core.schema.schema import MAX_DEPTH, Schema, schema_at_place
from hudi_core.types import nodes as t
from hudi_core.types.decimals import smallest_size
from hudi_core.types.disguised import blob, variant
from hudi_core.types.text import text
from hudi_spark.types import GREATEST_PRECISION, plain, vector_of

_WORDS: Final[tuple[tuple[t.Type, str], ...]] = (
    (t.Boolean(), "BOOLEAN"),
    (t.Int(), "INT"),
    (t.Long(), "BIGINT"),
    (t.Float(), "FLOAT"),
    (t.Double(), "DOUBLE"),
    (t.Date(), "DATE"),
    (t.Timestamp(t.Unit.MICROS, zoned=True), "TIMESTAMP"),
    (t.Timestamp(t.Unit.MICROS, zoned=False), "TIMESTAMP_NTZ"),
    (t.String(), "STRING"),
    (t.Binary(), "BINARY"),
)
_ALSO: Final[Mapping[str, t.Type]] = {
    "INTEGER": t.Int(),
    "LONG": t.Long(),
    "REAL": t.Float(),
    "TIMESTAMP_LTZ": t.Timestamp(t.Unit.MICROS, zoned=True),
}
_NARROW: Final = frozenset({"TINYINT", "BYTE", "SMALLINT", "SHORT"})
_SIZED: Final = frozenset({"CHAR", "CHARACTER", "VARCHAR"})
_DECIMALS: Final = frozenset({"DECIMAL", "DEC", "NUMERIC"})
_TO_WORD: Final = dict(_WORDS)
_FROM_WORD: Final = {**{word: of for of, word in _WORDS}, **_ALSO}

_TOKEN: Final = re.compile(
    r"""\s+ | (?P<name>[^\W\d]\w* | \d+\w*) | `(?P<quoted>(?:[^`]|``)*)` | (?P<text>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*")
      | (?P<sign>[<>(),:])""",
    re.VERBOSE | re.DOTALL,
)
_SIMPLE: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)

_Path = tuple[str, ...]


def schema_to_ddl(schema: Schema) -> Converted[str]:
    """The columns of a schema as DDL. All that SQL has no word for is a loss, column ids that are not fresh too."""
    writer = _Writer()
    columns = ", ".join(writer.field(field, (field.name,), " ") for field in schema.fields)
    losses = [ConversionLoss("", f"version {schema.version}")] if schema.version else []
    fresh = record_with_ids(schema.record)
    if fresh != schema.record or schema.max_column_id != Schema(fresh).max_column_id:
        losses.append(ConversionLoss("", "column ids"))
    shell = type_shell(schema.record)
    losses += [ConversionLoss("", f"{name} of the record {value!r}") for name, value in shell.items() if name != "is"]
    return Converted(columns, (*losses, *writer.losses))


def schema_from_ddl(ddl: str, where: str = "schema") -> Converted[Schema]:
    """The schema of DDL columns, or of one `STRUCT<...>`, with fresh column ids.

    Read too: Spark's other words for its types, `name: type`, and Hudi's `VECTOR(n)`, `BLOB` and `VARIANT`. Raises
    `SchemaError` with the place in the text.
    """
    reader = _Reader(ddl, where)
    record = reader.document()
    return Converted(schema_at_place(where, record_with_ids(record)), tuple(reader.losses))


class _Writer:
    """One writing, and its losses."""

    def __init__(self) -> None:
        self.losses: list[ConversionLoss] = []

    def field(self, field: t.Field, path: _Path, between: str) -> str:
        carried(replace(field, doc=None), plain, ".".join(path), self.losses, keep=False)
        required = "" if field.optional else " NOT NULL"
        comment = "" if field.doc is None else f" COMMENT {_quoted(field.doc)}"
        return f"{_name(field.name)}{between}{self._type(field.type, path)}{required}{comment}"

    def _type(self, of: t.Type, path: _Path) -> str:
        match of:
            case t.Record(fields):
                return f"STRUCT<{', '.join(self.field(field, (*path, field.name), ': ') for field in fields)}>"
            case t.Array(element):
                return f"ARRAY<{self._inner(element, path)}>"
            case t.Map(key, value):
                return f"MAP<{self._inner(key, path)}, {self._inner(value, path)}>"
            case t.Union() | t.Vector():
                return self._type(plain(of), path)
            case t.Decimal(precision, scale):
                if precision > GREATEST_PRECISION:
                    expected = f"at most {GREATEST_PRECISION} digits for Spark"
                    raise SchemaError(".".join(path), expected=expected, found=text(of))
                return f"DECIMAL({precision},{scale})"
            case _:
                return _TO_WORD[plain(of)]

    def _inner(self, field: t.Field, path: _Path) -> str:
        inner = (*path, field.name)
        carried(field, plain, ".".join(inner), self.losses, keep=False, column=False)
        if not field.optional and field.name != "key":
            self.losses.append(ConversionLoss(".".join(inner), "required", "optional"))
        return self._type(field.type, inner)


class _Token(NamedTuple):
    kind: str
    """`name`, `quoted`, `text`, `sign`, or `end`."""
    text: str
    at: int


class _Reader:
    """One reading of a text, token by token, and its losses."""

    def __init__(self, ddl: str, where: str) -> None:
        self._where = where
        self._length = len(ddl)
        self._tokens = list(self._scan(ddl))
        self._position = 0
        self.losses: list[ConversionLoss] = []

    def document(self) -> t.Record:
        found = self._whole_struct() or t.Record(self._fields((), "end"))
        if self._peek().kind != "end":
            raise self._error("a comma or the end")
        return found

    def _whole_struct(self) -> t.Record | None:
        """`STRUCT<...>` alone; a column called struct is followed by its type."""
        struct, bracket = self._tokens[0], self._tokens[min(1, len(self._tokens) - 1)]
        if struct.kind == "name" and struct.text.upper() == "STRUCT" and bracket.text == "<":
            found = self._type(())
            assert isinstance(found, t.Record)
            return found
        return None

    def _fields(self, path: _Path, end: str) -> tuple[t.Field, ...]:
        fields: list[t.Field] = []
        if self._peek().text == end or self._peek().kind == end:
            return ()
        while True:
            fields.append(self._field(path))
            if not self._take(","):
                return tuple(fields)

    def _field(self, path: _Path) -> t.Field:
        token = self._next()
        if token.kind not in ("name", "quoted"):
            raise self._error("a column name", token)
        self._take(":")
        inner = (*path, token.text)
        of = self._type(inner)
        required = self._word("NOT")
        if required and not self._word("NULL"):
            raise self._error("NULL")
        comment = None
        if self._word("COMMENT"):
            said = self._next()
            if said.kind != "text":
                raise self._error("a quoted comment", said)
            comment = said.text
        return t.Field(0, token.text, of, not required, comment, implied_default(not required))

    def _type(self, path: _Path) -> t.Type:
        token = self._next()
        if token.kind != "name" or len(path) > MAX_DEPTH:
            raise self._error("a type" if token.kind != "name" else f"at most {MAX_DEPTH} levels", token)
        word = token.text.upper()
        match word:
            case "STRUCT":
                self._expect("<")
                found: t.Type = t.Record(self._fields(path, ">"))
                self._expect(">")
                return found
            case "ARRAY":
                self._expect("<")
                element = t.Field(0, "element", self._type((*path, "element")))
                self._expect(">")
                return t.Array(element)
            case "MAP":
                self._expect("<")
                key = t.Field(0, "key", self._type((*path, "key")), optional=False)
                self._expect(",")
                value = t.Field(0, "value", self._type((*path, "value")))
                self._expect(">")
                return t.Map(key, value)
            case "VARIANT":
                return variant()
            case "BLOB":
                return blob()
        return self._primitive(word, token, path)

    def _primitive(self, word: str, token: _Token, path: _Path) -> t.Type:
        parameters = self._parameters()
        stated = f"{word}({','.join(parameters)})" if parameters else word
        if word in _FROM_WORD and not parameters:
            return _FROM_WORD[word]
        if word in _DECIMALS and len(parameters) <= 2 and all(map(str.isdecimal, parameters)):
            precision, scale = (*map(int, parameters), *(10, 0)[len(parameters) :])
            if 0 < precision <= GREATEST_PRECISION and scale <= precision:
                return t.Decimal(precision, scale, t.Fixed(smallest_size(precision)))
        vector = vector_of(stated)
        if vector is not None:
            return vector
        if (word in _NARROW and not parameters) or (word in _SIZED and len(parameters) == 1):
            found = t.Int() if word in _NARROW else t.String()
            self.losses.append(ConversionLoss(".".join(path), stated, text(found)))
            return found
        raise self._error("a Spark type that holds values of ours", token)

    def _parameters(self) -> list[str]:
        found: list[str] = []
        if self._take("("):
            while True:
                token = self._next()
                if token.kind != "name":
                    raise self._error("a number", token)
                found.append(token.text)
                if not self._take(","):
                    break
            self._expect(")")
        return found

    def _scan(self, ddl: str) -> Iterator[_Token]:
        at = 0
        while at < len(ddl):
            found = _TOKEN.match(ddl, at)
            if not found:
                raise SchemaError(
                    f"{self._where}: character {at + 1}", expected="a name", found=repr(ddl[at : at + 20])
                )
            match found.lastgroup:
                case "name" | "sign":
                    yield _Token(found.lastgroup, found[0], at)
                case "quoted":
                    yield _Token("quoted", found["quoted"].replace("``", "`"), at)
                case "text":
                    yield _Token("text", _unescaped(found[0][1:-1]), at)
            at = found.end()
        yield _Token("end", "", len(ddl))

    def _peek(self) -> _Token:
        return self._tokens[self._position]

    def _next(self) -> _Token:
        token = self._tokens[self._position]
        self._position += token.kind != "end"
        return token

    def _take(self, sign: str) -> bool:
        found = self._peek().kind == "sign" and self._peek().text == sign
        self._position += found
        return found

    def _word(self, word: str) -> bool:
        found = self._peek().kind == "name" and self._peek().text.upper() == word
        self._position += found
        return found

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._error(sign)

    def _error(self, expected: str, token: _Token | None = None) -> SchemaError:
        token = token or self._peek()
        found = repr(token.text) if token.kind != "end" else "the end"
        return SchemaError(f"{self._where}: character {token.at + 1}", expected=expected, found=found)


def _name(name: str) -> str:
    return name if _SIMPLE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


_ESCAPES: Final = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\u0000", "\x1a": "\\Z"}
_MEANINGS: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "0": "\0", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_ESCAPE: Final = re.compile(r"\\(?:u(?P<hex>[0-9A-Fa-f]{4})|(?P<octal>[01][0-7]{2})|(?P<one>.))", re.DOTALL)


def _quoted(comment: str) -> str:
    return "'" + "".join(_ESCAPES.get(character, character) for character in comment) + "'"


def _unescaped(quoted: str) -> str:
    """A literal's text by the rules of Spark SQL (fact: `unescapeSQLString`)."""
    return _ESCAPE.sub(_meaning, quoted)


def _meaning(escape: re.Match[str]) -> str:
    if escape["hex"]:
        return chr(int(escape["hex"], 16))
    if escape["octal"]:
        return chr(int(escape["octal"], 8))
    return _MEANINGS.get(escape["one"], escape["one"])
