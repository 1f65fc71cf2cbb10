"""Schema changes from SQL text."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import UsageError
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
    RenameColumn,
    SetDefault,
    SetDoc,
    SetOptional,
)
from hudi_core.evolve.sql import parse_changes
from hudi_core.types import nodes as t

SAID: list[tuple[str, list[Change]]] = [
    ("ADD COLUMN a.b int AFTER c COMMENT 'x'", [AddColumn(("a", "b"), t.Int(), "x", After(("a", "c")))]),
    ("add a int", [AddColumn(("a",), t.Int())]),
    ("add column a int first", [AddColumn(("a",), t.Int(), position=First())]),
    ("add column a int before b.c", [AddColumn(("a",), t.Int(), position=Before(("b", "c")))]),
    (
        "add columns (a int, b string not null default 'x')",
        [
            AddColumn(("a",), t.Int()),
            AddColumn(("b",), t.String(), default="x", optional=False),
        ],
    ),
    (
        "ALTER TABLE db.t ADD COLUMNS a bigint last, b double",
        [
            AddColumn(("a",), t.Long(), position=Last()),
            AddColumn(("b",), t.Double()),
        ],
    ),
    ("drop column a, b.c", [DropColumn(("a",)), DropColumn(("b", "c"))]),
    ("drop columns (`a b`)", [DropColumn(("a b",))]),
    ("rename column a.b to c", [RenameColumn(("a", "b"), "c")]),
    ("rename a.b to a.c", [RenameColumn(("a", "b"), "c")]),
    ("move a.b after c", [MoveColumn(("a", "b"), After(("a", "c")))]),
    ("alter column a type decimal_bytes(9,2)", [AlterType(("a",), t.Decimal(9, 2))]),
    ("change a set data type string comment 'it''s'", [AlterType(("a",), t.String()), SetDoc(("a",), "it's")]),
    ("modify column a first", [MoveColumn(("a",), First())]),
    ("alter a set not null", [SetOptional(("a",), optional=False)]),
    ("alter a set not null force", [SetOptional(("a",), optional=False, force=True)]),
    ("alter a drop not null drop comment", [SetOptional(("a",), optional=True), SetDoc(("a",), None)]),
    ("alter a set default -1.50", [SetDefault(("a",), Decimal("-1.50"))]),
    ("alter a set default date '2024-01-01'", [SetDefault(("a",), "2024-01-01")]),
    ("alter a set default X'ff00'", [SetDefault(("a",), b"\xff\x00")]),
    ("alter a set default null; alter b set default TRUE;", [SetDefault(("a",), None), SetDefault(("b",), True)]),
    ("alter a drop default", [SetDefault(("a",), t.ABSENT)]),
    ("add first int", [AddColumn(("first",), t.Int())]),
]


@pytest.mark.parametrize(("text", "changes"), SAID, ids=[text for text, _ in SAID])
def test_strings_and_their_changes(text: str, changes: list[Change]) -> None:
    assert list(parse_changes(text)) == changes
    assert list(parse_changes(text.replace(" ", "\n  "))) == changes or "'" in text or "`" in text


def test_several_strings_are_taken_in_order() -> None:
    assert parse_changes("drop a", "drop b; drop c") == (DropColumn(("a",)), DropColumn(("b",)), DropColumn(("c",)))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "'' at 1: expected ADD, DROP, RENAME, MOVE or ALTER, found the end"),
        ("add", "'add' at 4: expected a column, found the end"),
        ("add column a itn", "'add column a itn' at 14: expected a type, found 'itn'"),
        ("add a int int", "at 11: expected `;` or the end, found 'int'"),
        ("add (a int", "at 11: expected `,` or `)`, found the end"),
        ("add a int comment x", "at 19: expected a quoted comment, found 'x'"),
        ("add a int default", "at 18: expected a value, found the end"),
        ("rename a b", "at 10: expected `TO`, found 'b'"),
        ("rename a.b to c.d", "at 15: expected a name in the same record, found 'c'"),
        ("move a", "at 7: expected FIRST, LAST, AFTER or BEFORE, found the end"),
        ("alter a", "at 8: expected TYPE, SET, DROP, COMMENT or a position, found the end"),
        ("alter a set nul", "at 9: expected TYPE, SET, DROP, COMMENT or a position, found 'set'"),
        ("drop a..b", "at 8: expected a name behind the dot, found '.'"),
        ("drop #", "at 6: expected a word, a number, a string or a symbol, found '#'"),
    ],
)
def test_errors_state_the_place_and_what_was_expected(text: str, reason: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_changes(text)
    assert reason in str(raised.value)


PIECES = (
    "add|drop|column|(|)|rename|to|move|after|first|alter|a.b|type|set|not|null|default|'x'|int|,|;|array|<|>|10|`|'|."
)
WORDS = st.sampled_from(PIECES.split("|"))


@given(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=30))
def test_any_text_gives_changes_or_a_usage_error(text: str) -> None:
    try:
        changes = parse_changes(text)
    except UsageError as error:
        assert error.expected or error.message
    else:
        assert all(isinstance(change, Change) for change in changes)
