"""The plain engine keeps the contracts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from hudi_core.engine import Runner
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Type
from hudi_plain.engine import ENGINE
from hudi_plain.rows import Batch, PlainRows
from hudi_plain.values import PlainValues
from tests.contract.columns import ColumnsContract
from tests.contract.harness import AnyEngine, Given
from tests.contract.keys import KeysContract
from tests.contract.rows import ProjectionContract, RowsContract, RowTruthContract
from tests.contract.runner import RunnerContract
from tests.contract.storage import StorageContract
from tests.contract.texts import TextsContract
from tests.contract.values import ValuesContract


class PlainColumns:
    """Row by row."""

    values = PlainValues()

    def mask(self, operation: Callable[..., Any], *columns: Given) -> list[bool]:
        return [operation(*row) for row in zip(*(rows for rows, _ in columns), strict=True)]

    def column(self, operation: Callable[..., Any], of: Type, *columns: Given) -> list[Any]:
        return self.mask(operation, *columns)


class PlainBatches:
    """A row a batch."""

    rows = PlainRows()

    def of(self, rows: Sequence[Any], schema: Schema) -> list[Batch]:
        return [(row,) for row in rows]

    def mask(self, batch: Batch, yes: bool) -> bool:
        return yes


@pytest.fixture(scope="session")
def whole_engine() -> AnyEngine:
    return ENGINE


@pytest.fixture(scope="session")
def batches() -> PlainBatches:
    return PlainBatches()


@pytest.fixture(scope="session")
def engine() -> PlainColumns:
    return PlainColumns()


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
