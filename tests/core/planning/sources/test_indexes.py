"""Indexes that find slices by values: what they remove, when they are not trusted, and damage to them.

Also covers: `planning/sources/log_statistics.py`, `planning/sources/uniqueness.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.expr.bind import bind
from hudi_core.expr.build import col
from hudi_core.planning.plan import ScanPlan
from hudi_core.planning.sources import bloom_filters, file_headers
from hudi_core.planning.sources.file_filters import text_in_footer
from hudi_core.planning.sources.indexes import Lookup
from hudi_core.planning.sources.sources import Sources
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.timeline.slices import slices_of
from tests.support.made_tables import Group, Log, MadeTable


def row(key: str, text: str | None = None, number: int | None = None) -> dict[str, Any]:
    return {"id": key, "s": text, "n": number}


GROUPS = [
    Group("u", [row("a", "x", 1), row("m", "y", 5), row("z", "x", 9)]),
    Group("u", [row("b", "y", 1), row("n", "$", 9), row("y", None, 5)]),
    Group("v", [row("c", "x", 2), row("x", "y", 8)]),
]
"""Their ranges overlap, so that bounds tell little."""


def plan(made: MadeTable, where: str, mode: MetadataMode = MetadataMode.AUTO) -> tuple[list[int], ScanPlan]:
    """The numbers of the groups that are read, and the plan."""
    found = made.open(mode).scan(where=where).plan
    names = [made.file_id(number) for number in range(len(made.groups))]
    return sorted(names.index(item.file_id) for item in found.kept()), found


def note(found: ScanPlan, source: str) -> str:
    return next(step.note for step in found.steps if step.source == source)


def removed(found: ScanPlan, source: str) -> int:
    return next(step.removed for step in found.steps if step.source == source)


class TestRecordIndex:
    made = MadeTable(GROUPS, ("record_index",))

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            ("id = 'm'", [0]),
            ("id in ('m', 'c', 'nothing')", [0, 2]),
            ("id = 'nothing'", []),
            ("id = 'm' and n = 5", [0]),
            ("id = 'm' or id = 'c'", [0, 2]),
            ("id <> 'm'", [0, 1, 2]),
            ("not (id = 'm')", [0, 1, 2]),
            ("id = 'm' or n = 8", [0, 1, 2]),
            ("(id = 'm' or n = 8) is true", [0, 1, 2]),
            ("id is null or id = 'x'", [0, 1, 2]),
        ],
    )
    def test_slices_of_the_keys_are_left(self, where: str, expected: list[int]) -> None:
        _, found = plan(self.made, where)
        step = next(item for item in found.steps if item.source == "record_index")
        assert step.after == len(expected)
        assert step.note == ("" if "id" in where else "no condition on equality that it covers")

    def test_reason_names_the_index_and_the_condition(self) -> None:
        _, found = plan(self.made, "n < 100 and id = 'm'")
        assert {item.by for item in found.decisions()} == {"", "record_index: id = 'm'"}

    def test_only_the_file_groups_of_the_keys_are_opened(self) -> None:
        made = MadeTable([*GROUPS, Group("v", [row(f"k{number}") for number in range(9)])], ("record_index",))
        table = made.open()
        table.scan(where="id = 'm'").plan.kept()
        made.memory.reads.clear()
        table.scan(where="id = 'x'").plan.kept()
        assert made.memory.reads == []

    @pytest.mark.parametrize(
        "more",
        [
            [Group("v", [row("m", "other")])],
            [Group("v", [row("d")], [Log([row("d", "new"), row("m")])])],
        ],
    )
    def test_an_index_is_not_trusted_when_a_key_is_in_several_places(self, more: Sequence[Group]) -> None:
        """SOURCE-12."""
        kept, found = plan(MadeTable([*GROUPS, *more], ("record_index",)), "id = 'm'")
        assert {0, 3} <= set(kept)
        assert note(found, "record_index").startswith("a key may be in several places: ")

    def test_rows_in_log_files_count(self) -> None:
        """SOURCE-12."""
        logs = [Log([row("new"), row("a", "changed")]), Log([row("late")])]
        kept, found = plan(MadeTable([replace(GROUPS[0], logs=logs), *GROUPS[1:]], ("record_index",)), "id = 'late'")
        assert (kept, removed(found, "record_index")) == ([0], 2)

    def test_an_index_that_lacks_a_key_is_not_trusted(self) -> None:
        """SOURCE-12."""
        made = MadeTable(GROUPS, ("record_index",), index_keys=["a", "b", "c"])
        kept, found = plan(made, "id = 'm'")
        assert kept == [0]
        assert note(found, "record_index") == "a key may be in several places: 3 keys, 8 rows"

    def test_an_index_is_not_used_at_an_earlier_instant(self) -> None:
        """SOURCE-13."""
        table = MadeTable([replace(GROUPS[0], logs=[Log(deleted=["m"])]), *GROUPS[1:]], ("record_index",)).open()
        earlier = table.scan(where="id = 'm'", as_of=table.timeline.commits[0].requested_time).plan
        assert note(earlier, "record_index") == "it is of another instant"
        assert len(earlier.kept()) == 1

    def test_an_index_newer_than_the_opened_table_is_not_used(self) -> None:
        """SOURCE-13."""
        made = MadeTable(GROUPS, ("record_index",))
        table = made.open()
        later = ".hoodie/metadata/.hoodie/timeline/20260101000099999_20260101000099999.deltacommit"
        made.memory.files[later] = b"{}"
        found = table.scan(where="id = 'm'").plan
        assert note(found, "record_index") == "it is of another instant"

    def test_place_where_no_slice_is_rules_nothing_out(self) -> None:
        """SOURCE-13."""
        made = MadeTable([*GROUPS, Group("w", [row("gone")])], ("record_index",))
        table = made.open()
        table.snapshot().__dict__["slices"] = slices_of([item for item in table.slices() if item.partition != "w"])
        found = table.scan(where="id = 'gone'").plan
        assert removed(found, "record_index") == 0

    @pytest.mark.parametrize("damage", [b"", b"damaged"])
    def test_damaged_index_is_set_aside_or_an_error_when_it_is_required(self, damage: bytes) -> None:
        """SOURCE-3."""
        made = MadeTable(GROUPS, ("record_index",))
        table, strict = made.open(), made.open(MetadataMode.REQUIRE)
        for path in made.memory.files:
            if "/record_index/" in path:
                made.memory.files[path] = damage
        found = table.scan(where="id = 'm'").plan
        assert note(found, "record_index") == "cannot be read"
        assert len(found.warnings) == 1
        assert "record_index" in found.warnings[0]
        with pytest.raises(CorruptFileError, match="record_index"):
            strict.scan(where="id = 'm'").plan.kept()


class TestSecondaryIndex:
    made = MadeTable(GROUPS, ("record_index", "secondary_index_s"))

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            ("s = 'x'", 2),
            ("s = '$'", 1),
            ("s in ('$', 'none')", 1),
            ("s = 'none'", 0),
            ("s is null", 3),
            ("s <> 'x'", 3),
        ],
    )
    def test_slices_of_the_values_are_left(self, where: str, expected: int) -> None:
        """SOURCE-14."""
        _, found = plan(self.made, where)
        assert next(item.after for item in found.steps if item.source == "secondary_index_s") == expected

    def test_slices_with_log_files_stay(self) -> None:
        logs = [replace(GROUPS[1], logs=[Log([row("b", "other")])])]
        _, found = plan(MadeTable([GROUPS[0], *logs, GROUPS[2]], self.made.indexes), "s = '$'")
        assert {item.file_id for item in found.kept()} >= {self.made.file_id(1)}
        assert removed(found, "secondary_index_s") == 2

    def test_index_is_as_good_as_the_record_index(self) -> None:
        """SOURCE-14."""
        twice = [*GROUPS, Group("v", [row("m", "q")])]
        _, found = plan(MadeTable(twice, self.made.indexes), "s = 'q'")
        assert note(found, "secondary_index_s").startswith("record_index: a key may be in several places")

    def test_index_that_is_not_whole_is_not_used(self) -> None:
        """SOURCE-14."""
        made = MadeTable(GROUPS, self.made.indexes)
        made.open()
        smaller = MadeTable(GROUPS[:2], self.made.indexes)
        smaller.open()
        made.memory.files |= {p: c for p, c in smaller.memory.files.items() if "/secondary_index_s/" in p}
        made._write = lambda: None  # type: ignore[method-assign]
        kept, found = plan(made, "s = 'x'")
        assert note(found, "secondary_index_s") == "it is not whole: 6 keys, 8 in record_index"
        assert 2 in kept


class TestBloomFilters:
    made = MadeTable(GROUPS, ("bloom_filters",))
    with_statistics = ("column_stats", "bloom_filters")

    def test_files_that_do_not_hold_the_key_are_left_out(self) -> None:
        """SOURCE-18."""
        _, found = plan(self.made, "id = 'm'")
        assert removed(found, "bloom_filters") == 2
        assert {item.by for item in found.decisions()} == {"", "bloom_filters: id = 'm'"}
        assert removed(plan(self.made, "id <> 'm'")[1], "bloom_filters") == 0

    def test_slices_with_log_files_stay(self) -> None:
        with_log = replace(GROUPS[2], logs=[Log([row("late")])])
        kept, found = plan(MadeTable([*GROUPS[:2], with_log], ("bloom_filters",)), "id = 'late'")
        assert kept == [2]
        assert removed(found, "bloom_filters") == 2

    @pytest.mark.parametrize(
        ("log", "removed_slices"),
        [
            (Log([row("c"), row("d")]), 2),  # the lower and upper bound of its keys exclude `m`
            (Log(deleted=["m"]), 2),
            (Log([row("c")], ["m"]), 2),
            (Log([row("c", "q")], columns=("s",)), 2),
            (Log([row("m")]), 1),
            (Log([row("m", "q")], columns=("s",)), 1),
            (Log([row("c"), row("p")]), 1),
            (Log([row("c")], reported=False), 1),
            (Log([row("c", "q")], columns=("s",), reported=False), 1),
        ],
    )
    def test_a_slice_with_a_log_file_is_skipped_where_its_filter_and_the_statistics_of_the_log_file_exclude_the_key(
        self, log: Log, removed_slices: int
    ) -> None:
        groups = [GROUPS[0], replace(GROUPS[1], logs=[log]), GROUPS[2]]
        kept, found = plan(MadeTable(groups, self.with_statistics), "id = 'm'")
        assert removed(found, "bloom_filters") == removed_slices
        assert kept == ([0] if removed_slices == 2 else [0, 1])

    def test_each_log_file_of_a_slice_has_to_exclude_the_key(self) -> None:
        groups = [replace(GROUPS[1], logs=[Log([row("c")]), Log([row("m")])])]
        assert plan(MadeTable(groups, self.with_statistics), "id = 'm'")[0] == [0]

    def test_log_files_exclude_a_key_of_several_columns_only_together(self) -> None:
        """Partial updates may set the key columns of one row in different log files."""
        logs = [Log([row("m", "x")], columns=("s",)), Log([row("q", None, 7)], columns=("n",))]
        own = {
            "hoodie.table.recordkey.fields": "id,n",
            "hoodie.table.keygenerator.type": "COMPLEX",
        }
        made = MadeTable([replace(GROUPS[1], logs=logs)], self.with_statistics, own)
        assert removed(plan(made, "id = 'm' and n = 7")[1], "bloom_filters") == 0
        assert removed(plan(made, "id = 'c' and n = 7")[1], "bloom_filters") == 1

    def test_slices_with_log_files_stay_where_user_code_merges(self) -> None:
        groups = [replace(GROUPS[1], logs=[Log([row("c")])])]
        made = MadeTable(groups, self.with_statistics, {"hoodie.record.merge.mode": "CUSTOM"})
        assert plan(made, "id = 'm'")[0] == [0]

    def test_log_headers_are_read_only_of_slices_whose_filter_denies_the_key(self) -> None:
        logs = [Log(deleted=["b"])]
        made = MadeTable([replace(group, logs=logs) for group in GROUPS], self.with_statistics)
        sources = Sources(made.open().snapshot())
        lookup = Lookup(frozenset({"m"}), bind((col("id") == "m").node, sources.snapshot.schema))
        assert sources.filters[0].without(lookup, sources.all_slices).tolist() == [1, 2]
        read = {path for path in made.memory.reads if ".log." in path}
        assert read == {f"{made.groups[group].partition}/{made.log_name(group, 0)}" for group in (1, 2)}

    def test_filters_of_slices_with_log_files_are_left_unread_where_they_are_too_many(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        groups = [*GROUPS[1:], replace(GROUPS[1], logs=[Log([row("c")])])]
        for most, expected in ((3, []), (2, [2]), (1, [0, 1, 2])):
            monkeypatch.setattr(bloom_filters, "MAX_FILTERS", most)
            assert plan(MadeTable(groups, self.with_statistics), "id = 'm'")[0] == expected

    def test_file_without_a_filter_stays(self) -> None:
        """SOURCE-18."""
        made = MadeTable(GROUPS, ("bloom_filters",))
        made.open()
        fewer = MadeTable(GROUPS[1:], ("bloom_filters",))
        fewer.open()
        made.memory.files |= {p: c for p, c in fewer.memory.files.items() if "/bloom_filters/" in p}
        made._write = lambda: None  # type: ignore[method-assign]
        assert 2 in plan(made, "id = 'x'")[0]

    def test_filters_in_read_footers_are_probed(self) -> None:
        """SOURCE-18."""
        made = MadeTable([replace(group, reported=("n",)) for group in GROUPS], ("column_stats",))
        kept, found = plan(made, "id = 'm'")
        assert kept == [0]
        assert [step.source for step in found.steps][-2:] == ["footers", "bloom filters in footers"]

    @pytest.mark.parametrize(("room", "expected"), [(0, [0, 1, 2]), (1, [0, 1, 2]), (2, [0, 2]), (3, [0])])
    def test_filters_are_kept_as_long_as_there_is_room(
        self, monkeypatch: pytest.MonkeyPatch, room: int, expected: list[int]
    ) -> None:
        """SOURCE-1380."""
        made = MadeTable([replace(group, reported=("n",)) for group in GROUPS], ("column_stats",))
        headers = Sources(made.open().snapshot()).headers
        bases = [file_slice.base for file_slice in headers.snapshot.slices if file_slice.base]
        assert text_in_footer(headers.footer(bases[0])) is None
        size = len(text_in_footer(headers.footers(bases)[bases[1].path]) or b"")
        assert size > 0
        monkeypatch.setattr(file_headers, "FILTER_BYTES", room * size)
        assert plan(made, "id = 'm'")[0] == expected
