"""What headers of log blocks say of columns without statistics."""

from __future__ import annotations

import struct

import pytest

from hudi_core.errors import HudiError
from hudi_core.formats.log import MAGIC
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.planning.sources.log_headers import UNREADABLE, LogHeaders, log_headers
from hudi_core.planning.sources.slice_statistics import MissingStats

AVRO, DELETE, COMMAND = 3, 1, 0
SCHEMA = '{"type": "record", "name": "r", "fields": [{"name": "id", "type": "string"}, {"name": "n", "type": "int"}]}'


def block(kind: int, **header: str) -> bytes:
    keys = {"instant": 0, "target": 1, "schema": 2, "command": 3, "partial": 7}
    texts = b"".join(struct.pack(">ii", keys[key], len(text)) + text.encode() for key, text in header.items())
    body = struct.pack(">iii", 1, kind, len(header)) + texts + struct.pack(">qi", 0, 0)
    return MAGIC + struct.pack(">q", len(body) + 8) + body + struct.pack(">q", len(body) + 14)


WHOLE = block(AVRO, instant="1", schema=SCHEMA)
PART = block(AVRO, instant="2", schema=SCHEMA, partial="true")
DELETES = block(DELETE, instant="3")
ROLLBACK = block(COMMAND, instant="4", target="2", command="0")


def headers(*blocks: bytes) -> LogHeaders:
    return log_headers(".f_1.log.1_0-0-0", InMemoryFile(b"".join(blocks), "a log"))


def test_deletes_change_no_column() -> None:
    """SOURCE-5."""
    found = headers(DELETES, ROLLBACK)
    assert (found.whole_rows, found.parts_of_rows) == (False, False)
    assert found.missing_stats("n") is MissingStats.NOTHING


def test_partial_updates_set_their_columns_and_may_leave_others_null() -> None:
    """SOURCE-5."""
    found = headers(PART, DELETES)
    assert (found.whole_rows, found.parts_of_rows, found.columns) == (False, True, frozenset({"id", "n"}))
    assert found.missing_stats("n") is MissingStats.ANYTHING
    assert found.missing_stats("x") is MissingStats.NULLS


def test_whole_rows_may_set_every_column() -> None:
    """SOURCE-5."""
    assert headers(WHOLE).missing_stats("x") is MissingStats.ANYTHING
    assert headers(PART, WHOLE).missing_stats("x") is MissingStats.ANYTHING
    assert (headers(PART, WHOLE).whole_rows, headers(PART, WHOLE).parts_of_rows) == (True, True)


def test_file_that_was_cut_is_judged_by_its_whole_blocks() -> None:
    assert headers(DELETES, WHOLE[:-3]).missing_stats("n") is MissingStats.NOTHING


def test_nothing_is_known_of_a_file_that_cannot_be_read() -> None:
    assert UNREADABLE.missing_stats("n") is MissingStats.ANYTHING
    assert UNREADABLE.parts_of_rows
    for damaged in (block(AVRO, instant="1", partial="true"), block(AVRO, instant="1", schema="{", partial="true")):
        with pytest.raises(HudiError, match="a log"):
            headers(damaged)
