"""Fields of options and flags: each of another type than is stated is refused before anything is done."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hudi_core
from hudi_core.arguments import take_count, take_flag
from hudi_core.errors import UsageError
from hudi_core.front.table import Table
from hudi_core.services.bounds import WorkBounds
from hudi_core.tagging.choose import IndexType

OPTIONS = [
    *(getattr(hudi_core, name) for name in hudi_core.__all__ if name.endswith("Options")),
    hudi_core.FileSizes,
    WorkBounds,
]
FIELDS = [(kind, field) for kind in OPTIONS for field in fields(kind) if field.name != "where"]
"""A predicate is read where the schema is known."""
WRONG: dict[str, tuple[object, ...]] = {
    "bool": ("no", "false", "", 0, 1, [], None),
    "bool | None": ("no", "false", "", 0, 1, []),
    "int": ("5", 5.5, True, -1, None, float("nan"), []),
    "int | None": ("5", 5.5, True, -1, float("nan"), []),
    "float | None": ("5", True, float("nan"), []),
    "str": (5, b"x", None, []),
    "str | None": (5, b"x", []),
}
LISTS = ("partitions",)
"""Fields that are a list of names also, or one name."""
ODD = (7, object(), b"x", "an odd text", {"a": object()})


@pytest.mark.parametrize(("kind", "field"), FIELDS, ids=lambda one: getattr(one, "__name__", "") or one.name)
def test_a_field_of_another_type_is_refused_by_its_name(kind: Any, field: Any) -> None:
    """TABLE-1445."""
    odd = ODD[:1] if field.name in LISTS or "tuple" in field.type or "str" in field.type else ODD
    for wrong in WRONG.get(str(field.type), odd):
        with pytest.raises(UsageError) as refused:
            kind(**{field.name: wrong})
        assert refused.value.where == field.name, wrong


def test_members_are_given_by_their_values_and_numbers_of_numpy_count() -> None:
    """TABLE-1445."""
    made = hudi_core.WriteOptions(index="bloom", attempts=np.int64(2), dry_run=np.bool_(True))  # type: ignore[arg-type]
    assert made.index is IndexType.BLOOM
    assert type(made.attempts) is int
    assert made.dry_run is True
    assert take_flag("x", False) is False
    assert take_count("x", 3, 3) == 3


@pytest.fixture
def table(tmp_path: Path) -> Table:
    made = hudi_core.create(tmp_path / "t", hudi_core.schema_of("id string, n int"), "id")
    made.upsert({"id": ["a", "b"], "n": [1, 2]})
    return made.refresh()


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("upsert", {"data": [{"id": "c", "n": 3}], "dry_run": "no"}),
        ("upsert", {"data": [{"id": "c", "n": 3}], "cancels_plans": "no"}),
        ("upsert", {"data": [{"id": "c", "n": 3}], "sizes": "1MB"}),
        ("upsert", {"data": [{"id": "c", "n": 3}], "index": "Bloom"}),
        ("delete", {"where": "n = 1", "dry_run": "false"}),
        ("clean", {"keep_commits": 1, "dry_run": "no"}),
        ("rollback", {"failed": "no"}),
        ("rollback", {"failed": True, "dry_run": "no"}),
        ("restore", {"to": "x", "dry_run": "no"}),
        ("scan", {"meta": "no"}),
        ("to_arrow", {"meta": "no"}),
        ("to_pandas", {"meta": "no"}),
        ("to_polars", {"meta": "no"}),
    ],
)
def test_a_flag_that_is_no_truth_value_changes_nothing(table: Table, method: str, arguments: dict[str, Any]) -> None:
    """TABLE-1445: a text in its place would count as true."""
    before = {path: path.read_bytes() for path in Path(table.uri).rglob("*") if path.is_file()}
    with pytest.raises(UsageError, match=r"^(dry_run|cancels_plans|sizes|index|failed|meta): expected"):
        getattr(table, method)(**arguments)
    assert before == {path: path.read_bytes() for path in Path(table.uri).rglob("*") if path.is_file()}


@pytest.mark.parametrize("flag", ["case_sensitive"])
def test_a_table_is_not_opened_with_a_flag_that_is_none(table: Table, flag: str) -> None:
    """TABLE-1445."""
    with pytest.raises(UsageError, match=f"^{flag}: expected True or False, found 'no'"):
        hudi_core.open(table.uri, **{flag: "no"})


def test_a_function_takes_truth_values_alone(table: Table) -> None:
    """TABLE-981, TABLE-1445."""
    with pytest.raises(UsageError, match=r"^dry_run: expected True or False, found 'no'"):
        hudi_core.restore(table, to="x", dry_run="no")  # type: ignore[arg-type]
    for function, flag in (
        (hudi_core.rollback, "failed"),
        (hudi_core.rollback, "dry_run"),
        (hudi_core.drop_index, "dry_run"),
    ):
        with pytest.raises(UsageError, match=f"^{flag}: expected True or False"):
            function(table, "x", **{flag: 1})  # type: ignore[arg-type]
