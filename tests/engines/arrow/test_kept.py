"""What is kept is what was asked for last, within bounds of number and of bytes."""

from __future__ import annotations

import pytest

from hudi_arrow.kept import SizedCache


def asked(kept: SizedCache[bytes], key: str, value: bytes = b"") -> bool:
    """Asks for a key; whether its value had to be made."""
    made: list[bytes] = []

    def make() -> bytes:
        made.append(value)
        return value

    assert kept.get(key, make) == value or not made
    return bool(made)


def test_values_asked_for_last_are_kept() -> None:
    kept = SizedCache[bytes](2, 100, len)
    assert [asked(kept, key) for key in "abaca"] == [True, True, False, True, False]
    assert asked(kept, "b")


def test_values_of_more_bytes_are_let_go() -> None:
    kept = SizedCache[bytes](10, 100, len)
    assert asked(kept, "a", bytes(40)) and asked(kept, "b", bytes(40)) and asked(kept, "c", bytes(40))
    assert not asked(kept, "c", bytes(40)) and not asked(kept, "b", bytes(40))
    assert asked(kept, "a", bytes(40)) and asked(kept, "c", bytes(40))


def test_a_value_above_the_bound_is_given_and_not_kept() -> None:
    kept = SizedCache[bytes](10, 100, len)
    assert asked(kept, "large", bytes(101)) and asked(kept, "large", bytes(101))
    assert asked(kept, "a", bytes(100)) and not asked(kept, "a", bytes(100))


def test_a_value_that_cannot_be_made_is_asked_for_again() -> None:
    kept = SizedCache[bytes](2, 100, len)

    def fail() -> bytes:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        kept.get("a", fail)
    assert asked(kept, "a")
