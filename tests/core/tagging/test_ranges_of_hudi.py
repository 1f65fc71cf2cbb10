"""Key ranges leave the files that Apache Hudi's own range filters leave."""

from __future__ import annotations

from typing import Any

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.strings import string_column
from hudi_core.tagging.sorted_keys import sort_keys
from tests.support.conformance import vectors


def left(files: list[dict[str, Any]], keys: list[str]) -> list[set[str]]:
    """For each key the files whose range has it, or that have none."""
    ordered = sort_keys(string_column(keys))
    ranged = [item for item in files if "min" in item]
    low, high = (
        ByteStrings.from_list([item[side].encode("utf-8", "surrogatepass") for item in ranged])
        for side in ("min", "max")
    )
    starts, stops = ordered.runs(low, high)
    found = [{item["id"] for item in files if "min" not in item} for _ in keys]
    for item, start, stop in zip(ranged, starts.tolist(), stops.tolist(), strict=True):
        for row in ordered.order[start:stop].tolist():
            found[row].add(item["id"])
    return found


def test_files_left_are_those_of_apache_hudi() -> None:
    """INDEX-3."""
    reported = 0
    for case in vectors("bloom"):
        if case["op"] != "range_filter":
            continue
        queries = case["input"]["queries"]
        for path, files in case["input"]["files"].items():
            rows = [row for row, query in enumerate(queries) if query["partition"] == path]
            ours = left(files, [queries[row]["key"] for row in rows])
            for row, found in zip(rows, ours, strict=True):
                theirs = case["output"]["tree"][row].get("value")
                if theirs is not None:
                    assert {f"{path}/{file}" for file in found} == set(theirs), (case["id"], queries[row])
                    reported += 1
    assert reported
