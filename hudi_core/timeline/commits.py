"""Commit metadata, read from JSON (layout 1) or Avro (layout 2) into one form.

Rules TIME-10 and TIME-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.container import MAGIC, read_container, read_string_map
from hudi_core.formats.avro.long_lists import read_with_lists
from hudi_core.json_texts import parse_json
from hudi_core.notebook import show_briefly
from hudi_core.paths import read_data_path, read_name, read_names, read_partition, resolve_stated_path
from hudi_core.stated_records import (
    items,
    mapping,
    read_as,
    read_fields,
    take,
    text,
    text_or_none,
    texts,
    whole_number,
    whole_number_or_none,
)


def _previous(value: object) -> str | None:
    """Old writers write "null" for a missing value."""
    return None if value is None or value == "null" else text(value)


def _path(value: object) -> str:
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class WriteStat:
    """The write statistics of one file. Counts are None where the writer did not record them.

    `path` is relative to the table's root and includes the partition; it is empty when nothing was written.
    """

    partition: str = take("partitionPath", read=read_partition)
    file_id: str = take("fileId", read=text)
    path: str = take("path", read=_path)
    previous: str | None = take("prevCommit", read=_previous)
    """The instant of the previous slice; None for a new file group."""
    rows: int | None = take("numWrites", read=whole_number_or_none)
    deletes: int | None = take("numDeletes", read=whole_number_or_none)
    updates: int | None = take("numUpdateWrites", read=whole_number_or_none)
    inserts: int | None = take("numInserts", read=whole_number_or_none)
    bytes_written: int | None = take("totalWriteBytes", read=whole_number_or_none)
    errors: int | None = take("totalWriteErrors", read=whole_number_or_none)
    file_size: int | None = take("fileSizeInBytes", read=whole_number_or_none)
    log_offset: int | None = take("logOffset", read=whole_number_or_none)
    """Where in a log file the write began to append."""
    base_file: str = take("baseFile", read=read_name)
    log_files: tuple[str, ...] = take("logFiles", read=read_names)
    cdc_files: Mapping[str, int] = take("cdcStats", read=mapping(read_data_path, whole_number))
    """Paths of change-data files with their sizes."""


def _read_stat(record: object) -> WriteStat:
    fields = read_fields(WriteStat, record)
    partition, path = fields.get("partition", ""), fields.get("path", "")
    fields["path"] = resolve_stated_path(partition, text(path), "path")
    return WriteStat(**fields)


@show_briefly
@dataclass(frozen=True, slots=True)
class CommitMetadata:
    """The metadata of a commit, by partition (the empty string for a table without partitions)."""

    stats: Mapping[str, tuple[WriteStat, ...]] = take(
        "partitionToWriteStats", read=mapping(read_partition, items(_read_stat))
    )
    replaced: Mapping[str, tuple[str, ...]] = take("partitionToReplaceFileIds", read=mapping(read_partition, texts))
    """File groups that the commit replaced."""
    extra: Mapping[str, str] = take("extraMetadata", read=mapping(text, text))
    operation: str | None = take("operationType", read=text_or_none)

    @property
    def schema_text(self) -> str | None:
        """The Avro schema of the rows written, without meta columns; None where the commit does not record it."""
        return self.extra.get("schema") or None


LARGE_FILE_BYTES = 1 << 16
"""Size from which one field of commit metadata is read alone: some hundred files."""
_NO_METADATA = CommitMetadata()


def read_commit(content: bytes | Mapping[str, Any], where: str) -> CommitMetadata:
    """The metadata of a commit, delta commit or replace commit, completed or inflight; of a log of archived instants the
    record itself.

    An empty file is legal and has no metadata. Raises `CorruptFileError` that names `where`.
    """
    if not isinstance(content, bytes):
        return _check(content, where)
    if content.startswith(MAGIC):
        return _check(_record(content, where), where)
    if not content.strip():
        return _NO_METADATA
    try:
        record = parse_json(content)
    except ValueError as error:
        raise CorruptFileError(where, expected="commit metadata", found=f"no JSON: {error}") from None
    return _check(record, where)


def read_extra(content: bytes, where: str) -> Mapping[str, str] | None:
    """`CommitMetadata.extra` alone, from a large file whose other fields can be skipped; else None.

    Raises `CorruptFileError` that names `where`.
    """
    if len(content) < LARGE_FILE_BYTES or not content.startswith(MAGIC):
        return None
    return read_string_map(content, "extraMetadata", where)


def _record(content: bytes, where: str) -> Mapping[str, Any]:
    """The record of a commit; of a large one the replaced file groups are found together."""
    if len(content) >= LARGE_FILE_BYTES:
        record = read_with_lists(content, "partitionToReplaceFileIds", where)
        if record is not None:
            return record
    return read_record(content, where)


def read_record(content: bytes, where: str) -> Mapping[str, Any]:
    """The one record of an instant's Avro file: commit metadata, or a plan."""
    records = read_container(content, where)
    if len(records) != 1 or not isinstance(records[0], dict):
        raise CorruptFileError(where, expected="an Avro file of one record", found=f"{len(records)} records")
    return records[0]


def _check(record: object, where: str) -> CommitMetadata:
    try:
        return read_as(CommitMetadata, record)
    except CorruptFileError as error:
        raise CorruptFileError(where, expected="commit metadata", found=str(error)) from None
