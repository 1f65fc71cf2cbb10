"""Functions of the package with arguments of another type: an error that says so, and no other."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core.errors import HudiError, UsageError
from tests.core.front.test_odd_arguments import ODD
from tests.support.commands import rides
from tests.support.drawing import SOAK

FUNCTIONS = [name for name in hudi_core.__all__ if inspect.isfunction(getattr(hudi_core, name))]
SCHEMA = hudi_core.schema_of({"fare": "double", "id": "string"})
GOOD: dict[str, object] = {
    **dict.fromkeys(("schema", "reader", "writer", "before", "after", "table_schema", "incoming"), SCHEMA),
    **dict.fromkeys(("where", "text"), "fare > 1"),
    "rows": [{"id": "a"}], "data": [{"id": "a"}],
    "changes": "ADD COLUMN zz int", "statistics": {}, "keys": ["a"], "columns": {"a": "int"}, "value": 1, "name": "fare",
    "expr": hudi_core.parse_predicate("fare > 1"), "partition": "files",
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_of_another_type_are_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TABLE-981: none of them changes the table."""
    monkeypatch.chdir(tmp_path)
    warnings.simplefilter("ignore")
    function: Any = getattr(hudi_core, name)
    parameters = [
        one for one in inspect.signature(function).parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD
    ]
    good = {**GOOD, "table": hudi_core.open(rides()), "by": hudi_core.open(rides()), "uri": rides()}
    needed = {one.name: good.get(one.name) for one in parameters if one.default is one.empty}
    refused = 0
    for parameter in parameters:
        odd = (7, None, "x") if parameter.name == "table" else ODD if SOAK else ODD[:4]
        writes = "table" in needed and parameter.name != "table"
        for value in () if writes or name == "create" else odd:
            try:
                made = function(**{**needed, parameter.name: value})
                list(made) if inspect.isgenerator(made) else None
            except HudiError:
                refused += 1
    assert refused or name in ("col", "create", "parse_changes")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: hudi_core.bind("fare > 1", SCHEMA),
            "expr: expected a predicate, as hudi_core.parse_predicate gives it",
        ),
        (lambda: hudi_core.schema_to_avro(3), "schema: expected a schema"),
        (lambda: hudi_core.validate("rides"), "table: expected a table, as hudi_core.open gives it, found"),
        (lambda: hudi_core.prune("fare > 1", {"fare": 3}, SCHEMA), "statistics of fare: expected ColumnBounds"),
        (lambda: hudi_core.lit(1, 7), "type: expected a type or a string or None, found 7"),
        (lambda: hudi_core.cluster("rides"), "table: expected a table, as hudi_core.open gives it, found"),
        (lambda: hudi_core.evolve(3, "DROP COLUMN a"), "schema: expected a schema"),
    ],
)
def test_errors_name_the_argument(call: Any, text: str) -> None:
    """TABLE-981."""
    with pytest.raises(UsageError) as raised:
        call()
    assert str(raised.value).startswith(text)


@pytest.mark.parametrize("name", ["archive", "clean", "cluster", "compact", "run_services"])
def test_options_of_services_are_no_values_of_their_own(name: str) -> None:
    """TABLE-981."""
    with pytest.raises(UsageError, match=r"^options: expected hudi_core\.\w+Options or None, found 7"):
        getattr(hudi_core, name)(hudi_core.open(rides()), 7)
