"""VALID-30, VALID-31: expression indexes beside the values in files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.commit.statuses import ColumnRange
from hudi_core.front.opening import create_table
from hudi_core.index_kinds.expression_values import Expression
from hudi_core.table.open import refreshed
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import write
from tests.support.expression_tables import (
    LOWER,
    Copies,
    assert_kept,
    indexed,
)


def test_damage_is_reported_and_repaired(tmp_path: Path, indexable: Copies, monkeypatch: pytest.MonkeyPatch) -> None:
    """VALID-30: bounds that leave values out, of files and of whole partitions."""
    table = indexable(tmp_path / "t")
    monkeypatch.setattr(Expression, "of_file", lambda *_: ColumnRange("m", "n", 0, 9))
    indexed(table, LOWER)
    monkeypatch.undo()
    findings = list(validate(table, ["expression_index"]))
    assert {finding.where.partition(", ")[0] for finding in findings} == {f".hoodie/metadata/{LOWER}"}
    assert any("of partition 'y'" in finding.where for finding in findings)
    assert any("a lower bound up to 'a'" in finding.expected for finding in findings), findings
    assert any("nulls" in finding.expected for finding in findings)
    mend(refreshed(table), findings)
    assert [str(finding) for finding in validate(table)] == []
    assert_kept(table)


@pytest.mark.filterwarnings("ignore:rows without a value in a partition column")
@pytest.mark.parametrize("path", [["x", None], ["x", "y"]], ids=["null-partition", "another"])
def test_a_file_without_rows_needs_no_record(tmp_path: Path, path: list[str | None]) -> None:
    """VALID-30: the base file that a delete of its last row leaves."""
    given = pa.table({"id": ["a", "b"], "p": path, "s": ["x1", "y2"]})
    table = create_table(tmp_path / "t", given, "id", partition_by="p")
    write(table, given)
    indexed(refreshed(table), LOWER)
    refreshed(table).delete(where="id = 'b'")
    assert [file.base for file in refreshed(table).slices() if file.base is not None]
    assert [str(finding) for finding in validate(table)] == []


def test_a_filter_that_denies_a_value_is_reported(
    tmp_path: Path, indexable: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VALID-31."""
    table = indexable(tmp_path / "t")
    monkeypatch.setattr(Expression, "strings_of_file", lambda *_: [])
    indexed(table, "expr_index_sieve")
    monkeypatch.undo()
    findings = list(validate(table, ["expression_index"]))
    assert {finding.expected for finding in findings} == {"a filter that lets all values of the file pass"}
