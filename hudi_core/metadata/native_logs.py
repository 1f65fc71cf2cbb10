"""Native log files of metadata tables: their bytes are inferred, so that each is used only where it is as it should be in every
respect. Rule META-710."""

from __future__ import annotations

from typing import Final

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.hfile.cells import Cells, ascend_apart
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.json_texts import parse_json

_NAME: Final = "HoodieMetadataRecord"
_TYPES: Final = {"key": "string", "type": "int"}
"""Fields that every record has, with their types."""


def native_records(block: LogBlock) -> tuple[Cells, str]:
    """The cells of a native file of rows, and the schema of their values.

    Raises `UnsupportedError` for deletes and formats, `CorruptFileError` for a file that is not as it is inferred to be: what
    is made of the metadata table then is made of listings and footers.
    """
    where = block.where
    if block.kind is not BlockKind.HFILE_DATA:
        raise UnsupportedError(
            where, expected="rows in an HFile in a metadata table", found=f"{block.kind.name} in a native file"
        )
    file = HFile(InMemoryFile(block.content(), where))
    schema = block.require(HeaderKey.SCHEMA)
    if file.schema_text not in (None, schema):
        raise CorruptFileError(where, expected="one schema of the records", found="two that differ")
    _expect_records(schema, where)
    cells = file.cells()
    if not ascend_apart(cells):
        raise CorruptFileError(where, expected="keys that ascend and differ", found="others")
    return cells, schema


def _expect_records(schema: str, where: str) -> None:
    try:
        parsed = parse_json(schema)
        types = {field["name"]: field["type"] for field in parsed["fields"]}
    except (ValueError, LookupError, TypeError) as problem:
        raise CorruptFileError(where, expected="a schema of records", found=repr(problem)[:80]) from None
    if parsed.get("name") != _NAME or any(_plain(types.get(name)) != expected for name, expected in _TYPES.items()):
        raise CorruptFileError(where, expected=f"records of {_NAME}", found=schema[:80])


def _plain(field_type: object) -> object:
    """A type without what Java adds to it."""
    return field_type.get("type") if isinstance(field_type, dict) else field_type
