"""Lists of records are passed over to where a walk of all of them leads, and what a walk refuses is refused."""

from __future__ import annotations

import json
from functools import partial
from typing import Any
from uuid import UUID

import fastavro
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hudi_core.arrays import Octets, Offsets
from hudi_core.commit.avro_schemas import COMMIT_METADATA
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro import foresee, skip
from hudi_core.formats.avro.container import read_string_map, write_container
from hudi_core.formats.avro.lanes import PADDING, DamagedLane
from hudi_core.formats.avro.plan import Node, plan
from hudi_core.formats.avro.step import stepper
from tests.support.avro_values import Names, encode, typed
from tests.support.drawing import cases

ROOMY = settings(
    deadline=None,
    max_examples=cases(60),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items are foreseen after two were walked, a few at a time."""
    monkeypatch.setattr(foresee, "_SAMPLE_COUNT", 2)
    monkeypatch.setattr(foresee, "_STRETCH_COUNT", 20)


@st.composite
def lists_of_records(draw: st.DrawFn) -> tuple[Node, bytes]:
    """A node of lists of records, and a value of it as fastavro writes it."""
    schema, values = draw(typed(Names(), 2))
    fields = [{"name": "id", "type": ["null", "string"]}, {"name": "value", "type": schema}]
    lists = {"type": "map", "values": {"type": "array", "items": {"type": "record", "name": "Item", "fields": fields}}}
    pool = draw(st.lists(values, min_size=1, max_size=6))
    random = np.random.default_rng(draw(st.integers(0, 9)))
    lengths = draw(st.lists(st.integers(0, 40), max_size=5))
    value = {
        f"p{number}": [{"id": f"{item:05}", "value": pool[random.integers(0, len(pool))]} for item in range(length)]
        for number, length in enumerate(lengths)
    }
    return plan(json.dumps(lists)), encode(fastavro.parse_schema(lists), value)


def outcome(node: Node, data: bytes, *, foreseeing: bool) -> int | None:
    """Where the value ends; None when it is damaged."""
    buffer = np.frombuffer(data + bytes(PADDING), np.uint8)
    find_ends = partial(skip._find_ends, buffer, len(data)) if foreseeing else None
    try:
        return stepper(node, find_ends)(buffer[: len(data)].data, 0)
    except (DamagedLane, IndexError):
        return None


@pytest.mark.usefixtures("soon")
@ROOMY
@given(lists_of_records())
def test_lists_end_where_a_walk_does(case: tuple[Node, bytes]) -> None:
    node, data = case
    assert outcome(node, data, foreseeing=True) == outcome(node, data, foreseeing=False) == len(data)


@pytest.mark.usefixtures("soon")
@ROOMY
@given(lists_of_records(), st.data())
def test_damaged_lists_are_what_they_are_to_a_walk(case: tuple[Node, bytes], draw: st.DataObject) -> None:
    node, whole = case
    data = bytearray(whole[: draw.draw(st.integers(1, len(whole)))])
    for _ in range(draw.draw(st.integers(0, 2))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    assert outcome(node, bytes(data), foreseeing=True) == outcome(node, bytes(data), foreseeing=False)


EXTRA = {"schema": "{}", "note": "x" * 300}


def commit(partitions: int, files: int) -> bytes:
    """Commit metadata of so many files in each partition."""
    random = np.random.default_rng(1)

    def stat(partition: str, number: int) -> dict[str, Any]:
        file_id = f"{UUID(bytes=random.bytes(16), version=4)}-0"
        return {
            "fileId": file_id, "path": f"{partition}/{file_id}_{number}.parquet", "numWrites": 38, "numInserts": 38 + number,
            "prevCommit": None if number % 3 else "20250101000000000", "logFiles": [f".{file_id}_1.log.1_0-1-0"] * (number % 2),
        }  # fmt: skip

    stats = {f"p{place}": [stat(f"p{place}", number) for number in range(files)] for place in range(partitions)}
    return write_container(COMMIT_METADATA, [{"partitionToWriteStats": stats, "extraMetadata": EXTRA}])


@pytest.mark.parametrize(("partitions", "files"), [(1, 5000), (10, 500), (1000, 5)])
def test_most_files_of_a_commit_are_foreseen(partitions: int, files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[int] = []
    learn = foresee.Foreseen.learn

    def counting(self: foresee.Foreseen, data: Octets, start: int, end: int) -> None:
        walked.append(start)
        learn(self, data, start, end)

    monkeypatch.setattr(foresee.Foreseen, "learn", counting)
    assert read_string_map(commit(partitions, files), "extraMetadata", "file") == EXTRA
    assert 0 < len(walked) < 5000 // 10


def test_a_damaged_file_behind_foreseen_ones_is_refused() -> None:
    content = commit(1, 500)
    place = content.rindex(b"p0/") - 2  # before the path is the branch of its union, and its length
    with pytest.raises(CorruptFileError, match=r"^file, record 0, field partitionToWriteStats"):
        read_string_map(content[:place] + b"\x7f" + content[place + 1 :], "extraMetadata", "file")


@pytest.mark.usefixtures("soon")
def test_what_does_not_help_is_tried_ever_more_rarely() -> None:
    tries: list[int] = []

    def find_ends(_: Node, starts: Offsets) -> Offsets:
        tries.append(len(starts))
        return starts[:0]

    schema = {
        "type": "array",
        "items": {"type": "record", "name": "Item", "fields": [{"name": "id", "type": "string"}]},
    }
    data = encode(fastavro.parse_schema(schema), [{"id": f"{number:08}"} for number in range(1000)])
    assert stepper(plan(json.dumps(schema)), find_ends)(data, 0) == len(data)
    assert 0 < len(tries) < 10
