"""The Arrow engine keeps the contracts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from hudi_arrow.arrays import from_values, to_values
from hudi_arrow.engine import ENGINE
from hudi_arrow.rows import ArrowRows
from hudi_arrow.types import to_arrow
from hudi_arrow.values import ArrowValues
from hudi_core.engine import Runner
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Type
from tests.contract.columns import ColumnsContract
from tests.contract.harness import AnyEngine, Given
from tests.contract.keys import KeysContract
from tests.contract.rows import ProjectionContract, RowsContract, RowTruthContract
from tests.contract.runner import RunnerContract
from tests.contract.storage import StorageContract
from tests.contract.texts import TextsContract
from tests.contract.values import ValuesContract
from tests.support.imports import imports


class ArrowColumns:
    """Arrays that are slices of longer ones, so that no operation may look at what lies outside."""

    values = ArrowValues()

    def mask(self, operation: Callable[..., Any], *columns: Given) -> list[bool]:
        found = _without_imports(operation, columns)
        assert found.type == pa.bool_() and found.null_count == 0
        return found.to_pylist()

    def column(self, operation: Callable[..., Any], of: Type, *columns: Given) -> list[Any]:
        found = _without_imports(operation, columns)
        found.validate(full=True)
        assert not pa.types.is_primitive(found.type) or found.type == to_arrow(of)
        return to_values(found, of)


class ArrowBatches:
    """All rows in one batch."""

    rows = ArrowRows()

    def of(self, rows: Sequence[Any], schema: Schema) -> list[pa.RecordBatch]:
        return [self.rows.batch(from_values(list(rows), schema.record))] if rows else []

    def mask(self, batch: pa.RecordBatch, yes: bool) -> pa.Array:
        return pa.array([yes] * batch.num_rows, pa.bool_())


def _without_imports(operation: Callable[..., Any], columns: Sequence[Given]) -> Any:
    """What the operation gives, which leaves pyarrow no type to guess."""
    given = list(map(_sliced, columns))
    with imports() as names:
        found = operation(*given)
    assert "dateutil.relativedelta" not in names
    return found


def _sliced(column: Given) -> pa.Array:
    rows, of = column
    whole = from_values([*rows[-1:], *rows, *rows[:1]], of)
    whole.validate(full=True)
    return whole.slice(len(rows[-1:]), len(rows))


@pytest.fixture(scope="session")
def whole_engine() -> AnyEngine:
    return ENGINE


@pytest.fixture(scope="session")
def batches() -> ArrowBatches:
    return ArrowBatches()


@pytest.fixture(scope="session")
def engine() -> ArrowColumns:
    return ArrowColumns()


class TestValues(ValuesContract):
    pass


class TestTexts(TextsContract):
    pass


class TestKeys(KeysContract):
    pass


class TestRowTruth(RowTruthContract):
    pass


class TestProjection(ProjectionContract):
    pass


class TestRows(RowsContract):
    pass


class TestColumns(ColumnsContract):
    pass


class TestStorage(StorageContract):
    pass


class TestRunner(RunnerContract):
    @pytest.fixture
    def runner(self) -> Runner:
        return ENGINE.runner
