"""META-34, META-35, META-50: kinds of metadata partitions: each partition has one, and each kind has its part in every step."""

from __future__ import annotations

import pytest

from hudi_core.index_builds.row_sources import SOURCES
from hudi_core.index_kinds.column_definitions import DEFINITIONS
from hudi_core.index_kinds.file_notes import NOTED
from hudi_core.metadata.kinds import (
    EXPRESSION,
    KINDS,
    SECONDARY,
    build_order,
    dependents,
    kind_of,
    of_kind,
)
from hudi_core.metadata.table import COLUMN_STATS, FILES, PARTITION_STATS, RECORD_INDEX
from hudi_core.metadata_rows.rows_of_change import ROWS_OF_CHANGE
from hudi_core.validation.validate import OF_INDEXES

NAMES = [kind.name for kind in KINDS]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_partition_is_of_one_kind(kind: object) -> None:
    """META-34, META-35, META-50."""
    (one,) = [known for known in KINDS if known is kind]
    partition = one.partition("fare")
    assert [known for known in KINDS if known.is_of(partition)] == [one]
    assert kind_of(partition) is one


def test_a_partition_of_later_releases_is_of_no_kind() -> None:
    assert kind_of("vector_index_fare") is None


def test_every_kind_has_its_part_in_every_step() -> None:
    assert sorted(ROWS_OF_CHANGE) == sorted(NAMES)
    assert sorted(SOURCES) == sorted(OF_INDEXES) == sorted(set(NAMES) - {FILES})
    assert set(NOTED) == {kind.name for kind in KINDS if kind.notes_files}
    assert set(DEFINITIONS) == {kind.name for kind in KINDS if kind.has_columns and kind.needs != COLUMN_STATS}


def test_a_kind_comes_after_what_it_needs() -> None:
    for kind in KINDS:
        if kind.needs is not None:
            assert build_order(kind.needs) < build_order(kind.partition("fare"))


def test_what_needs_a_partition_goes_with_it() -> None:
    there = {COLUMN_STATS, PARTITION_STATS, RECORD_INDEX, SECONDARY.partition("fare"), EXPRESSION.partition("day")}
    assert dependents(RECORD_INDEX, there) == {SECONDARY.partition("fare")}
    assert dependents(COLUMN_STATS, there) == {PARTITION_STATS}
    assert dependents(PARTITION_STATS, there) == set()


def test_partitions_of_a_kind_come_in_order() -> None:
    partitions = [SECONDARY.partition("b"), EXPRESSION.partition("c"), SECONDARY.partition("a")]
    assert [of_kind(kind, partitions) for kind in KINDS.named] == [
        [SECONDARY.partition("a"), SECONDARY.partition("b")],
        [EXPRESSION.partition("c")],
    ]
