"""Commit metadata, read from JSON (layout 1) or Avro (layout 2) into one form.

Rules TIME-10 and TIME-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo

from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.container import MAGIC, read_container, read_string_map
from hudi_core.formats.avro.long_lists import read_with_lists
from hudi_core.notebook import show_briefly
from hudi_core.paths import FileName, FileNames, PartitionPath, data_path, resolve_stated_path


def _empty_string_for_null(value: object) -> object:
    return "" if value is None else value


def _none_for_null(value: object) -> object:
    """Old writers write "null" for a missing value."""
    return None if value == "null" else value


def _empty_mapping_for_null(value: object) -> object:
    return {} if value is None else value


def _empty_sequence_for_null(value: object) -> object:
    return () if value is None else value


def _read_stated_path(path: object, others: ValidationInfo) -> object:
    return resolve_stated_path(others.data.get("partition", ""), path) if isinstance(path, str) else ""


_String = Annotated[str, BeforeValidator(_empty_string_for_null)]
_Path = Annotated[str, BeforeValidator(_read_stated_path)]


class WriteStat(BaseModel):
    """The write statistics of one file. Counts are None where the writer did not record them.

    `path` is relative to the table's root and includes the partition; it is empty when nothing was written.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    partition: PartitionPath = Field("", alias="partitionPath")
    file_id: _String = Field("", alias="fileId")
    path: _Path = ""
    previous: Annotated[str | None, BeforeValidator(_none_for_null)] = Field(None, alias="prevCommit")
    """The instant of the previous slice; None for a new file group."""
    rows: int | None = Field(None, alias="numWrites")
    deletes: int | None = Field(None, alias="numDeletes")
    updates: int | None = Field(None, alias="numUpdateWrites")
    inserts: int | None = Field(None, alias="numInserts")
    bytes_written: int | None = Field(None, alias="totalWriteBytes")
    errors: int | None = Field(None, alias="totalWriteErrors")
    file_size: int | None = Field(None, alias="fileSizeInBytes")
    log_offset: int | None = Field(None, alias="logOffset")
    """Where in a log file the write began to append."""
    base_file: FileName = Field("", alias="baseFile")
    log_files: FileNames = Field((), alias="logFiles")
    cdc_files: Annotated[
        Mapping[Annotated[str, AfterValidator(data_path)], int], BeforeValidator(_empty_mapping_for_null)
    ] = Field(default_factory=dict, alias="cdcStats")
    """Paths of change-data files with their sizes."""


_Stats = Annotated[tuple[WriteStat, ...], BeforeValidator(_empty_sequence_for_null)]
_FileIds = Annotated[tuple[str, ...], BeforeValidator(_empty_sequence_for_null)]


@show_briefly
class CommitMetadata(BaseModel):
    """The metadata of a commit, by partition (the empty string for a table without partitions)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    stats: Annotated[Mapping[PartitionPath, _Stats], BeforeValidator(_empty_mapping_for_null)] = Field(
        default_factory=dict, alias="partitionToWriteStats"
    )
    replaced: Annotated[Mapping[PartitionPath, _FileIds], BeforeValidator(_empty_mapping_for_null)] = Field(
        default_factory=dict, alias="partitionToReplaceFileIds"
    )
    """File groups that the commit replaced."""
    extra: Annotated[Mapping[str, _String], BeforeValidator(_empty_mapping_for_null)] = Field(
        default_factory=dict, alias="extraMetadata"
    )
    operation: str | None = Field(None, alias="operationType")

    @property
    def states_replaced(self) -> bool:
        """Whether the metadata says what the commit replaced, be it nothing. Apache Hudi's writers state it in every replace
        commit (`HoodieReplaceCommitMetadata`)."""
        return "replaced" in self.model_fields_set

    @property
    def schema_text(self) -> str | None:
        """The Avro schema of the rows written, without meta columns; None where the commit does not record it."""
        return self.extra.get("schema") or None


LARGE_FILE_BYTES = 1 << 16
"""Size from which one field of commit metadata is read alone: some hundred files."""
_NO_METADATA = CommitMetadata.model_validate({})


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
        return CommitMetadata.model_validate_json(content)
    except ValidationError as error:
        raise _corrupt(error, where) from None


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


def _check(record: Mapping[str, Any], where: str) -> CommitMetadata:
    try:
        return CommitMetadata.model_validate(record)
    except ValidationError as error:
        raise _corrupt(error, where) from None


def _corrupt(error: ValidationError, where: str) -> CorruptFileError:
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return CorruptFileError(where, expected="commit metadata", found=f"{place}: {message}" if place else message)
