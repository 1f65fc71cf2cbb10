"""The plain engine keeps the contracts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hudi_core.types.nodes import Type
from hudi_plain.values import PlainValues
from tests.contract.harness import Given
from tests.contract.values import ValuesContract


class PlainColumns:
    """Row by row."""

    values = PlainValues()

    def mask(self, operation: Callable[..., Any], *columns: Given) -> list[bool]:
        return [operation(*row) for row in zip(*(rows for rows, _ in columns), strict=True)]

    def column(self, operation: Callable[..., Any], of: Type, *columns: Given) -> list[Any]:
        return self.mask(operation, *columns)


@pytest.fixture(scope="session")
def engine() -> PlainColumns:
    return PlainColumns()


class TestValues(ValuesContract):
    pass
