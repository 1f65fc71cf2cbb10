"""`bloom_filters`: the filters of base files."""

from __future__ import annotations

from hudi_core.formats.bloom import HashedKeys, parse_bloom_filter
from hudi_core.formats.hashes import bloom_filter_key
from hudi_core.metadata.filters import filter_texts
from tests.support.conformance import TableEntry, each_table_with
from tests.support.tables import metadata_of


@each_table_with("bloom_filters")
def test_keys_of_each_base_file_are_in_its_filter(entry: TableEntry) -> None:
    metadata = metadata_of(entry)[3]
    assert metadata is not None
    keys: dict[tuple[str, str], list[str]] = {}
    for row in entry.expected["snapshot"]["rows"]:
        if row["_hoodie_file_name"].endswith(".parquet"):
            file = row["_hoodie_partition_path"], row["_hoodie_file_name"]
            keys.setdefault(file, []).append(row["_hoodie_record_key"])
    by_key = {bloom_filter_key(*file): file for file in keys}
    ordered = sorted(by_key)
    told = 0
    for number, text in filter_texts(metadata.lookup("bloom_filters", ordered)):
        found = parse_bloom_filter(text, ordered[number])
        assert found.may_contain(HashedKeys(keys[by_key[ordered[number]]])).all()
        assert not found.may_contain(HashedKeys(["no such key", "nor this one"])).any()
        told += 1
    assert told == len(keys)
