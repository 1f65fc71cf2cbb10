"""Single records of a file group: the newest that is not deleted, as if all were read and applied in order.

Also covers: `metadata/records.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import string_column
from hudi_core.formats.hfile.cells import Cells
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.metadata.lookup import count, newest, newest_of, starting
from hudi_core.metadata.records import FileGroup, MetadataDeletes
from tests.support.hfiles import Shape, build
from tests.support.metadata_records import batch, files

KEYS = st.sampled_from([b"a", b"ab", b"abc", b"b", b"ba", b"c", b"d"])
BASE = st.none() | st.sets(KEYS)
LOGS = st.lists(st.tuples(st.booleans(), st.sets(KEYS, min_size=1)), max_size=4)


def group(base: set[bytes] | None, logs: list[tuple[bool, set[bytes]]]) -> tuple[FileGroup, Mapping[bytes, int]]:
    """A group of these sources, and in which source, by order, the newest record of each live key is."""
    file = None
    if base is not None:
        cells = [(key, b"0") for key in sorted(base)]
        file = HFile(InMemoryFile(build(cells, Shape(info={b"schema": b'"string"'})), "base"))
    live = dict.fromkeys(base or (), 0)
    puts: list[Any] = []
    deletes = []
    for order, (put, keys) in enumerate(logs, start=1):
        if put:
            puts.append(batch({key: files(x=1) for key in sorted(keys)}, order))
            live |= dict.fromkeys(keys, order)
        else:
            deletes.append(MetadataDeletes(sorted(keys), order))
            live = {key: at for key, at in live.items() if key not in keys}
    return FileGroup(file, puts, deletes), live


@given(BASE, LOGS, st.sets(KEYS))
def test_newest_record_of_each_live_key_is_found(
    base: set[bytes] | None, logs: list[tuple[bool, set[bytes]]], requested: set[bytes]
) -> None:
    """META-30, INDEX-11."""
    made, live = group(base, logs)
    keys = sorted(requested)
    found = {}
    for item in newest(made, keys):
        for row, number in enumerate(item.keys.tolist()):
            assert item.batch.cells.key(row) == keys[number]
            found[keys[number]] = item.batch.order
    assert found == {key: live[key] for key in keys if key in live}


def test_of_records_of_one_key_in_a_block_the_last_counts() -> None:
    block = batch([(b"a", files(x=1)), (b"a", files(x=2)), (b"b", files(x=3))], 1)
    made = FileGroup(None, [block], [])
    (found,) = newest(made, [b"a"])
    assert [found.batch.cells.value(row) for row in range(len(found.batch.cells))] == [block.cells.value(1)]
    texts = string_column(["a"])
    (look,) = newest_of(made, texts, index_strings(texts))
    assert [look().batch.cells.value(row) for row in range(len(look().batch.cells))] == [block.cells.value(1)]


@given(BASE, LOGS, st.lists(KEYS, max_size=12))
def test_newest_records_of_a_column_of_keys_are_found_once(
    base: set[bytes] | None, logs: list[tuple[bool, set[bytes]]], requested: list[bytes]
) -> None:
    made, live = group(base, logs)
    texts = string_column([key.decode() for key in requested])
    found = {}
    for look in newest_of(made, texts, index_strings(texts)):
        item = look()
        for row, number in enumerate(item.keys.tolist()):
            assert item.batch.cells.key(row) == requested[number]
            assert requested.index(requested[number]) == number
            assert requested[number] not in found
            found[requested[number]] = item.batch.order
    assert found == {key: live[key] for key in requested if key in live}


@given(BASE, LOGS, st.sets(KEYS, max_size=2))
def test_live_keys_that_start_so_are_found(
    base: set[bytes] | None, logs: list[tuple[bool, set[bytes]]], prefixes: set[bytes]
) -> None:
    made, live = group(base, logs)
    assert starting(made, sorted(prefixes)) == {key for key in live if key.startswith(tuple(prefixes))}


@given(BASE, LOGS)
def test_live_keys_are_counted(base: set[bytes] | None, logs: list[tuple[bool, set[bytes]]]) -> None:
    made, live = group(base, logs)
    assert count(made, 100) == len(live)


def test_keys_are_counted_without_an_object_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE-1488."""
    made, live = group({b"a", b"c"}, [(True, {b"a", b"b"}), (False, {b"c"}), (True, {b"d"})])
    monkeypatch.setattr(Cells, "key", lambda *_: pytest.fail("a key was made"))
    assert count(made, 100) == len(live) == 3


def test_counting_stops_when_too_many_values_must_be_looked_up() -> None:
    made, _ = group({b"a"}, [(True, {b"a", b"b"}), (False, {b"a", b"c"})])
    assert count(made, 4) == 1
    assert count(made, 3) is None


def test_keys_of_found_records_are_numbers() -> None:
    made, _ = group({b"a", b"c"}, [(True, {b"b"})])
    assert np.concatenate([item.keys for item in newest(made, [b"a", b"b", b"c"])]).tolist() == [1, 0, 2]
