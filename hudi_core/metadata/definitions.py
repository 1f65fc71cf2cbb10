"""`index.json`: what the indexes of a table are made of. Rule META-40."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError
from hudi_core.json_texts import parse_json
from hudi_core.options import TableConfig
from hudi_core.paths import file_name
from hudi_core.stated_records import default_to, mapping, read_as, record_of, take, text, texts
from hudi_core.timeline.optional_files import read_if_there


@dataclass(frozen=True, slots=True)
class IndexDefinition:
    """One index: its kind, what it is a function of, and the columns it is made of."""

    kind: str = take("indexType", read=text)
    """`column_stats` and `bloom_filters` for expression indexes, `secondary_index`, `record_index`."""
    function: str = take("indexFunction", read=text)
    columns: tuple[str, ...] = take("sourceFields", read=texts)
    options: Mapping[str, str] = take("indexOptions", read=mapping(text, text))
    version: str = take("version", read=default_to("V1", text))
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


@dataclass(frozen=True, slots=True)
class _Document:
    definitions: Mapping[str, IndexDefinition] = take(
        "indexDefinitions", read=mapping(file_name, record_of(IndexDefinition))
    )


def index_definitions(storage: Storage, config: TableConfig) -> Mapping[str, IndexDefinition]:
    """The definitions of a table's indexes by metadata partition; none when there is no file of them.

    Raises `CorruptFileError` and `StorageError`.
    """
    path = config.index_definitions_path
    content = read_if_there(storage, path)
    if content is None or not content.strip():
        return {}
    try:
        return read_as(_Document, parse_json(content)).definitions
    except ValueError as error:
        where = f"{storage.uri}/{path}"
        raise CorruptFileError(where, expected="definitions of indexes", found=str(error)) from None
