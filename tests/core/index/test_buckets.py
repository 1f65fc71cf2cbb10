"""The bucket index: buckets and nodes of keys are those that Apache Hudi gives them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hudi_core.formats.text_columns import text_column
from hudi_core.index.buckets import bucket_numbers, bucket_of_file, hash_texts, node_places
from tests.support.conformance import vectors


def cases(*operations: str) -> list[dict[str, Any]]:
    return [case for case in vectors("bloom") if case["op"] in operations]


def test_buckets_are_those_of_apache_hudi() -> None:
    told = 0
    for case in cases("bucket"):
        said = case["input"]
        for each in case.get("output", {}).get("buckets", ()):
            if "value" in each["by_list"]:
                hashed = hash_texts(text_column([said["record_key"]]), said["fields"])
                assert bucket_numbers(hashed, each["n"]).tolist() == [each["by_list"]["value"]], (case["id"], each)
                told += 1
    assert told


def test_nodes_of_consistent_hashing_are_those_of_apache_hudi() -> None:
    told = 0
    for case in cases("consistent_lookup"):
        values = case["input"]["node_values"]
        for each in case["output"]["lookups"]:
            if "value" in each["node"]:
                hashed = hash_texts(text_column([each["key"]["record_key"]]), each["key"]["fields"])
                place = int(node_places(hashed, np.array([0]), values)[0])
                assert f"node{place}" == each["node"]["value"], (case["id"], each)
                told += 1
    assert told


def test_many_keys_have_the_buckets_of_each_by_itself() -> None:
    keys = ["k1", "id:a,n:b", "", "ä", "id:__null__,n:__empty__", "plain,comma", "plain:colon"]
    together = bucket_numbers(hash_texts(text_column(keys), ["id", "n"]), 957).tolist()
    apart = [int(bucket_numbers(hash_texts(text_column([key]), ["id", "n"]), 957)[0]) for key in keys]
    assert together == apart


def test_file_ids_begin_with_their_bucket() -> None:
    for case in cases("bucket_from_file_id"):
        if "output" in case and case["output"] >= 0:
            assert bucket_of_file(case["input"]["file_id"]) == case["output"], case["id"]
    assert bucket_of_file("8aa68f7e-afd6-4c94-b86c-8a886552e08d-0") is None
