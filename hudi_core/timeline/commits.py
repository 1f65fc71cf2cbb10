"""Commit metadata: what a write says it did, read from JSON (layout 1) or Avro (layout 2) into one form.

Rules TIME-10 and TIME-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.container import MAGIC, read_container, read_string_map


def _text(value: object) -> object:
    return "" if value is None else value


def _none(value: object) -> object:
    """Old writers say "null" where they mean that there is none."""
    return None if value == "null" else value


def _mapping(value: object) -> object:
    return {} if value is None else value


def _sequence(value: object) -> object:
    return () if value is None else value


_Text = Annotated[str, BeforeValidator(_text)]


class WriteStat(BaseModel):
    """What a write did to one file. Counts are None where the writer did not say.

    `path` is relative to the table's root and includes the partition; it is empty when nothing was written.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    partition: _Text = Field("", alias="partitionPath")
    file_id: _Text = Field("", alias="fileId")
    path: _Text = ""
    previous: Annotated[str | None, BeforeValidator(_none)] = Field(None, alias="prevCommit")
    """The instant of the slice that was there before; None for a new file group."""
    rows: int | None = Field(None, alias="numWrites")
    deletes: int | None = Field(None, alias="numDeletes")
    updates: int | None = Field(None, alias="numUpdateWrites")
    inserts: int | None = Field(None, alias="numInserts")
    bytes_written: int | None = Field(None, alias="totalWriteBytes")
    errors: int | None = Field(None, alias="totalWriteErrors")
    file_size: int | None = Field(None, alias="fileSizeInBytes")
    base_file: str | None = Field(None, alias="baseFile")
    log_files: Annotated[tuple[str, ...], BeforeValidator(_sequence)] = Field((), alias="logFiles")
    cdc_files: Annotated[Mapping[str, int], BeforeValidator(_mapping)] = Field(default_factory=dict, alias="cdcStats")
    """Paths of change-data files with their sizes."""


_Stats = Annotated[tuple[WriteStat, ...], BeforeValidator(_sequence)]
_FileIds = Annotated[tuple[str, ...], BeforeValidator(_sequence)]


class CommitMetadata(BaseModel):
    """What a commit says it did, by partition (the empty text when the table has none)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    stats: Annotated[Mapping[str, _Stats], BeforeValidator(_mapping)] = Field(
        default_factory=dict, alias="partitionToWriteStats"
    )
    replaced: Annotated[Mapping[str, _FileIds], BeforeValidator(_mapping)] = Field(
        default_factory=dict, alias="partitionToReplaceFileIds"
    )
    """File groups whose rows the commit took away."""
    extra: Annotated[Mapping[str, _Text], BeforeValidator(_mapping)] = Field(
        default_factory=dict, alias="extraMetadata"
    )
    operation: str | None = Field(None, alias="operationType")

    @property
    def schema_text(self) -> str | None:
        """The Avro schema of the rows written, without meta columns; None when the commit does not say."""
        return self.extra.get("schema") or None

    @property
    def latest_schema_text(self) -> str | None:
        """The schema with column ids, as JSON; only where schema evolution on read is in use."""
        return self.extra.get("latest_schema") or None


_LONG = 1 << 16
"""Bytes above which parts of a commit's metadata are worth being read by themselves: some hundred files."""
_NOTHING = CommitMetadata.model_validate({})


def read_commit(content: bytes | Mapping[str, Any], where: str) -> CommitMetadata:
    """The metadata of a commit, delta commit or replace commit, completed or inflight; of a log of archived instants the
    record itself.

    An empty file says nothing, and is legal. Raises `CorruptFileError` that names `where`.
    """
    if not isinstance(content, bytes):
        return _checked(content, where)
    if content.startswith(MAGIC):
        return _checked(read_record(content, where), where)
    if not content.strip():
        return _NOTHING
    try:
        return CommitMetadata.model_validate_json(content)
    except ValidationError as error:
        raise _corrupt(error, where) from None


def read_extra(content: bytes, where: str) -> Mapping[str, str] | None:
    """`CommitMetadata.extra` alone, from a long file whose other fields can be passed over; else None.

    Raises `CorruptFileError` that names `where`.
    """
    if len(content) < _LONG or not content.startswith(MAGIC):
        return None
    return read_string_map(content, "extraMetadata", where)


def read_record(content: bytes, where: str) -> Mapping[str, Any]:
    """The one record of an Avro file as instants hold them: commit metadata, and plans of all kinds."""
    records = read_container(content, where)
    if len(records) != 1 or not isinstance(records[0], dict):
        raise CorruptFileError(where, expected="an Avro file of one record", found=f"{len(records)} records")
    return records[0]


def _checked(record: Mapping[str, Any], where: str) -> CommitMetadata:
    try:
        return CommitMetadata.model_validate(record)
    except ValidationError as error:
        raise _corrupt(error, where) from None


def _corrupt(error: ValidationError, where: str) -> CorruptFileError:
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return CorruptFileError(where, expected="commit metadata", found=f"{place}: {said}" if place else said)
