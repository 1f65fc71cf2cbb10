"""Every operation of the recorded vectors is asked somewhere, or stands here with the reason why not; an unknown one fails."""

from __future__ import annotations

import pytest

from tests.support.conformance import ROOT, vectors

NOT_HERE = "its classes are means of Apache Hudi's own"
NOT_YET = "waits for clustering"
COLLECTED = "statistics of values are collected by writers"

ASKED: dict[str, dict[str, str]] = {
    "avro_to_internal_schema": dict.fromkeys(
        (
            *("convert", "parse_internal", "parse_schemas", "search_schema", "inherit_schemas", "to_json_list"),
            *("empty_schema", "type_text", "type_equals", "decimal_wider", "sanitize_name", "record_qualified_name"),
            *("add_metadata_fields", "remove_metadata_fields", "as_nullable", "create_nullable", "generate_projection"),
            *("project_schema", "nested_field", "prune_internal", "prune_hoodie_to_internal"),
        ),
        "test_vectors_schema",
    ),
    "schema_changes": {"changes": "test_vectors_evolution"},
    "type_promotion": {"promotion": "test_vectors_evolution"},
    "schema_reconcile": dict.fromkeys(
        ("reconcile", "requirements", "pair_checks", "merge", "rewrite", "rewrite_deep", "rewrite_flat"),
        "test_vectors_evolution",
    )
    | {"project_shallow": "fields are not taken over by name without a look at their types"},
    "key_generators": dict.fromkeys(("key", "auto_key"), "tests.contract.keys")
    | dict.fromkeys(("auto_enabled", "extract_keys", "infer", "class_name"), "test_keys"),
    "bloom": dict.fromkeys(("filter", "filter_from_text"), "tests.core.formats.test_bloom")
    | dict.fromkeys(("murmur", "jenkins", "hash_id", "hash_function", "index_id", "index_keys"), "test_hashes")
    | dict.fromkeys(("file_group", "secondary_file_group", "file_group_name"), "test_hashes")
    | {"secondary_key": "test_secondary_key", "range_filter": "test_ranges_of_hudi"}
    | dict.fromkeys(("bucket", "bucket_of_values", "bucket_id_text", "bucket_from_file_id"), "test_buckets")
    | dict.fromkeys(("consistent_initial", "consistent_lookup"), "test_buckets")
    | {"partition_bucket_task": "where a writer's tasks run is the engine's"},
    "expressions": dict.fromkeys(("literal", "compare", "eval", "data_skipping"), "test_vectors_expressions")
    | {"from_partition_string": "test_partition_values", "operators": "the names of Java's enumeration"},
    "space_filling": dict.fromkeys(
        (
            *("int_to_8", "to_bytes_int", "long_to_8", "to_bytes_long", "byte_to_8", "double_to_8", "to_bytes_double"),
            *("string_to_8", "bytes_to_long", "padding_to_8", "checksum", "padding_to_n", "compare", "update_pos"),
            *("interleave", "hilbert", "map_column"),
        ),
        NOT_YET,
    ),
    "partition_paths": dict.fromkeys(("escape", "unescape"), "test_keys")
    | dict.fromkeys(("file_name", "make_names", "log_order"), "tests.core.formats.test_names")
    | dict.fromkeys(("instant", "instant_format", "instant_for_date_text"), "test_partition_values")
    | {"relative_partition": "paths are taken apart by the storage"},
    "column_stats_merge": dict.fromkeys(("merge_records", "merge_range", "wrap", "records"), "test_vectors_statistics")
    | dict.fromkeys(("collect_each", "collect", "create_range", "stub"), COLLECTED)
    | dict.fromkeys(("supported", "coerce", "upcast_decimal"), COLLECTED)
    | {"value_types": NOT_HERE},
    "merge_modes": dict.fromkeys(
        ("operations", "merge", "payload", "is_delete", "ordering_value", "infer_merge_mode"), "test_vectors_merging"
    )
    | {"compare_ordering": "test_vectors_merging", "strategy_id": NOT_HERE},
}


@pytest.mark.parametrize("subject", ASKED)
def test_every_operation_is_known(subject: str) -> None:
    assert {case["op"] for case in vectors(subject)} <= ASKED[subject].keys()


def test_every_file_of_vectors_is_known() -> None:
    files = {path.stem for path in ROOT.glob("vectors/*.json")}
    if not files:
        pytest.skip("no conformance vectors present")
    assert files <= ASKED.keys()
