"""JSON of any writer."""

from __future__ import annotations

import pytest

from hudi_core.json_texts import parse_json


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a":' * 100_000, "9" * 5_000, b"\xff", b'"\x00"'])
def test_what_cannot_be_read_is_a_value_error(text: str | bytes) -> None:
    """FORMAT-830."""
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)
