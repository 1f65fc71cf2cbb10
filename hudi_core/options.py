"""`hoodie.*` properties: a table's `hoodie.properties`, checked once and typed as `TableConfig`."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.notebook import show_briefly
from hudi_core.paths import HUDI_FOLDER, file_name, path_within

FOLDER = HUDI_FOLDER
PROPERTIES_PATH = f"{FOLDER}/hoodie.properties"
NEW_TIMELINE_FOLDER = f"{FOLDER}/timeline"
"""Where the timeline of a table of layout 2 is, unless its properties name another folder."""
HASHING_FOLDER = f"{FOLDER}/.bucket_index/consistent_hashing_metadata"
"""The folder of the nodes of consistent hashing, with a subfolder for each partition."""
HASHING_SUFFIX = ".hashing_meta"
"""How the names of its files end."""
BOOTSTRAP_BASE_PATH = "hoodie.bootstrap.base.path"
"""The property with the folder of files that a bootstrap left where they were."""
KNOWN_VERSIONS = (2, 3, 4, 5, 6, 8, 9, 10)
UNRELEASED_VERSION = 10
"""The table version that is read by its published code: no release of Apache Hudi writes it. Rule TABLE-710."""
UNRELEASED = f"version {UNRELEASED_VERSION}, read by its published code; not yet compared with a released writer"
_LISTING_SINCE = 6
"""The table version from which on the metadata table is used: earlier ones may be behind, or have records of other schemas."""
_PATHS_SINCE = 3
"""The table version from which on properties state how folders of partitions are named."""


class TableType(Enum):
    """How a table takes updates."""

    COPY_ON_WRITE = "COPY_ON_WRITE"
    MERGE_ON_READ = "MERGE_ON_READ"


class MergeMode(Enum):
    """Which of two records with one key wins."""

    COMMIT_TIME_ORDERING = "COMMIT_TIME_ORDERING"
    EVENT_TIME_ORDERING = "EVENT_TIME_ORDERING"
    CUSTOM = "CUSTOM"


class CdcMode(Enum):
    """The images that a change-data log has of each change."""

    OP_KEY_ONLY = "OP_KEY_ONLY"
    DATA_BEFORE = "DATA_BEFORE"
    DATA_BEFORE_AFTER = "DATA_BEFORE_AFTER"


class BaseFileFormat(Enum):
    """The format of base files."""

    PARQUET = "PARQUET"
    ORC = "ORC"
    HFILE = "HFILE"
    LANCE = "LANCE"


class TimeZone(Enum):
    """The zone in which instant times are written."""

    LOCAL = "LOCAL"
    UTC = "UTC"


class MetaFieldsMode(Enum):
    """Which of the meta columns have values. Rule TABLE-711."""

    ALL = "ALL"
    NONE = "NONE"
    COMMIT_TIME_ONLY = "COMMIT_TIME_ONLY"
    FILE_NAME_ONLY = "FILE_NAME_ONLY"
    COMMIT_TIME_AND_FILE_NAME = "COMMIT_TIME_AND_FILE_NAME"


class StorageLayout(Enum):
    """The order of rows in files: any, or by record key. Merging by hash reads both alike."""

    DEFAULT = "DEFAULT"
    LSM_TREE = "LSM_TREE"


class KeyEncoding(Enum):
    """Whether the key of one field has its name under the complex generator."""

    FIELD_PREFIXED = "FIELD_PREFIXED"
    VALUE_ONLY = "VALUE_ONLY"


class KeyGeneratorType(StrEnum):
    """The type of a key generator. Each stands for its Avro twin (`SIMPLE_AVRO`) too."""

    SIMPLE = "SIMPLE"
    COMPLEX = "COMPLEX"
    TIMESTAMP = "TIMESTAMP"
    CUSTOM = "CUSTOM"
    NON_PARTITION = "NON_PARTITION"
    GLOBAL_DELETE = "GLOBAL_DELETE"
    METADATA_TABLE = "HOODIE_TABLE_METADATA"
    USER_PROVIDED = "USER_PROVIDED"


_GENERATOR_TYPES = {generator.value: generator for generator in KeyGeneratorType}
_GENERATOR_CLASSES = {
    "SimpleKeyGenerator": KeyGeneratorType.SIMPLE,
    "ComplexKeyGenerator": KeyGeneratorType.COMPLEX,
    "TimestampBasedKeyGenerator": KeyGeneratorType.TIMESTAMP,
    "CustomKeyGenerator": KeyGeneratorType.CUSTOM,
    "NonpartitionedKeyGenerator": KeyGeneratorType.NON_PARTITION,
    "GlobalDeleteKeyGenerator": KeyGeneratorType.GLOBAL_DELETE,
    "HoodieTableMetadataKeyGenerator": KeyGeneratorType.METADATA_TABLE,
}


def generator_of_type(name: str) -> KeyGeneratorType | None:
    """The generator that a `keygenerator.type` names, in any case, its Avro twin too."""
    return _GENERATOR_TYPES.get(name.upper().removesuffix("_AVRO"))


def generator_of_class(name: str) -> KeyGeneratorType | None:
    """The generator that a class of Apache Hudi's is, by its name with or without the package."""
    bare = name.rpartition(".")[2].replace("AvroDeleteKeyGenerator", "DeleteKeyGenerator")
    return _GENERATOR_CLASSES.get(bare.replace("AvroKeyGenerator", "KeyGenerator"))


def infer_generator(record_key: Sequence[str], partition: Sequence[str]) -> KeyGeneratorType:
    """The generator that Hudi takes where none is stated, for these fields; `partition` with what is appended to each."""
    if not partition:
        return KeyGeneratorType.NON_PARTITION
    if ":" in partition[0]:
        return KeyGeneratorType.CUSTOM
    return KeyGeneratorType.SIMPLE if len(partition) == 1 and len(record_key) <= 1 else KeyGeneratorType.COMPLEX


def _split(text: object) -> object:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if isinstance(text, str) else text


def _yes_no(text: object) -> object:
    """Only `true` and `false`: to take anything else for `false`, as Java does, would misread paths without a word."""
    match text.lower() if isinstance(text, str) else text:
        case "true":
            return True
        case "false":
            return False
        case _:
            raise ValueError("expected true or false")


def _upper(text: object) -> object:
    return text.upper() if isinstance(text, str) else text


def _folder(text: object) -> object:
    return path_within(text.strip("/")) if isinstance(text, str) else text


def _partitions(text: object) -> object:
    names = _split(text)
    return tuple(file_name(name) for name in names) if isinstance(names, tuple) else names


Names = Annotated[tuple[str, ...], BeforeValidator(_split)]
"""A list with commas; blanks around names and empty ones do not count."""
Flag = Annotated[bool, BeforeValidator(_yes_no)]
"""`true` or `false`."""
_Path = Annotated[str, BeforeValidator(_folder)]
_MetadataPartitions = Annotated[tuple[str, ...], BeforeValidator(_partitions)]


@show_briefly
class TableConfig(BaseModel):
    """The properties of a table, typed. Fact sheet: table properties of versions 2 to 9; both spellings of a key count
    at every version, because writers mix them. `properties` holds all of them as they stand."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=False)

    name: str = Field(validation_alias="hoodie.table.name")
    database: str | None = Field(None, validation_alias="hoodie.database.name")
    type: Annotated[TableType, BeforeValidator(_upper)] = Field(
        TableType.COPY_ON_WRITE, validation_alias="hoodie.table.type"
    )
    version: int = Field(validation_alias="hoodie.table.version")
    stated_layout: int | None = Field(None, validation_alias="hoodie.timeline.layout.version", ge=1, le=2)

    record_key_fields: Names = Field((), validation_alias="hoodie.table.recordkey.fields")
    """Empty: Hudi makes the keys."""
    ordering_fields: Names = Field(
        (), validation_alias=AliasChoices("hoodie.table.ordering.fields", "hoodie.table.precombine.field")
    )
    stated_partition_fields: Names = Field((), validation_alias="hoodie.table.partition.fields")
    """With what a custom key generator appends to each (`event_ts:TIMESTAMP`)."""
    key_generator_type: str | None = Field(None, validation_alias="hoodie.table.keygenerator.type")
    key_generator_class: str | None = Field(None, validation_alias="hoodie.table.keygenerator.class")
    hive_style_partitioning: Flag = Field(False, validation_alias="hoodie.datasource.write.hive_style_partitioning")
    url_encode_partitioning: Flag = Field(False, validation_alias="hoodie.datasource.write.partitionpath.urlencode")
    stated_slash_separated_dates: Flag = Field(
        False, validation_alias="hoodie.datasource.write.slash.separated.date.partitioning"
    )
    partition_extractor_class: str | None = Field(None, validation_alias="hoodie.table.partition_extractor_class")
    drop_partition_columns: Flag = Field(False, validation_alias="hoodie.datasource.write.drop.partition.columns")
    stated_populate_meta_fields: Flag = Field(True, validation_alias="hoodie.populate.meta.fields")
    meta_fields_mode: Annotated[MetaFieldsMode | None, BeforeValidator(_upper)] = Field(
        None, validation_alias="hoodie.meta.fields.mode"
    )
    """Wins over `hoodie.populate.meta.fields`."""
    storage_layout: Annotated[StorageLayout, BeforeValidator(_upper)] = Field(
        StorageLayout.DEFAULT, validation_alias="hoodie.table.storage.layout"
    )
    key_encoding: Annotated[KeyEncoding | None, BeforeValidator(_upper)] = Field(
        None, validation_alias="hoodie.table.complex.keygenerator.encoding"
    )

    base_file_format: Annotated[BaseFileFormat, BeforeValidator(_upper)] = Field(
        BaseFileFormat.PARQUET, validation_alias="hoodie.table.base.file.format"
    )
    merge_mode: Annotated[MergeMode | None, BeforeValidator(_upper)] = Field(
        None, validation_alias="hoodie.record.merge.mode"
    )
    """None on version 6, where the payload class decides."""
    merge_strategy_id: str | None = Field(
        None,
        validation_alias=AliasChoices("hoodie.record.merge.strategy.id", "hoodie.compaction.record.merger.strategy"),
    )
    payload_class: str | None = Field(
        None,
        validation_alias=AliasChoices(
            "hoodie.compaction.payload.class", "hoodie.table.legacy.payload.class", "hoodie.legacy.payload.class"
        ),
    )
    partial_update_mode: str | None = Field(None, validation_alias="hoodie.table.partial.update.mode")
    cdc_enabled: Flag = Field(False, validation_alias="hoodie.table.cdc.enabled")
    cdc_mode: Annotated[CdcMode, BeforeValidator(_upper)] = Field(
        CdcMode.DATA_BEFORE_AFTER, validation_alias="hoodie.table.cdc.supplemental.logging.mode"
    )

    metadata_partitions: _MetadataPartitions = Field((), validation_alias="hoodie.table.metadata.partitions")
    """The metadata partitions that are complete; no other may be used."""
    metadata_partitions_inflight: _MetadataPartitions = Field(
        (), validation_alias="hoodie.table.metadata.partitions.inflight"
    )
    index_definitions_path: _Path = Field(
        f"{FOLDER}/.index_defs/index.json", validation_alias="hoodie.table.index.defs.path"
    )
    create_schema: str | None = Field(None, validation_alias="hoodie.table.create.schema")
    timezone: Annotated[TimeZone, BeforeValidator(_upper)] = Field(
        TimeZone.LOCAL, validation_alias="hoodie.table.timeline.timezone"
    )
    timeline_path: _Path = Field("timeline", validation_alias="hoodie.timeline.path")
    history_path: _Path = Field("history", validation_alias="hoodie.timeline.history.path")
    archive_path: _Path = Field("archived", validation_alias="hoodie.archivelog.folder")

    properties: Mapping[str, str] = Field(default_factory=dict, repr=False)
    findings: tuple[str, ...] = ()
    """Warnings about properties that are odd but harmless."""

    @property
    def layout(self) -> int:
        """1: instants are in `.hoodie` and have no completion time (version 6). 2: in `.hoodie/timeline`, with one."""
        return self.stated_layout or self.layout_of_version

    @property
    def layout_of_version(self) -> int:
        """The layout that tables of this version have."""
        return 1 if self.version < 8 else 2

    @property
    def populate_meta_fields(self) -> bool:
        """All meta columns have values; otherwise record keys are virtual."""
        mode = self.meta_fields_mode
        return self.stated_populate_meta_fields if mode is None else mode is MetaFieldsMode.ALL

    @property
    def has_meta_columns(self) -> bool:
        """Rows have the meta columns, some of them null where the mode leaves them out."""
        mode = self.meta_fields_mode
        return self.stated_populate_meta_fields if mode is None else mode is not MetaFieldsMode.NONE

    @property
    def stores_commit_times(self) -> bool:
        """Rows have the time of the commit that wrote them."""
        timed = (MetaFieldsMode.COMMIT_TIME_ONLY, MetaFieldsMode.COMMIT_TIME_AND_FILE_NAME)
        return self.populate_meta_fields or self.meta_fields_mode in timed

    @property
    def kept_partitions(self) -> frozenset[str]:
        """The metadata partitions that every write keeps up to date: those that are complete, and those under construction."""
        return frozenset((*self.metadata_partitions, *self.metadata_partitions_inflight))

    @property
    def timeline_folder(self) -> str:
        """Where instants are, from the table's root. Layout 1 ignores `timeline_path`, which writers state all the same."""
        return FOLDER if self.layout == 1 else f"{FOLDER}/{self.timeline_path}"

    @property
    def history_folder(self) -> str:
        """Where archived instants are, from the table's root."""
        return f"{FOLDER}/{self.archive_path}" if self.layout == 1 else f"{self.timeline_folder}/{self.history_path}"

    @property
    def partition_fields(self) -> tuple[str, ...]:
        """Names of the columns that partition the table."""
        return tuple(field.partition(":")[0].strip() for field in self.stated_partition_fields)

    @property
    def left_out_columns(self) -> frozenset[str]:
        """Names of the columns that files and commits leave out, for partition paths have their values. Rule WRITE-1650."""
        return frozenset(self.partition_fields if self.drop_partition_columns else ())

    @property
    def named_columns(self) -> Mapping[str, tuple[str, ...]]:
        """The columns that the table needs by name, by the property that names them."""
        return {
            "hoodie.table.recordkey.fields": self.record_key_fields,
            "hoodie.table.partition.fields": self.partition_fields,
            "hoodie.table.ordering.fields": self.ordering_fields,
        }

    @property
    def has_path_values(self) -> bool:
        """Partition columns have the values in paths, whatever files hold. Rule TABLE-260."""
        return self.version >= _PATHS_SINCE or self.drop_partition_columns

    @property
    def partition_field_types(self) -> tuple[str, ...]:
        """What a custom key generator does with each partition field, in capitals: `SIMPLE`, `TIMESTAMP`; else empty texts."""
        return tuple(field.partition(":")[2].strip().upper() for field in self.stated_partition_fields)

    @property
    def slash_separated_dates(self) -> bool:
        """A date's folder is `yyyy/MM/dd`. Writers that do not state the option betray it by the extractor they register."""
        extractor = (self.partition_extractor_class or "").rpartition(".")[2]
        return self.stated_slash_separated_dates or extractor == "SlashEncodedDayPartitionValueExtractor"

    @property
    def key_generator(self) -> KeyGeneratorType:
        """The generator stated, else the one Hudi infers from the partition fields and the number of key fields."""
        if self.key_generator_type:
            return generator_of_type(self.key_generator_type) or KeyGeneratorType.USER_PROVIDED
        if self.key_generator_class:
            return generator_of_class(self.key_generator_class) or KeyGeneratorType.USER_PROVIDED
        return infer_generator(self.record_key_fields, self.stated_partition_fields)


def table_config(properties: Mapping[str, str], where: str = PROPERTIES_PATH) -> TableConfig:
    """The properties of a table, typed. An empty value counts as absent.

    Raises `UnsupportedError` for a table version that is not known, `CorruptFileError` for a value that cannot be meant or
    one that is missing; both name `where`. A wrong checksum is a finding: it means that the file was edited by hand.
    """
    present: dict[str, Any] = {key: text.strip() for key, text in properties.items() if text.strip()}
    _refuse_unknown_version(present.get("hoodie.table.version"), where)
    present["properties"] = MappingProxyType(dict(properties))
    present["findings"] = _findings(present)
    if int(present["hoodie.table.version"]) < _LISTING_SINCE:
        present.pop("hoodie.table.metadata.partitions", None)
        present.pop("hoodie.table.metadata.partitions.inflight", None)
    try:
        return TableConfig.model_validate(present)
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        if first["type"] == "missing":
            raise CorruptFileError(where, expected=f"a property {key}", found="none") from None
        raise CorruptFileError(
            where, expected=f"a valid {key}", found=f"{properties.get(key)!r} ({_reason(first['msg'])})"
        ) from None


def _refuse_unknown_version(text: str | None, where: str) -> None:
    if text is None:
        raise CorruptFileError(where, expected="a property hoodie.table.version", found="none")
    if not (text.isascii() and text.isdigit() and len(text) < 100):
        raise CorruptFileError(where, expected="a number as hoodie.table.version", found=repr(text)[:80])
    if int(text) not in KNOWN_VERSIONS:
        versions = ", ".join(map(str, KNOWN_VERSIONS))
        raise UnsupportedError(where, expected=f"a table version of {versions}", found=f"version {int(text)}")


def table_checksum(database: str | None, name: str) -> int:
    """`hoodie.table.checksum`: the CRC-32 of `<database>.<table>`; without a database the text starts with the dot."""
    return zlib.crc32(f"{database or ''}.{name}".encode())


def _findings(present: Mapping[str, str]) -> tuple[str, ...]:
    return (*_list_unreleased(present), *_wrong_checksum(present))


def _list_unreleased(present: Mapping[str, str]) -> tuple[str, ...]:
    is_unreleased = int(present["hoodie.table.version"]) == UNRELEASED_VERSION
    return (UNRELEASED,) if is_unreleased else ()


def _wrong_checksum(present: Mapping[str, str]) -> tuple[str, ...]:
    stated, name = present.get("hoodie.table.checksum"), present.get("hoodie.table.name")
    if stated is None or name is None:
        return ()
    computed = table_checksum(present.get("hoodie.database.name"), name)
    if stated == str(computed):
        return ()
    return (f"hoodie.table.checksum is {stated}, the names of database and table give {computed}",)


def _reason(message: str) -> str:
    return message.removeprefix("Value error, ").removeprefix("Input should be ")
