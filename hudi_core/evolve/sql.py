"""Schema changes from SQL text.

    ADD [COLUMN|COLUMNS] name type [NOT NULL] [DEFAULT value] [COMMENT 'text'] [FIRST|LAST|AFTER name|BEFORE name], ...
    DROP [COLUMN|COLUMNS] name, ...
    RENAME [COLUMN] name TO name
    MOVE [COLUMN] name FIRST|LAST|AFTER name|BEFORE name
    ALTER|CHANGE|MODIFY [COLUMN] name  one or more of
        TYPE type, SET DATA TYPE type, SET NOT NULL [FORCE], DROP NOT NULL, SET DEFAULT value, DROP DEFAULT,
        COMMENT 'text', DROP COMMENT, FIRST, LAST, AFTER name, BEFORE name

Each may follow `ALTER TABLE name`, lists may be in brackets, several changes stand with `;` between them. Keywords in any
case. A name is a path (`address.street`, `lines.element.price`), its parts in back-ticks if need be. After AFTER and BEFORE a
single name is one of the same record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hudi_core.evolve.changes import (
    AddColumn,
    After,
    AlterType,
    Before,
    Change,
    DropColumn,
    First,
    Last,
    MoveColumn,
    Position,
    RenameColumn,
    SetDefault,
    SetDoc,
    SetOptional,
)
from hudi_core.evolve.types_sql import Cursor, parse_type
from hudi_core.schema.schema import Path
from hudi_core.types.nodes import ABSENT


def parse_changes(*texts: str) -> tuple[Change, ...]:
    """The changes that the statements make, in order. Raises `UsageError` with the text, the place and what was expected.

    >>> parse_changes("drop column a; rename b.c to d")
    (DropColumn(column=('a',)), RenameColumn(column=('b', 'c'), to='d'))
    """
    return tuple(change for text in texts for change in _changes(Cursor(text)))


def _changes(cursor: Cursor) -> Iterator[Change]:
    while True:
        yield from _statement(cursor)
        if not cursor.take(";") and not cursor.at_end:
            cursor.fail("`;` or the end")
        if cursor.at_end:
            return


def _statement(cursor: Cursor) -> Iterator[Change]:
    if cursor.take("ALTER", "TABLE"):
        cursor.path("a table")
    if cursor.take("ADD"):
        yield from _list(cursor, _parse_add)
    elif cursor.take("DROP"):
        yield from _list(cursor, _parse_drop)
    elif cursor.take("RENAME"):
        cursor.take("COLUMN")
        yield _parse_rename(cursor)
    elif cursor.take("MOVE"):
        cursor.take("COLUMN")
        column = cursor.path()
        position = _position(cursor, column)
        if position is None:
            cursor.fail("FIRST, LAST, AFTER or BEFORE")
        yield MoveColumn(column, position)
    elif cursor.take("ALTER") or cursor.take("CHANGE") or cursor.take("MODIFY"):
        cursor.take("COLUMN")
        yield from _parse_alter(cursor)
    else:
        cursor.fail("ADD, DROP, RENAME, MOVE or ALTER")


def _list(cursor: Cursor, parse: Callable[[Cursor], Change]) -> Iterator[Change]:
    if not cursor.take("COLUMNS"):
        cursor.take("COLUMN")
    bracketed = cursor.take("(")
    yield parse(cursor)
    while cursor.take(","):
        yield parse(cursor)
    if bracketed:
        cursor.expect(")", "`,` or `)`")


def _parse_add(cursor: Cursor) -> Change:
    column = cursor.path()
    data_type = parse_type(cursor)
    optional, doc, position = True, None, None
    default: object = ABSENT
    while True:
        if optional and cursor.take("NOT", "NULL"):
            optional = False
        elif default is ABSENT and cursor.take("DEFAULT"):
            default = cursor.literal()
        elif doc is None and cursor.take("COMMENT"):
            doc = cursor.string("a quoted comment")
        elif position is None and (neighbour := _position(cursor, column)):
            position = neighbour
        else:
            return AddColumn(column, data_type, doc, position or Last(), default, optional)


def _parse_drop(cursor: Cursor) -> Change:
    return DropColumn(cursor.path())


def _parse_rename(cursor: Cursor) -> Change:
    column = cursor.path()
    cursor.expect("TO")
    begin = cursor.token
    to = cursor.path("a name")
    if len(to) > 1 and to[:-1] != column[:-1]:
        cursor.fail("a name in the same record", begin)
    return RenameColumn(column, to[-1])


def _parse_alter(cursor: Cursor) -> Iterator[Change]:
    column = cursor.path()
    count = 0
    while (change := _alteration(cursor, column)) is not None:
        count += 1
        yield change
    if not count:
        cursor.fail("TYPE, SET, DROP, COMMENT or a position")


def _alteration(cursor: Cursor, column: Path) -> Change | None:
    if cursor.take("TYPE") or cursor.take("SET", "DATA", "TYPE"):
        return AlterType(column, parse_type(cursor))
    if cursor.take("SET", "NOT", "NULL"):
        return SetOptional(column, optional=False, force=cursor.take("FORCE"))
    if cursor.take("DROP", "NOT", "NULL"):
        return SetOptional(column, optional=True)
    if cursor.take("SET", "DEFAULT"):
        return SetDefault(column, cursor.literal())
    if cursor.take("DROP", "DEFAULT"):
        return SetDefault(column, ABSENT)
    if cursor.take("DROP", "COMMENT"):
        return SetDoc(column, None)
    if cursor.take("COMMENT"):
        return SetDoc(column, cursor.string("a quoted comment"))
    position = _position(cursor, column)
    return None if position is None else MoveColumn(column, position)


def _position(cursor: Cursor, column: Path) -> Position | None:
    if cursor.take("FIRST"):
        return First()
    if cursor.take("LAST"):
        return Last()
    if cursor.take("AFTER"):
        return After(_neighbour(cursor, column))
    if cursor.take("BEFORE"):
        return Before(_neighbour(cursor, column))
    return None


def _neighbour(cursor: Cursor, column: Path) -> Path:
    path = cursor.path()
    return path if len(path) > 1 else (*column[:-1], *path)
