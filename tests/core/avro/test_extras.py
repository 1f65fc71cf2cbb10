"""What engines carry as metadata (SCHEMA-2, SCHEMA-23)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from hudi_core.avro.extras import carry, is_plain, restore, type_from_shell, type_shell
from hudi_core.errors import SchemaError
from hudi_core.schema.loss import ConversionLoss
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.walk import same_field
from tests.support.drawing import cases
from tests.support.strategies import schemas, types


def to_text(of: t.Type) -> t.Type:
    """An engine whose only word for an enumeration is string."""
    return t.String() if isinstance(of, t.Enumeration) else of


FULL = t.Field(1, "f", t.Enumeration(("A", "B"), "ns.E"), True, "doc", "B", ("old",), {"p": 1}, {"q": 2})


def test_carried_attributes_are_restored() -> None:
    losses: list[ConversionLoss] = []
    extras = json.loads(json.dumps(carry(FULL, to_text, "f", losses)))
    assert not losses
    assert restore(t.Field(1, "f", t.String(), True, default=None), extras, to_text, "f") == FULL


def test_attributes_that_are_not_kept_are_reported() -> None:
    losses: list[ConversionLoss] = []
    assert carry(FULL, to_text, "f", losses, keep=False) == {}
    assert losses == [
        ConversionLoss("f", "enum(A,B)", "string"),
        ConversionLoss("f", "doc 'doc'"),
        ConversionLoss("f", "default 'B'"),
        ConversionLoss("f", "aliases ['old']"),
        ConversionLoss("f", "properties {'p': 1}"),
        ConversionLoss("f", "type properties {'q': 2}"),
    ]


def test_the_default_null_of_an_optional_column_is_implied() -> None:
    losses: list[ConversionLoss] = []
    assert carry(t.Field(0, "f", t.Int(), True, default=None), to_text, "f", losses) == {}
    assert carry(t.Field(0, "f", t.Int(), True), to_text, "f", losses) == {"no_default": True}
    assert carry(t.Field(0, "element", t.Int(), True), to_text, "f", losses, column=False) == {}
    plain = t.Field(0, "f", t.Int(), True, default=None)
    assert restore(plain, {"no_default": True}, to_text, "f").default is t.ABSENT


def test_a_default_that_avro_cannot_express_is_a_loss() -> None:
    union = t.Union((t.Field(0, "member0", t.Int(), False), t.Field(0, "member1", t.String(), False)))
    losses: list[ConversionLoss] = []
    assert carry(t.Field(0, "f", union, False, default=(1, "x")), to_text, "f", losses) == {}
    assert losses == [ConversionLoss("f", "default (1, 'x')")]


def test_a_type_that_was_changed_since_wins() -> None:
    extras = carry(FULL, to_text, "f", [])
    del extras["default"]
    changed = t.Field(1, "f", t.Long(), True, default=None)
    assert restore(changed, extras, to_text, "f").type == t.Long()


@pytest.mark.parametrize(
    "extras",
    [{"type": {}}, {"type": {"is": "tree"}}, {"type": 5}, {"type": {"is": "int", "x": 1}}, {"aliases": 5}],
)
def test_extras_of_another_form_are_refused(extras: dict[str, object]) -> None:
    with pytest.raises(SchemaError, match=r"^f: expected metadata of this library"):
        restore(t.Field(1, "f", t.Int()), extras, to_text, "f")


@given(types())
@settings(max_examples=cases(80), deadline=None)
def test_a_shell_and_the_fields_make_the_type(of: t.Type) -> None:
    again = type_from_shell(json.loads(json.dumps(type_shell(of))), t.children(of))
    assert same_field(t.Field(0, "f", again), t.Field(0, "f", of))


@given(schemas())
@settings(max_examples=cases(60), deadline=None)
def test_a_plain_field_is_one_of_which_nothing_is_carried(schema: Schema) -> None:
    for field in schema.fields:
        assert is_plain(field) == (carry(field, lambda of: of, "f", []) == {})
