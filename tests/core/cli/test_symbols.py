"""Signs that a character set lacks."""

from __future__ import annotations

import codecs

import pytest

from hudi_core.cli.symbols import PLAIN_SIGNS


def test_signs_that_a_terminal_lacks_are_plain_ones() -> None:
    """CLI-672: one sign each, so that columns stay under each other."""
    text = "█░ 12 µs … −3 größe 你"
    plain = text.encode("ascii", errors=PLAIN_SIGNS).decode()
    assert plain == "#. 12 us ~ -3 gr??e ?"
    assert text.encode("latin-1", errors=PLAIN_SIGNS).decode("latin-1") == "#. 12 µs ~ -3 größe ?"
    with pytest.raises(UnicodeDecodeError):
        codecs.lookup_error(PLAIN_SIGNS)(UnicodeDecodeError("ascii", b"\xff", 0, 1, "no letter"))
