"""Names of other libraries end in an error that says what does the same here; all else is answered as before."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core import other_words
from hudi_core.arguments import AnswersOtherWords
from hudi_core.errors import UsageError
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.front.changes import Changes
from hudi_core.front.merging import Merge
from hudi_core.front.table import Table

OWNERS: dict[str, Any] = {
    "hudi_core": hudi_core,
    "hudi_core.table.table.Table": Table,
    "hudi_core.table.scan.Scan": hudi_core.Scan,
    "hudi_core.schema.schema.Schema": hudi_core.Schema,
    "hudi_core.front.merging.Merge": Merge,
    "hudi_core.front.changes.Changes": Changes,
    "hudi_core.expr.build.ExpressionBuilder": ExpressionBuilder,
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    made = hudi_core.create(tmp_path_factory.mktemp("words") / "t", hudi_core.schema_of("id string, n int"), "id")
    made.upsert({"id": ["a", "b"], "n": [1, 2]})
    return made.refresh()


@pytest.fixture(scope="module")
def objects(table: Table) -> dict[str, Any]:
    """One of each kind."""
    return {
        "hudi_core": hudi_core,
        "hudi_core.table.table.Table": table,
        "hudi_core.table.scan.Scan": table.scan(),
        "hudi_core.schema.schema.Schema": table.schema,
        "hudi_core.front.merging.Merge": table.merge([], "id"),
        "hudi_core.front.changes.Changes": table.transaction(),
        "hudi_core.expr.build.ExpressionBuilder": hudi_core.col("n"),
    }


@pytest.mark.parametrize("place", OWNERS)
def test_a_word_of_another_library_names_what_does_it_here(objects: dict[str, Any], place: str) -> None:
    """TABLE-1446: no word hides a name that there is, and what is named is there."""
    for word, instead in other_words._NAMES[place].items():
        assert not hasattr(OWNERS[place], word), word
        with pytest.raises(AttributeError) as missing:
            getattr(objects[place], word)
        assert str(missing.value).endswith(f"has no attribute {word!r}; use {instead}")
        for called in re.findall(r"hudi_core\.(\w+)", instead):
            assert hasattr(hudi_core, called), instead
        owner = Table if "table's" in instead or "open(path)" in instead else OWNERS[place]
        for called in re.findall(r'(?<![\w."])(\w+)\(', instead):
            assert hasattr(owner, called), instead


@pytest.mark.parametrize("place", OWNERS)
def test_other_names_are_missing_as_they_always_are(objects: dict[str, Any], place: str) -> None:
    """TABLE-1446."""
    for name in ("odd_name", "_repr_png_", "__array__", "_ipython_display_"):
        assert getattr(objects[place], name, None) is None
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}'$"):
            getattr(objects[place], name)
    assert "vacuum" not in dir(objects[place])


def test_objects_travel_and_show_themselves_as_before(table: Table) -> None:
    """TABLE-1446."""
    for one in (table, table.scan("n = 1")):
        assert copy.copy(one).schema == copy.deepcopy(one).schema == pickle.loads(pickle.dumps(one)).schema
        assert one._repr_html_().startswith("<table>")


def test_expressions_travel_as_before() -> None:
    """TABLE-1446."""
    one = hudi_core.col("n") > 3
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert repr(other) == "n > 3"


def test_the_error_of_a_property_stays_its_own() -> None:
    """TABLE-1446."""

    class Odd(AnswersOtherWords):
        @property
        def broken(self) -> int:
            return None.real  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'real'"):
        _ = Odd().broken


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("scan(filters=[])", "Table.scan() got an unexpected keyword argument 'filters'; its arguments are where, columns"),
        ("scan(filters=[])", "; for filters use where"),
        ("scan(selected_fields=['n'])", "; for selected_fields use columns"),
        ("to_pandas(predicate='n = 1')", "; for predicate use where"),
        ("count(1, 2, 3)", "Table.count() takes from 1 to 3 positional arguments but 4 were given; its arguments are where"),
        ("merge([])", "Table.merge() missing 1 required positional argument: 'on'; its arguments are source, on"),
        ("merge([], 'id').when_matched_delete(where='n = 1')", "its arguments are condition"),
    ],
)  # fmt: skip
def test_a_method_names_the_arguments_that_it_has(table: Table, call: str, text: str) -> None:
    """TABLE-1353, TABLE-1446."""
    with pytest.raises(TypeError) as refused:
        eval(f"table.{call}")
    assert text in str(refused.value)


def test_functions_and_options_name_the_arguments_that_they_have(table: Table, tmp_path: Path) -> None:
    """TABLE-1353, TABLE-1446."""
    with pytest.raises(TypeError, match=r"; for table_type use type; for precombine use ordering$"):
        hudi_core.create(tmp_path / "x", hudi_core.schema_of("id string"), "id", table_type="mor", precombine="id")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="found mode; use the methods append, upsert and overwrite"):
        table.write([], mode="overwrite")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match=r"found replace_where; use overwrite\(rows, where=...\)"):
        table.write([], replace_where="n = 1")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="found retain_last; use keep_commits"):
        table.clean(retain_last=3)  # type: ignore[call-arg]
    assert list(tmp_path.iterdir()) == []


def test_errors_from_within_a_method_are_left_as_they_are(table: Table) -> None:
    """TABLE-1353."""

    def fail(*_: object) -> None:
        raise TypeError("fail() got an odd value")

    with pytest.raises(TypeError, match=r"^fail\(\) got an odd value$"):
        table.to_lazy(on_scan=fail).collect()
    assert list(inspect.signature(table.scan).parameters)[:2] == ["where", "columns"]
