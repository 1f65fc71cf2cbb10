"""The `files` partition: records to the live files of each partition."""

from __future__ import annotations

import pytest

from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.metadata.files import live_files
from hudi_core.metadata.records import MetadataDeletes, MetadataRecords
from tests.support.conformance import TableEntry, each_table
from tests.support.metadata_records import batch, files
from tests.support.tables import metadata_of

ALL = b"__all_partitions__"


def test_root_partition_is_the_empty_path() -> None:
    """META-7."""
    base = batch({ALL: files(**{".": 0}), b".": files(a=1)})
    assert live_files(MetadataRecords([base], [])).by_name() == {"": {"a": 1}}


def test_later_records_add_grow_and_delete_files() -> None:
    """META-5."""
    base = batch({ALL: files(p=0), b"p": files(a=10, b=20, c=30)})
    first = batch({b"p": files(a=None, b=15, d=40)}, 1)
    second = batch({b"p": files(b=25, d=None, a=5)}, 2)
    assert live_files(MetadataRecords([second, base, first], [])).by_name() == {"p": {"a": 5, "b": 25, "c": 30}}


def test_tombstone_in_a_log_cancels_the_base_entry_only_once() -> None:
    base = batch({ALL: files(p=0), b"p": files(a=10)})
    log = batch({b"p": files(a=None, z=None)}, 1)
    again = batch({b"p": files(z=7)}, 2)
    assert live_files(MetadataRecords([base, log, again], [])).by_name() == {"p": {"z": 7}}


def test_a_dropped_partition_is_unusable_and_may_come_back() -> None:
    base = batch({ALL: files(p=0, q=0), b"p": files(a=1), b"q": files(b=2)})
    drop = batch({ALL: files(q=None)}, 1)
    back = batch({ALL: files(q=0), b"q": files(c=3)}, 3)
    dropped = [MetadataDeletes([b"q"], 2)]
    assert live_files(MetadataRecords([base, drop], dropped)).by_name() == {"p": {"a": 1}}
    assert live_files(MetadataRecords([base, drop, back], dropped)).by_name() == {"p": {"a": 1}, "q": {"c": 3}}


def test_record_of_an_unlisted_partition_does_not_count() -> None:
    """META-6."""
    base = batch({ALL: files(p=0), b"p": files(a=1), b"q": files(b=2)})
    assert live_files(MetadataRecords([base], [])).by_name() == {"p": {"a": 1}}


@pytest.mark.parametrize(
    ("partition", "cut"),
    [("h", "le:h/"), ("", "file:"), ("2024/01/01", "1/01/"), ("year=2024", "2024/")],
)
def test_names_that_are_cut_out_of_paths_with_a_scheme_are_left_out(partition: str, cut: str) -> None:
    """META-1292."""
    key = partition or "."
    log = ".c973c34c-074a-4c2e-a06d-764f81b0f498-0_20261127041633366.log.8_0-93-185"
    base = batch({ALL: files(**{key: 0}), key.encode(): files(**{"a.parquet": 1, cut + log: 2, log: 3})})
    assert live_files(MetadataRecords([base], [])).by_name() == {partition: {"a.parquet": 1, log: 3}}
    if partition:
        for strange in (f"x{cut}{log}", f"{cut}a.parquet", f"{partition}/{log}"):
            wrong = batch({ALL: files(**{key: 0}), key.encode(): files(**{strange: 2})})
            with pytest.raises(CorruptFileError, match="a name without a slash"):
                live_files(MetadataRecords([wrong], []))


def test_listed_partition_without_record_is_damage() -> None:
    """META-6."""
    with pytest.raises(CorruptFileError, match="source 0: expected a record of the partition 'p'"):
        live_files(MetadataRecords([batch({ALL: files(p=0)})], []))


@pytest.mark.parametrize("records", [MetadataRecords([], []), MetadataRecords([batch({b"p": files(a=1)})], [])])
def test_missing_list_of_partitions_is_damage(records: MetadataRecords) -> None:
    with pytest.raises(CorruptFileError, match="__all_partitions__"):
        live_files(records)


def test_damaged_record_names_its_source() -> None:
    sound, damaged = batch({ALL: files(p=0), b"p": files(a=1)}), batch({b"p": files(b=2)}, 1)
    damaged.cells.value_lengths[0] -= 1
    with pytest.raises(CorruptFileError, match=r"^source 1"):
        live_files(MetadataRecords([sound, damaged], []))


@pytest.mark.one_of(2)
@each_table()
def test_listing_of_every_table_is_that_of_its_folders(entry: TableEntry) -> None:
    """META-8."""
    storage, _, timeline, metadata = metadata_of(entry)
    if metadata is None:
        pytest.skip("the table has no metadata table")
    pending = {instant.requested_time for instant in timeline.pending}
    on_disk: dict[str, dict[str, int]] = {}
    for info in storage.list("", recursive=True):
        folder, _, name = info.path.rpartition("/")
        if not info.path.startswith(".hoodie/") and _committed(storage, info, pending):
            on_disk.setdefault(folder, {})[name] = info.size
    assert {partition: files for partition, files in metadata.files().by_name().items() if files} == on_disk


def _committed(storage: Storage, file: FileInfo, pending: set[str]) -> bool:
    """The file is a data file that some completed write wrote; in layout 1 only the blocks of a log tell."""
    base, log = parse_base_file(file.name), parse_log_file(file.name)
    if base is not None:
        return base.instant not in pending
    if log is None or log.is_cdc:
        return log is not None
    return any(block.header[HeaderKey.INSTANT_TIME] not in pending for block in read_blocks(storage.open(file.path)))
