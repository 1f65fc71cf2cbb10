"""`index.json`: what the indexes of a table are made of. Rule META-40."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hudi_core.commit.markers import PARTITION_METADATA
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.metadata.kinds import kind_of
from hudi_core.options import TableConfig
from hudi_core.paths import file_name
from hudi_core.timeline.files import read_if_there


def _empty(value: object) -> object:
    return () if value is None else value


def _nothing(value: object) -> object:
    return {} if value is None else value


def _text(value: object) -> object:
    return "" if value is None else value


_Name = Annotated[str, AfterValidator(file_name)]
_Text = Annotated[str, BeforeValidator(_text)]


class IndexDefinition(BaseModel):
    """One index: its kind, what it is a function of, and the columns it is made of."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: _Text = Field("", alias="indexType")
    """`column_stats` and `bloom_filters` for expression indexes, `secondary_index`, `record_index`."""
    function: _Text = Field("", alias="indexFunction")
    columns: Annotated[tuple[str, ...], BeforeValidator(_empty)] = Field((), alias="sourceFields")
    options: Annotated[Mapping[str, str], BeforeValidator(_nothing)] = Field(default_factory=dict, alias="indexOptions")
    version: _Text = "V1"
    """How keys are made; tables of version 8 do not record it, and mean V1."""

    @property
    def is_partitioned(self) -> bool:
        """A record index whose file groups are those of one partition of the table each."""
        return self.options.get("isPartitioned", "").lower() == "true"

    @property
    def records_statistics(self) -> bool:
        """An expression index of statistics of the values in each file."""
        return self.kind == "column_stats"

    @property
    def records_filters(self) -> bool:
        """An expression index of bloom filters of the values in each file."""
        return self.kind == "bloom_filters"


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    definitions: Annotated[Mapping[_Name, IndexDefinition], BeforeValidator(_nothing)] = Field(
        default_factory=dict, alias="indexDefinitions"
    )


def index_definitions(storage: Storage, config: TableConfig) -> Mapping[str, IndexDefinition]:
    """The definitions of a table's indexes by metadata partition; none when there is no file of them.

    Raises `CorruptFileError` and `StorageError`.
    """
    return read_definitions(storage, config.index_definitions_path)


def waits_for_rows(storage: Storage, path: str, partition: str, files: Sequence[FileInfo]) -> bool:
    """Whether a metadata partition with these files has no file group yet: those of a partitioned record index come with the
    first commit to each partition of the table. `path` is the file of the definitions. Rule META-54. Raises as
    `index_definitions`."""
    kind = kind_of(partition)
    if kind is None or not kind.can_be_partitioned or any(file.name != PARTITION_METADATA for file in files):
        return False
    definition = read_definitions(storage, path).get(partition)
    return definition is not None and definition.is_partitioned


def read_definitions(storage: Storage, path: str) -> Mapping[str, IndexDefinition]:
    """The definitions of indexes in a file. Raises as `index_definitions`."""
    content = read_if_there(storage, path)
    if content is None or not content.strip():
        return {}
    try:
        return _Document.model_validate_json(content).definitions
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        where = f"{storage.uri}/{path}"
        raise CorruptFileError(where, expected="definitions of indexes", found=f"{place}: {first['msg']}") from None
