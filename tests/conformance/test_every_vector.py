"""Every operation of the recorded vectors is asked by a test that names it, or stands here with the reason why not; an unknown
one fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.conformance import ROOT, vectors

TESTS = Path(__file__).parents[1]

NOT_HERE = "its classes are means of Apache Hudi's own"
COLLECTED = "statistics of values are collected by writers"
STATISTICS, MERGING = "conformance/test_vectors_statistics.py", "conformance/test_vectors_merging.py"
MADE = "writers make it, and readers take it as it stands"

ASKED: dict[str, dict[str, str]] = {
    "avro_to_internal_schema": dict.fromkeys(
        (
            *("convert", "parse_internal", "parse_schemas", "search_schema", "inherit_schemas", "to_json_list"),
            *("empty_schema", "type_text", "type_equals", "decimal_wider", "sanitize_name", "record_qualified_name"),
            *("add_metadata_fields", "remove_metadata_fields", "as_nullable", "create_nullable", "generate_projection"),
            *("project_schema", "nested_field", "prune_internal", "prune_hoodie_to_internal"),
        ),
        "conformance/test_vectors_schema.py",
    ),
    "schema_changes": {"changes": "conformance/test_vectors_evolution.py"},
    "type_promotion": {"promotion": "conformance/test_vectors_evolution.py"},
    "schema_reconcile": dict.fromkeys(
        ("reconcile", "requirements", "pair_checks", "merge", "rewrite", "rewrite_deep", "rewrite_flat"),
        "conformance/test_vectors_evolution.py",
    )
    | {"project_shallow": "fields are not taken over by name without a look at their types"},
    "key_generators": {"key": "contract/keys.py", "auto_key": "support/vector_keys.py"}
    | dict.fromkeys(("auto_enabled", "extract_keys", "infer", "class_name"), "conformance/test_keys.py"),
    "bloom": dict.fromkeys(("filter", "filter_from_text", "murmur", "hash_function"), "core/formats/test_bloom.py")
    | dict.fromkeys(("hash_id", "index_id", "index_keys"), "core/columns/test_hashes.py")
    | dict.fromkeys(("file_group", "secondary_file_group"), "core/columns/test_hashes.py")
    | {"jenkins": "only ancient writers hash so; their filters are not read (FORMAT-25)", "file_group_name": MADE}
    | {"secondary_key": "core/formats/test_secondary_key.py", "range_filter": "core/tagging/test_ranges_of_hudi.py"}
    | dict.fromkeys(
        ("bucket", "bucket_of_values", "bucket_id_text", "bucket_from_file_id"), "core/tagging/test_buckets.py"
    )
    | {"consistent_initial": MADE, "consistent_lookup": "core/tagging/test_buckets.py"}
    | {"partition_bucket_task": "where a writer's tasks run is the engine's"},
    "expressions": dict.fromkeys(
        ("literal", "compare", "eval", "data_skipping"), "conformance/test_vectors_expressions.py"
    )
    | {"from_partition_string": "conformance/test_partition_values.py", "operators": "the names of Java's enumeration"},
    "space_filling": dict.fromkeys(
        (
            *("int_to_8", "to_bytes_int", "long_to_8", "to_bytes_long", "byte_to_8", "double_to_8", "to_bytes_double"),
            *("string_to_8", "bytes_to_long", "padding_to_8", "checksum", "padding_to_n", "compare", "update_pos"),
            "map_column",
        ),
        "its bytes of values have no counterpart: curves go through quantile ranks (CLUSTER-8)",
    )
    | dict.fromkeys(("interleave", "hilbert"), "core/cluster/test_curves.py"),
    "partition_paths": dict.fromkeys(("escape", "unescape"), "conformance/test_keys.py")
    | dict.fromkeys(("file_name", "make_names", "log_order"), "core/formats/test_names.py")
    | dict.fromkeys(("instant", "instant_format", "instant_for_date_text"), "conformance/test_partition_values.py")
    | {"relative_partition": "paths are taken apart by the storage"},
    "column_stats_merge": dict.fromkeys(
        ("merge_records", "merge_range", "wrap", "records"), "conformance/test_vectors_statistics.py"
    )
    | dict.fromkeys(("collect_each", "collect", "create_range", "stub"), COLLECTED)
    | dict.fromkeys(("supported", "coerce", "upcast_decimal"), COLLECTED)
    | {"value_types": NOT_HERE},
    "merge_modes": dict.fromkeys(
        ("operations", "merge", "payload", "is_delete", "ordering_value", "infer_merge_mode"),
        "conformance/test_vectors_merging.py",
    )
    | {"compare_ordering": MERGING, "strategy_id": NOT_HERE},
}


@pytest.mark.parametrize("subject", ASKED)
def test_the_test_that_asks_an_operation_names_it(subject: str) -> None:
    files = {answer for answer in ASKED[subject].values() if answer.endswith(".py")}
    words = {file: set(re.findall(r"\w+", (TESTS / file).read_text("utf-8"))) for file in files}
    unnamed = [
        operation for operation, answer in ASKED[subject].items() if operation not in words.get(answer, {operation})
    ]
    assert unnamed == []


@pytest.mark.parametrize("subject", ASKED)
def test_every_operation_is_known(subject: str) -> None:
    assert {case["op"] for case in vectors(subject)} <= ASKED[subject].keys()


def test_every_file_of_vectors_is_known() -> None:
    files = {path.stem for path in ROOT.glob("vectors/*.json")}
    if not files:
        pytest.skip("no conformance vectors present")
    assert files <= ASKED.keys()
