"""What every change of a field keeps true."""

from __future__ import annotations

import pytest

from hudi_core.errors import SchemaError
from hudi_core.evolve.fields import as_optional, brief, default_value, is_reserved, number_field, require_name, retype
from hudi_core.types import nodes as t
from hudi_core.types.disguised import variant


def test_numbered_gives_the_greatest_id_inside() -> None:
    of = t.Record((t.Field(0, "x", t.Array(t.Field(0, "element", t.Int()))),))
    field, greatest = number_field(t.Field(0, "s", of), 10)
    assert (field.id, greatest) == (10, 12)


def test_numbered_does_not_count_hidden_ids() -> None:
    field, greatest = number_field(t.Field(0, "v", variant()), 10)
    assert (field.id, greatest) == (10, 10)
    assert all(inner.id < 0 for inner in t.children(field.type))


def test_as_optional_keeps_another_default() -> None:
    assert as_optional(t.Field(0, "a", t.Int(), optional=False)).default is None
    assert as_optional(t.Field(0, "a", t.Int(), optional=False, default=3)).default == 3


def test_retyped_casts_the_default_and_refuses_one_without_a_counterpart() -> None:
    """CHANGE-9."""
    assert retype(t.Field(0, "a", t.Float(), default=1.5), t.String()).default == "1.5"
    with pytest.raises(SchemaError):
        retype(t.Field(0, "a", t.String(), default="apple"), t.Date())


def test_reserved_names_are_hudis_own_in_any_case() -> None:
    assert is_reserved(("_HOODIE_file_name",))
    assert not is_reserved(("_hoodie_is_deleted",))


@pytest.mark.parametrize("name", ["", "1a", "a b", "a.b", "a-b", "a\n"])
def test_names_are_names_of_avro(name: str) -> None:
    with pytest.raises(SchemaError):
        require_name(name, "here")


def test_defaults_of_times_may_be_strings() -> None:
    assert default_value("12:00:00", t.Time(t.Unit.MILLIS), "a") == 43_200_000


@pytest.mark.parametrize(
    ("of", "answer"),
    [(t.Record(()), "record"), (variant(), "variant"), (t.Union(()), "union"), (t.Decimal(5, 2), "decimal(5,2)")],
)
def test_brief_names_only_the_kind_of_a_nested_type(of: t.Type, answer: str) -> None:
    assert brief(of) == answer


@pytest.mark.parametrize("name", ["größe", "_x", "列", "a٣"])
def test_a_new_name_has_letters_of_any_script_as_those_of_a_new_table(name: str) -> None:
    """CHANGE-1000."""
    require_name(name, name)
    for wrong in (f"{name} ", f"1{name}", f"{name}-", f"{name}.{name}"):
        with pytest.raises(SchemaError, match="expected a name of letters, digits and _"):
            require_name(wrong, wrong)
