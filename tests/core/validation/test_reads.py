"""Validations whose tasks read files elsewhere find what one process finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from hudi_core.front.table import Table
from hudi_core.parallel.reach import Reach
from hudi_core.validation import reads, record_index
from tests.support.runners import RepeatingRunner
from tests.support.served_tables import filled


def files_of(table: Table, *, logs: bool = False) -> list[Path]:
    return [
        Path(table.storage.uri) / file.path
        for one in table.slices()
        for file in ([*one.logs] if logs else [one.base] if one.base is not None else [])
    ]


def nothing(table: Table) -> None:
    """A sound table."""


def swapped(table: Table) -> None:
    """A base file has the content of another: other keys, other values."""
    first, *_, last = files_of(table)
    copyfile(first, last)


def cut(table: Table) -> None:
    """The first file of each kind ends early."""
    for some in (files_of(table), files_of(table, logs=True)):
        for path in some[:1]:
            path.write_bytes(path.read_bytes()[:-30])


def overwritten(table: Table) -> None:
    """A base file with bytes of nothing in its middle."""
    path = files_of(table)[1]
    content = path.read_bytes()
    path.write_bytes(content[:300] + b"\0" * 50 + content[350:])


def without_record_keys(table: Table) -> None:
    """A file group of the record index is gone."""
    folder = Path(table.storage.uri) / ".hoodie/metadata/record_index"
    for path in folder.glob("*record-index-0001-0_*"):
        path.unlink()


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("damage", "kind"),
    [(swapped, "cow"), (cut, "mor")]
    + [
        pytest.param(damage, kind, marks=pytest.mark.soak)
        for damage in (nothing, swapped, cut, overwritten, without_record_keys)
        for kind in ("cow", "mor")
    ],
)
def test_findings_do_not_depend_on_where_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, damage: Callable[[Table], None]
) -> None:
    """VALID-910."""
    table = filled(tmp_path / "t", kind, 9)
    damage(table)
    here = list(table.validate())
    monkeypatch.setattr(reads, "_FILES_OF_TASK", 2)
    monkeypatch.setattr(record_index, "LEAST_OF_TASK", 2)
    assert list(table.validate(runner=RepeatingRunner())) == here
    assert (damage is nothing) == (not [finding for finding in here if finding.severity != "info"])


def test_keys_stay_where_files_are_read(tmp_path: Path) -> None:
    """VALID-910."""
    seen: list[bytes] = []

    class Watching(RepeatingRunner):
        def run(self, work: Any, tasks: Any) -> list[Any]:
            results = super().run(work, tasks)
            seen.append(str(results).encode())
            return results

    table = filled(tmp_path / "t", "cow", 9)
    assert [
        finding for finding in table.validate(runner=Watching(reach=Reach.NOTHING)) if finding.severity == "error"
    ] == []
    assert seen
    assert not any(b"bloomfilter" in results for results in seen)


@pytest.mark.parametrize(
    ("slices", "parallelism", "size"), [(0, 2, 16), (16, 2, 16), (200, 2, 25), (201, 2, 26), (10_000, 8, 313)]
)
def test_the_record_index_is_read_by_few_tasks(slices: int, parallelism: int, size: int) -> None:
    """VALID-1026."""
    assert record_index.slices_of_task(slices, parallelism) == size
    assert -(-slices // size) <= max(4 * parallelism, -(-slices // 16))


def test_no_more_tasks_read_files_than_read_the_record_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """VALID-1026."""
    tasks: list[int] = []

    class Counting(RepeatingRunner):
        def run(self, work: Any, shares: Any) -> list[Any]:
            tasks.append(len(shares))
            return super().run(work, shares)

    table = filled(tmp_path / "t", "cow", 9)
    monkeypatch.setattr(record_index, "LEAST_OF_TASK", 1)
    list(table.validate(["record_index"], runner=Counting()))
    assert 0 < sum(tasks) <= 4 * Counting().parallelism
