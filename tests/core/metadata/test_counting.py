"""The records of a file group that count, whatever its sources hold: deletes alone, nothing, one log. META-99, META-230."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hudi_core.columns.strings import string_list
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.metadata.counting import counting_records
from hudi_core.metadata.lookup import count, live_keys, newest, starting
from hudi_core.metadata.records import FileGroup, MetadataDeletes, RecordBatch
from tests.support.hfiles import Shape, build
from tests.support.metadata_records import NEWEST, batch, files, statistics

KEYS = [b"a", b"ab", b"abc", b"b", b"c" * 40]
Log = tuple[str, frozenset[bytes]]
LOGS = st.lists(st.tuples(st.sampled_from(["put", "mark", "delete"]), st.frozensets(st.sampled_from(KEYS))), max_size=4)
"""Log blocks: records, records that mark their keys as deleted, and blocks of deletes; each may be empty."""


def group(base: frozenset[bytes] | None, logs: Sequence[Log]) -> tuple[FileGroup, dict[bytes, int]]:
    """A group of these sources, and of each live key the order of its newest record."""
    file, live = None, dict.fromkeys(base or (), 0)
    if base is not None:
        cells = batch({key: statistics(tight=True) for key in sorted(base)}).cells
        pairs = [(cells.key(row), cells.value(row)) for row in range(len(cells))]
        file = HFile(InMemoryFile(build(pairs, Shape(info={b"schema": json.dumps(NEWEST).encode()})), "base"))
    puts: list[RecordBatch] = []
    deletes: list[MetadataDeletes] = []
    for order, (kind, keys) in enumerate(logs, start=1):
        if kind == "delete":
            deletes.append(MetadataDeletes(sorted(keys), order))
        else:
            puts.append(batch({key: statistics(tight=True, deleted=kind == "mark") for key in sorted(keys)}, order))
        live = (
            live | dict.fromkeys(keys, order)
            if kind == "put"
            else {key: at for key, at in live.items() if key not in keys}
        )
    return FileGroup(file, puts, deletes), live


@given(st.none() | st.frozensets(st.sampled_from(KEYS), min_size=1), LOGS)
@example(None, [])
@example(None, [("delete", frozenset({b"a"}))])
@example(None, [("delete", frozenset())])
@example(None, [("put", frozenset({b"a"}))])
@example(None, [("mark", frozenset({b"a"}))])
@example(frozenset({b"a"}), [("delete", frozenset({b"a"}))])
def test_the_newest_record_of_each_key_counts(base: frozenset[bytes] | None, logs: list[Log]) -> None:
    """META-99, META-230."""
    made, live = group(base, logs)
    counting = counting_records(made)
    counted = {one.cells.key(row): one.order for one in counting.batches for row in range(len(one.cells))}
    assert counted == live
    assert sum(len(one.cells) for one in counting.batches) == len(live)
    assert counting.together == 0


@given(
    st.none() | st.frozensets(st.sampled_from(KEYS), min_size=1),
    LOGS.map(lambda logs: [log for log in logs if log[0] != "mark"]),
    st.frozensets(st.sampled_from([*KEYS, b"d" * 90, b""]), min_size=1),
)
@example(None, [("delete", frozenset({b"a"}))], frozenset({b"d" * 90}))
@example(None, [("put", frozenset({b"a"}))], frozenset({b"d" * 90}))
@example(None, [], frozenset({b"a"}))
def test_every_reader_agrees_on_what_is_there(
    base: frozenset[bytes] | None, logs: list[Log], prefixes: frozenset[bytes]
) -> None:
    """META-230: also for keys longer than all that a log block has."""
    made, live = group(base, logs)
    assert sorted(string_list(live_keys(made))) == sorted(key.decode() for key in live)
    assert starting(made, sorted(prefixes)) == {key for key in live if key.startswith(tuple(prefixes))}
    assert count(made, 1000) == len(live)
    keys = sorted(prefixes)
    located = {keys[number] for result in newest(made, keys) for number in result.keys.tolist()}
    assert located == prefixes & live.keys()


@pytest.mark.parametrize("tight", [True, False])
def test_statistics_of_one_key_that_add_up_stand_together(tight: bool) -> None:
    """META-99: but for one without statistics, which replaces those before it."""
    first = batch({b"a": statistics(), b"b": statistics()}, 1)
    later = batch({b"a": statistics(tight=tight), b"b": files(x=1)}, 2)
    counting = counting_records(FileGroup(None, [first, later], []))
    counted = [(one.cells.key(row), one.order) for one in counting.batches for row in range(len(one.cells))]
    assert sorted(counted) == sorted([(b"a", 2), (b"b", 2), *([] if tight else [(b"a", 1)])])
    assert counting.together == (0 if tight else 2)
