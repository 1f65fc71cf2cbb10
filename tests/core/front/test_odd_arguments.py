"""Arguments of another type end in an error that says so, at every method of a table: nothing is half done, no other error comes.

Also covers: `schema/names.py`.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.errors import HudiError, UsageError
from hudi_core.front.table import Table
from hudi_core.schema.names import name_list, names, refuse_no_name
from tests.support.drawing import SOAK

ROWS = pa.table({"id": ["a", "b"], "ts": [1, 2], "n": [1, 2], "p": ["x", "y"]})
ODD = [7, b"x", object(), [None], {"n": object()}, None, "x", [1], {"a": 1}, 1.5, lambda: 0, True, [], "", -1]
"""The first ones in an ordinary run."""
GOOD: dict[str, object] = {
    "data": ROWS, "source": ROWS, "on": ["id", "p"], "assigned": {"n": 1}, "partitions": ["p=x"], "name": "x",
    "kinds": ["files"], "changes": "ADD COLUMN z int", "column": "n", "where": "n = 1", "instant": None,
    "partition": "files",
}  # fmt: skip
OTHERS = {"from_opened", "to_duckdb"}
"""A constructor of the package's own, and a method whose argument is a connection."""
METHODS = [name for name, _ in inspect.getmembers(Table, callable) if not name.startswith("_") and name not in OTHERS]


def calls(function: Callable[..., object]) -> Iterator[dict[str, object]]:
    """Arguments of which one is odd."""
    parameters = [one for one in inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
    needed = {one.name: GOOD.get(one.name) for one in parameters if one.default is one.empty}
    for parameter in parameters:
        for odd in ODD if SOAK else ODD[:5]:
            yield {**needed, parameter.name: odd}


def done(result: object) -> None:
    """Reads what a call returned, where it reads only then."""
    if inspect.isgenerator(result):
        list(result)
    elif isinstance(result, hudi_core.Scan):
        result.to_arrow()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    made = hudi_core.create(tmp_path_factory.mktemp("odd") / "t", ROWS, "id", partition_by="p", ordering="ts")
    made.upsert(ROWS)
    return made.refresh()


@pytest.mark.parametrize("method", METHODS)
def test_arguments_of_other_types_end_in_an_error_of_this_package(table: Table, method: str) -> None:
    function = getattr(table.refresh(), method)
    for arguments in calls(function):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                done(function(**arguments))
            except HudiError as error:
                assert error.expected or error.message, arguments
    assert [finding for finding in hudi_core.validate(table.refresh()) if finding.severity == "error"] == []


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"uri": None}, "table"), ({"uri": b"t"}, "table"), ({"uri": ""}, "table"), ({"uri": " "}, "table"),
        ({"storage_options": 7}, "storage_options"),
        ({"options": "hoodie.x=1"}, "options"), ({"type": None}, "type"), ({"name": 7}, "name"), ({"key": 7}, "key"),
        ({"indexes": [7]}, "indexes"),
    ],
)  # fmt: skip
def test_a_table_is_not_created_of_arguments_of_other_types(tmp_path: Path, wrong: dict[str, Any], where: str) -> None:
    good: dict[str, Any] = {"uri": tmp_path / "t", "schema": ROWS, "key": "id"}
    with pytest.raises(UsageError, match=f"^{where}: expected"):
        hudi_core.create(**{**good, **wrong})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("wrong", "where"),
    [({"uri": 7}, "table"), ({"footer_cache": 7}, "footer_cache"), ({"storage_options": "a=b"}, "storage_options")],
)
def test_a_table_is_not_opened_with_arguments_of_other_types(tmp_path: Path, wrong: dict[str, Any], where: str) -> None:
    good: dict[str, Any] = {"uri": tmp_path}
    with pytest.raises(UsageError, match=f"^{where}: expected"):
        hudi_core.open(**{**good, **wrong})


@pytest.mark.parametrize("given", [7, None, b"ab", [1], ["a", None]])
def test_names_are_strings(given: Any) -> None:
    with pytest.raises(UsageError, match=r"^here: expected"):
        name_list(given, "here")
    with pytest.raises(UsageError, match=r"^here: expected"):
        names(given, "here")
    with pytest.raises(UsageError, match=r"^here: expected a string"):
        refuse_no_name(given, "here")


def test_a_mapping_is_no_list_of_names() -> None:
    """CLI-1637: {"n": 0} may mean all but n, and {"n": "m"} another name."""
    for take in (name_list, names):
        with pytest.raises(UsageError, match=r"^here: expected a list of names, found \{'n': 0\} \(dict\)"):
            take({"n": 0}, "here")


def test_a_string_is_names_with_commas_or_refused() -> None:
    assert name_list(" a, b,,") == ("a", "b") == names(iter(["a", "b"]), "here")
    with pytest.raises(UsageError, match=r"as \['a'\]"):
        names("a", "here")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: hudi_core.create("t", ROWS, "id", table_type="mor"),
            "create() got an unexpected keyword argument 'table_type'",
        ),  # type: ignore[call-arg]
        (lambda: hudi_core.create("t", ROWS, "id", "p"), "create() too many positional arguments"),  # type: ignore[misc]
        (lambda: hudi_core.open("t", versoin=3), "open() got an unexpected keyword argument 'versoin'"),  # type: ignore[call-arg]
    ],
)
def test_an_argument_that_a_function_does_not_have_is_named_beside_those_it_has(
    call: Callable[[], object], message: str
) -> None:
    """TABLE-1353."""
    with pytest.raises(TypeError) as refused:
        call()
    assert message in str(refused.value)
    assert "its arguments are uri, " in str(refused.value)
