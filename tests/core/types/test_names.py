"""Names of columns, as Avro allows them."""

from __future__ import annotations

import pytest

from hudi_core.types.nodes import is_name


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("a", True),
        ("_1", True),
        ("größe", True),
        ("1a", False),
        ("a-b", False),
        ("a.b", False),
        ("", False),
        (5, False),
    ],
)
def test_names_are_letters_digits_and_underscores(name: object, allowed: bool) -> None:
    assert is_name(name) is allowed
