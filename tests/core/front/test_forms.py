"""Forms of schema text: the core's own, and those that entry points offer.

Also covers: `schema/text_forms.py`.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
from hypothesis import given

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.front import forms
from hudi_core.front.forms import form
from hudi_core.schema.schema import Schema
from tests.support.strategies import schemas


@pytest.mark.parametrize("name", ["avro", "internal"])
@given(schema=schemas(plain=True))
def test_without_losses_the_way_back_gives_an_equal_schema(name: str, schema: Schema) -> None:
    written = form(name, "--to").write(schema)
    back = form(name, "--from").parse(written.value, "text")
    assert written.losses or back.value == schema


def test_a_form_that_nobody_offers_is_misuse() -> None:
    with pytest.raises(UsageError, match=r"--to: expected one of arrow, avro, .*, found toml"):
        form("toml", "--to")


def test_a_form_whose_package_is_missing_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("ghost", "hudi_no_such_package.text:FORM", forms.GROUP)
    monkeypatch.setattr(forms, "_offer", lambda: {"ghost": point})
    with pytest.raises(UnsupportedError, match="needs the package hudi_no_such_package"):
        form("ghost", "--from")
