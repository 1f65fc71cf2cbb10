"""The bucket index: buckets and nodes of keys are those that Apache Hudi gives them."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from hudi_core.columns.strings import string_column
from hudi_core.columns.xxh32 import xxh32_hashes
from hudi_core.errors import CorruptFileError, UsageError
from hudi_core.keys.composite import KeyParts
from hudi_core.options import HASHING_FOLDER
from hudi_core.tagging.buckets import (
    bucket_numbers,
    bucket_of_file,
    hash_inputs,
    hashing_nodes,
    node_places,
    slices_of_buckets,
    slices_of_nodes,
)
from hudi_core.tagging.key_columns import KeyColumns
from hudi_core.timeline.instants import REPLACE_COMMIT, ArchivedTimeline, Instant, InstantState
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline, timeline_in
from tests.support.conformance import vectors
from tests.support.memory import Memory


def cases(*operations: str) -> list[dict[str, Any]]:
    return [case for case in vectors("bloom") if case["op"] in operations]


def test_buckets_are_those_of_apache_hudi() -> None:
    """INDEX-14."""
    reported = 0
    for case in cases("bucket"):
        answer = case["input"]
        for item in case.get("output", {}).get("buckets", ()):
            if "value" in item["by_list"]:
                hashed = hash_inputs(string_column([answer["record_key"]]), answer["fields"])
                assert bucket_numbers(hashed, item["n"]).tolist() == [item["by_list"]["value"]], (case["id"], item)
                reported += 1
    assert reported


def test_buckets_of_the_values_of_hash_fields_are_those_of_apache_hudi() -> None:
    """INDEX-14."""
    reported = 0
    for case in cases("bucket_of_values"):
        values = [value or "" for value in case["input"]["values"]]  # null has the hash of the empty string, 0
        for item in case["output"]["buckets"]:
            if "value" in item["bucket"]:
                hashed = KeyParts(string_column(values), np.array([0, len(values)]))
                assert bucket_numbers(hashed, item["n"]).tolist() == [item["bucket"]["value"]], (case["id"], item)
                reported += 1
    assert reported


def test_file_ids_of_a_bucket_begin_with_it() -> None:
    """INDEX-15."""
    reported = 0
    for case in cases("bucket_id_text"):
        if not 0 <= case["input"]["bucket"] < 10**8:
            continue  # a file id begins with the eight digits of its bucket
        for name in ("text", "nbcc_file_id", "fixed_prefix"):
            if "value" in case["output"][name]:
                assert bucket_of_file(case["output"][name]["value"]) == case["input"]["bucket"], (case["id"], name)
                reported += 1
    assert reported


def test_nodes_of_consistent_hashing_are_those_of_apache_hudi() -> None:
    """INDEX-15."""
    reported = 0
    for case in cases("consistent_lookup"):
        values = case["input"]["node_values"]
        for item in case["output"]["lookups"]:
            if "value" in item["node"]:
                hashed = hash_inputs(string_column([item["key"]["record_key"]]), item["key"]["fields"])
                place = int(node_places(hashed, np.array([0]), values)[0])
                assert f"node{place}" == item["node"]["value"], (case["id"], item)
                reported += 1
    assert reported


def test_many_keys_have_the_buckets_of_each_by_itself() -> None:
    keys = ["k1", "id:a,n:b", "", "ä", "id:__null__,n:__empty__", "plain,comma", "plain:colon"]
    together = bucket_numbers(hash_inputs(string_column(keys), ["id", "n"]), 957).tolist()
    apart = [int(bucket_numbers(hash_inputs(string_column([key]), ["id", "n"]), 957)[0]) for key in keys]
    assert together == apart


def test_buckets_of_hashes_with_a_sign_are_those_without_it() -> None:
    """Java's hash of a list of strings, and its sign cut off as a bit: `hash & Integer.MAX_VALUE`."""
    keys = [f"key-{number}" for number in range(64)]
    hashes = [(31 + java_hash(key)) & 0xFFFFFFFF for key in keys]
    assert 0 < sum(item >> 31 for item in hashes) < len(keys)
    found = bucket_numbers(hash_inputs(string_column(keys), []), 957).tolist()
    assert found == [(item & 0x7FFFFFFF) % 957 for item in hashes]


def java_hash(text: str) -> int:
    found = 0
    for character in text:
        found = (31 * found + ord(character)) & 0xFFFFFFFF
    return found


def test_file_ids_begin_with_their_bucket() -> None:
    """INDEX-15."""
    for case in cases("bucket_from_file_id"):
        if "output" in case and case["output"] >= 0:
            assert bucket_of_file(case["input"]["file_id"]) == case["output"], case["id"]
    assert bucket_of_file("8aa68f7e-afd6-4c94-b86c-8a886552e08d-0") is None


FIRST = "00000000000000"


def nodes(*named: tuple[int, str]) -> bytes:
    """A version of the nodes of consistent hashing, as writers leave it."""
    listed = [{"value": value, "fileIdPrefix": prefix, "tag": "NORMAL"} for value, prefix in named]
    return json.dumps({"version": 0, "partitionPath": "p", "numBuckets": len(named), "nodes": listed}).encode()


def hashing(*completed: str, **versions: bytes) -> tuple[Memory, Timeline]:
    """A table with these versions of the nodes of partition `p`; resizes of the instants given are completed."""
    files = {f"{HASHING_FOLDER}/p/{time[1:]}.hashing_meta": content for time, content in versions.items()}
    files |= {f"t/{time}_{time}.replacecommit": b"" for time in completed}
    storage = Memory(files)
    return storage, timeline_in(storage, "t", 2)


OLD, NEW = nodes((100, "a"), (2**31 - 1, "b")), nodes((2**31 - 1, "b"), (50, "c"), (100, "d"))


class TestConsistentHashing:
    def test_the_newest_nodes_of_a_completed_resize_count(self) -> None:
        """INDEX-15."""
        versions = {f"v{FIRST}": nodes((1, "z")), "v20240101000000": OLD, "v20240102000000": NEW}
        both = hashing("20240101000000", "20240102000000", **versions)
        assert hashing_nodes(*both, "p") == [(50, "c"), (100, "d"), (2**31 - 1, "b")]
        assert hashing_nodes(*hashing("20240101000000", **versions), "p") == [(100, "a"), (2**31 - 1, "b")]
        assert hashing_nodes(*hashing(**versions), "p") == [(1, "z")]

    def test_nodes_of_a_pending_resize_do_not_count(self) -> None:
        storage, _ = hashing(v20240101000000=OLD)
        storage.files["t/20231231000000_20231231000000.commit"] = b""
        storage.files["t/20240101000000.replacecommit.inflight"] = b""
        assert hashing_nodes(storage, timeline_in(storage, "t", 2), "p") is None

    @pytest.mark.parametrize("ending", ["cancelled", "marked", "archived", "used"])
    def test_nodes_of_a_resize_that_was_cancelled_do_not_count_behind_an_archive(self, ending: str) -> None:
        """INDEX-1548."""
        storage, _ = hashing("20240103000000", **{f"v{FIRST}": OLD, "v20240101000000": NEW})
        if ending == "marked":
            storage.files[f"{HASHING_FOLDER}/p/20240101000000.commit"] = b""
        if ending == "used":
            storage.files["p/.c-0_20240102000000.log.1_0-0-0"] = b""
        resize = Instant("20240101000000", REPLACE_COMMIT, InstantState.COMPLETED, None, "")
        archived = SimpleNamespace(instants=lambda: [resize] if ending == "archived" else [])
        timeline = replace(timeline_in(storage, "t", 2), history=cast(ArchivedTimeline, archived))
        old, new = [(100, "a"), (2**31 - 1, "b")], [(50, "c"), (100, "d"), (2**31 - 1, "b")]
        assert hashing_nodes(storage, timeline, "p") == (old if ending == "cancelled" else new)

    def test_a_cut_timeline_sees_the_nodes_of_its_time(self) -> None:
        storage, timeline = hashing("20240101000000", "20240102000000", v20240101000000=OLD, v20240102000000=NEW)
        assert hashing_nodes(storage, timeline.as_of("20240101000000"), "p") == [(100, "a"), (2**31 - 1, "b")]

    def test_a_partition_without_nodes_has_none(self) -> None:
        assert hashing_nodes(*hashing(v20240101000000=OLD), "q") is None

    def test_damaged_nodes_name_their_file(self) -> None:
        storage, timeline = hashing(**{f"v{FIRST}": b"{}"})
        with pytest.raises(CorruptFileError, match=f"p/{FIRST}.hashing_meta: expected nodes of hashing"):
            hashing_nodes(storage, timeline, "p")

    def test_a_key_belongs_to_the_first_node_that_is_not_below_its_hash(self) -> None:
        keys = string_column(["k"])
        hashed = hash_inputs(keys, [])
        value = int(xxh32_hashes(keys)[0] & 0x7FFFFFFF)
        row = np.array([0])
        assert node_places(hashed, row, [value - 1, value, value + 1]).tolist() == [1]
        assert node_places(hashed, row, [value - 1, value + 1]).tolist() == [1]
        assert node_places(hashed, row, [value, value + 1]).tolist() == [0]
        assert node_places(hashed, row, [0, value - 1]).tolist() == [0]

    def test_keys_are_searched_for_in_the_groups_of_their_node_after_a_resize(self) -> None:
        keys = key_columns(["k", "l"], "p")
        value = int(xxh32_hashes(string_column(["k"]))[0] & 0x7FFFFFFF)
        other = int(xxh32_hashes(string_column(["l"]))[0] & 0x7FFFFFFF)
        assert value != other
        split = nodes((min(value, other), "low"), (max(value, other), "high"))
        storage, timeline = hashing(
            "20240101000000", **{f"v{FIRST}": nodes((2**31 - 1, "old")), "v20240101000000": split}
        )
        slices = [slice_of(file_id) for file_id in ("high-0", "low-0", "low-1", "old-0")]
        found = slices_of_nodes(keys, hash_inputs(keys.records, []), slices, storage, timeline)
        of_key = {row: numbers.tolist() for rows, numbers in found for row in rows.tolist()}
        assert of_key == ({0: [1, 2], 1: [0]} if value < other else {0: [0], 1: [1, 2]})

    def test_a_partition_with_files_and_no_nodes_is_refused(self) -> None:
        keys = key_columns(["k"], "q")
        storage, timeline = hashing(v20240101000000=OLD)
        with pytest.raises(UsageError, match="expected nodes of consistent hashing"):
            slices_of_nodes(keys, hash_inputs(keys.records, []), [slice_of("a-0", "q")], storage, timeline)
        assert slices_of_nodes(keys, hash_inputs(keys.records, []), [slice_of("a-0", "p")], storage, timeline) == []


def key_columns(keys: list[str], partition: str) -> KeyColumns:
    return KeyColumns(string_column(keys), np.zeros(len(keys), np.int32), (partition,))


def slice_of(file_id: str, partition: str = "p") -> FileSlice:
    return FileSlice(partition, file_id, "1", None)


def test_keys_are_searched_for_in_all_groups_of_their_bucket_in_their_partition() -> None:
    """INDEX-16."""
    keys = KeyColumns(string_column(["a", "b", "c"]), np.array([0, 0, 1], np.int32), ("p", "q"))
    slices = [
        slice_of("00000001-x"), slice_of("00000001-y"), slice_of("00000000-z"), slice_of("00000001-w", "q")
    ]  # fmt: skip
    found = slices_of_buckets(keys, np.array([1, 0, 1]), slices, "t")
    assert sorted((rows.tolist(), numbers.tolist()) for rows, numbers in found) == [
        ([0], [0, 1]),
        ([1], [2]),
        ([2], [3]),
    ]
    with pytest.raises(UsageError, match="file groups of a bucket index"):
        slices_of_buckets(keys, np.array([1, 0, 1]), [slice_of("f-0")], "t")
