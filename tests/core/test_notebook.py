"""What people see of objects: every public type, and whatever a table's methods give."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from enum import Enum
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core import Table
from hudi_core.notebook import Listing, brief, brief_html, brief_text, show_briefly
from tests.support.commands import rides

LINES, LETTERS = 6, 800
SHORT_BY_THEMSELVES = {"KeyGenerator", "FileInfo"}
"""A class that users derive from, and one of two fields."""


def classes() -> Iterator[tuple[str, type]]:
    """The public classes whose objects users hold, by name."""
    for name in hudi_core.__all__:
        kind = getattr(hudi_core, name)
        if inspect.isclass(kind) and not issubclass(kind, BaseException | Enum) and name not in SHORT_BY_THEMSELVES:
            yield name, kind


@pytest.mark.parametrize(("name", "kind"), list(classes()), ids=lambda value: value if isinstance(value, str) else "")
def test_public_classes_are_short_and_have_a_table(name: str, kind: type) -> None:
    """TABLE-980."""
    assert hasattr(kind, "_repr_html_")
    assert kind.__repr__ is not object.__repr__
    if dataclasses.is_dataclass(kind):
        generated = getattr(kind.__repr__, "__wrapped__", None)
        assert generated is None, "the repr that dataclasses make has all fields"


def given(table: Table, written: Table) -> Iterator[tuple[str, Any]]:
    """What a table's methods and attributes give."""
    scan = table.scan("fare > 95")
    yield from {
        "table": table,
        "schema": table.schema,
        "field": table.schema["fare"],
        "place": table.schema.get("fare"),
        "record": table.schema.record,
        "config": table.config,
        "timeline": table.timeline,
        "instant": table.timeline.commits[0],
        "commit metadata": table.timeline.metadata(table.timeline.commits[0]),
        "snapshot": table.snapshot(),
        "slice": table.slices()[0],
        "file": table.slices()[0].base,
        "scan": scan,
        "plan": scan.plan,
        "decision": next(iter(scan.plan.decisions())),
        "step": scan.plan.steps[0],
        "changes": table.changes(since="earliest"),
        "commit": table.commits()[0],
        "partition": table.partitions()[0],
        "index": table.indexes()[0],
        "advice": table.advise(["rider = 'rider-0300'"]),
        "predicate": hudi_core.parse_predicate("fare > 95"),
        "pruned": hudi_core.prune(
            "a > 1", {"a": hudi_core.ColumnBounds([0] * 999, [1] * 999)}, hudi_core.schema_of({"a": "int"})
        ),
    }.items()
    rows = [{"id": f"k{number}", "n": number, "city": "oslo"} for number in range(100)]
    yield "write", written.upsert(rows)
    yield "merge", written.merge(rows, on=["id", "city"])
    yield "transaction", written.transaction()
    saved = written.refresh().savepoint(by="me", comment="a comment " * 50)
    yield "savepoint", saved
    yield "clean", written.refresh().clean(keep_commits=1, dry_run=True)
    yield "archive", written.refresh().archive(dry_run=True)
    yield "cluster", written.refresh().cluster(columns=["n"])
    yield "services", written.refresh().run_services()[0]
    written.refresh().upsert(rows[:1])
    yield "restore", written.refresh().restore(saved.instant, dry_run=True)
    yield "key", hudi_core.HoodieKey("k" * 1_000, "city=oslo")


def test_whatever_a_table_gives_is_short(tmp_path: Path) -> None:
    """TABLE-980."""
    rows = [{"id": "k0", "n": 0, "city": "oslo"}]
    written = hudi_core.create(tmp_path / "t", rows, key="id", partition_by="city", ordering="n")
    for name, value in given(hudi_core.open(rides()), written):
        text = repr(value)
        assert 1 <= len(text.splitlines()) <= LINES, f"{name}: {text}"
        assert len(text) <= LETTERS and max(map(len, text.splitlines())) <= 300, f"{name}: {text}"
        if hasattr(value, "_repr_html_"):
            Balanced().feed(value._repr_html_())


class Balanced(HTMLParser):
    """Fails for a tag that is closed by another."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@show_briefly
@dataclasses.dataclass(frozen=True)
class Many:
    """A value with more fields than lines."""

    a: int
    b: str = "default"
    c: tuple[str, ...] = ()
    d: dict[str, int] = dataclasses.field(default_factory=dict)
    e: object = None
    f: int = 0
    g: int = 0
    h: list[Any] = dataclasses.field(default_factory=list)


def test_fields_with_their_defaults_are_left_out() -> None:
    """TABLE-980."""
    assert repr(Many(1)) == "Many(a=1)"
    assert repr(Many(1, c=("x", "y"))) == "Many(a=1, c=x, y)"


def test_of_many_fields_the_rest_is_named() -> None:
    """TABLE-980."""
    made = dataclasses.make_dataclass("Wide", [f"field_{number}" for number in range(20)])
    lines = repr(show_briefly(made)(*["x" * 100] * 20)).splitlines()
    assert len(lines) == LINES
    assert lines[-1].startswith("  and 16 more: field_4, field_5")


def test_long_values_are_cut_and_counted() -> None:
    """TABLE-980."""
    many = Many(1, "b" * 100, tuple("abcdef"), {"k": 1}, Many(5), 3, 4, [Many(5), Many(6)])
    assert repr(many).splitlines() == [
        "Many",
        f"  a: 1, b: '{'b' * 56}..., c: 6: a, b, c, d, ..., d: k: 1",
        "  e: Many(a=5), f: 3, g: 4, h: 2 of Many",
    ]
    assert "<td>h</td><td>2 of Many</td>" in brief_html(many)
    assert "<script>" not in brief_html(Many(1, "<script>"))
    assert brief(Many(1, "b" * 200)) == "Many"
    assert brief_text(many) == repr(many)


@pytest.mark.parametrize("count", [0, 1, 4, 5, 300])
def test_a_list_of_objects_is_a_short_table(count: int) -> None:
    """TABLE-1354: a shell shows six lines at most, a notebook a table; it is a list in every other respect."""
    items = [Many(number) for number in range(count)]
    listing = Listing(items)
    assert listing == items
    assert len(repr(listing).splitlines()) == (1 if not count else min(count, 4) + 2)
    Balanced().feed(listing._repr_html_())
    assert listing._repr_html_().count("<tr>") == (min(count, 100) + 1 if count else 0)


def test_what_a_table_lists_has_a_row_for_each() -> None:
    """TABLE-1354."""
    table = hudi_core.open(rides())
    assert repr(table.commits()).splitlines()[0] == "10 of CommitSummary"
    for listed in (table.commits(), table.partitions(), table.indexes()):
        assert "<th>" in listed._repr_html_()  # type: ignore[attr-defined]
