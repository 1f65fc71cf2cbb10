"""Commits that replaced many file groups: the same record as by the ordinary way, in both directions."""

from __future__ import annotations

import io
from typing import Any

import fastavro
import pytest

from hudi_core.commit.avro_schemas import COMMIT_METADATA, REPLACE_COMMIT_METADATA
from hudi_core.commit.metadata import encode_commit, metadata_record, plan_stat
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.container import read_container, write_container
from hudi_core.formats.avro.long_lists import read_with_lists, write_with_lists
from hudi_core.timeline.commits import LARGE_FILE_BYTES, read_commit

LAST = "partitionToReplaceFileIds"
SOME = {
    "p=1": [f"{number:032x}-{number % 3}" for number in range(3_000)],
    "p=ö": ["ä", "", "x" * 300, "\N{GRINNING FACE}"],
    "": [],
}
ASCII = {"": [f"{number:032x}-{'0' * (number % 100 == 7)}" for number in range(5_000)]}


def record(replaced: Any) -> dict[str, Any]:
    stats = {"p=1": [plan_stat(f"f{number}", None, 1, 2) for number in range(3)]}
    return {**metadata_record(stats, "CLUSTER", {"schema": "{}", "ö": "ü"}), LAST: replaced}


@pytest.mark.parametrize("replaced", [SOME, ASCII, {}, {"p": []}])
def test_records_are_those_of_the_ordinary_way(replaced: dict[str, list[str]]) -> None:
    content = write_with_lists(REPLACE_COMMIT_METADATA, record(replaced))
    (expected,) = fastavro.reader(io.BytesIO(write_container(REPLACE_COMMIT_METADATA, [record(replaced)])))
    assert read_container(content, "t") == [expected]
    assert read_with_lists(content, LAST, "t") == expected
    assert encode_commit(record(replaced), 2)[:4] == b"Obj\x01"


def test_a_large_commit_is_read_as_a_small_one() -> None:
    content = write_container(REPLACE_COMMIT_METADATA, [record(SOME)])
    assert len(content) > LARGE_FILE_BYTES
    metadata = read_commit(content, "t")
    assert metadata.replaced == {partition: tuple(ids) for partition, ids in SOME.items()}
    assert [stat.file_id for stat in metadata.stats["p=1"]] == ["f0", "f1", "f2"]
    assert (metadata.operation, metadata.extra["ö"]) == ("CLUSTER", "ü")


def test_records_without_the_field_are_decoded_as_usual() -> None:
    assert read_with_lists(write_container(COMMIT_METADATA, [record(SOME)]), LAST, "t") is None
    of_null = read_with_lists(write_container(REPLACE_COMMIT_METADATA, [record(None)]), LAST, "t")
    assert of_null is not None
    assert of_null[LAST] is None
    large = {**record({}), "extraMetadata": {"schema": "x" * LARGE_FILE_BYTES}}
    assert read_commit(write_container(COMMIT_METADATA, [large]), "t").replaced == {}


@pytest.mark.parametrize("part", [0.2, 0.9, 0.999])
def test_damage_names_the_file(part: float) -> None:
    content = write_with_lists(REPLACE_COMMIT_METADATA, record(SOME))
    cut = content[: int(len(content) * part)]
    with pytest.raises(CorruptFileError, match="the file"):
        read_commit(cut, "the file")
    damaged = bytearray(content)
    place = content.index(SOME["p=1"][700].encode()) - 1
    damaged[place] = 0xFD
    with pytest.raises(CorruptFileError, match="the file"):
        read_commit(bytes(damaged), "the file")
