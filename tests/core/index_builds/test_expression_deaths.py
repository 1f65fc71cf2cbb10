"""META-95, WRITE-30, WRITE-60: builds of expression indexes, and writes that keep them, die at any change of storage.

Covers `index_kinds/expressions.py` and `index_builds/expression_rows.py`.

"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hudi_core.front.opening import open_table
from hudi_core.index_builds import build as index_build
from hudi_core.index_builds.build import build_indexes
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.crashes import WHOLE, crashes, later
from tests.support.expression_tables import (
    INDEXES,
    LOWER,
    Copies,
    assert_kept,
    ids,
    indexed,
    rows,
)


def test_a_build_that_crashed_is_finished_by_the_next(
    tmp_path: Path, indexable: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """META-95: with the definition that it began with."""
    table = indexable(tmp_path / "t")

    def dies(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(index_build, "_base_files", dies)
        context.setattr(index_build, "_remove", lambda _, **__: None)
        with pytest.raises(KeyboardInterrupt):
            indexed(table, "expr_index_part")
    assert refreshed(table).config.metadata_partitions_inflight == ("expr_index_part",)
    write(refreshed(table), rows(range(5), 3))
    indexed(refreshed(table), LOWER)
    assert {"expr_index_part", LOWER} <= set(refreshed(table).config.metadata_partitions)
    assert_kept(table)


def test_a_build_that_crashes_leaves_the_table_correct(indexable: Copies, tmp_path: Path) -> None:
    """META-95: at every change of storage; the next build of any index builds it too, and writes go on."""
    indexable(tmp_path / "made", "cow")
    expected = ids(open_table(tmp_path / "made", metadata=MetadataMode.OFF), "lower(s) = 'v1'")
    for at, path in crashes(tmp_path / "made", lambda table: indexed(table, LOWER), step=9):
        table = open_table(path)
        assert ids(table, "lower(s) = 'v1'") == expected, at
        write(table, rows([19], 5, lambda _: "v1"), options=WriteOptions(clock=later))
        table = build_indexes(refreshed(table), ["expression_index"], INDEXES["expr_index_year"], clock=later)
        assert "k19" in ids(table, "lower(s) = 'v1'"), at
        assert table.config.kept_partitions == set(table.config.metadata_partitions), at
        assert [str(finding) for finding in validate(table, ["expression_index", "properties"])] == [], at
    assert ids(open_table(tmp_path / WHOLE), "lower(s) = 'v1'") == expected


def test_a_write_that_crashes_leaves_its_index_correct(indexable: Copies, tmp_path: Path) -> None:
    """WRITE-30, WRITE-60."""
    indexed(indexable(tmp_path / "made", "mor"), LOWER)
    change = rows([1, 19, 300], 5, lambda _: "New")
    seen: set[bool] = set()
    for at, path in crashes(tmp_path / "made", lambda table: write(table, change), step=9):
        table = open_table(path)
        seen.add(ids(table, "lower(s) = 'new'") == ["k1", "k19", "k300"])
        assert len(ids(table, "lower(s) = 'new'")) in (0, 3), at
        write(refreshed(table), rows([2], 5, lambda _: "New"), options=WriteOptions(clock=later))
        assert "k2" in ids(table, "lower(s) = 'new'"), at
        assert [str(finding) for finding in validate(refreshed(table), ["expression_index"])] == [], at
    assert False in seen
