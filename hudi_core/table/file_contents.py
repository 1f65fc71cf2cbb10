"""What a single file of a table holds, as objects of JSON: a log, an HFile, a base file's footer, an instant, properties.

Rule TABLE-670. The first object describes the file as a whole; those after it are its parts.
"""

from __future__ import annotations

import datetime
import decimal
import math
import uuid
from base64 import b64encode
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from hudi_core.columns.strings import string_list
from hudi_core.engine import Engine, FileInfo, Storage
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.avro.block import avro_records
from hudi_core.formats.avro.container import MAGIC as AVRO_MAGIC
from hudi_core.formats.avro.container import read_container, read_records
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from hudi_core.formats.names import parse_log_file
from hudi_core.formats.properties import parse_properties
from hudi_core.json_texts import parse_json
from hudi_core.types.text import text as type_text
from hudi_core.values.json import to_json

_PROPERTIES: Final = (".properties", ".properties.backup", ".hoodie_partition_metadata")


def file_contents(
    engine: Engine[Any, Any, Any], storage: Storage, path: str, *, records: int = 0
) -> Iterator[dict[str, Any]]:
    """What a file holds: its kind and size first, then its parts, and of these at most `records` records each.

    Raises `StorageError` where it cannot be read, `CorruptFileError` for damage, `UnsupportedError` for a kind of file that is
    not of a table.
    """
    name = path.rpartition("/")[2]
    extension = name.rpartition(".")[2]
    if parse_log_file(name) is not None:
        yield from _log(storage, path, records)
    elif extension == "hfile":
        yield from _hfile(storage, path, records)
    elif extension in engine.formats:
        yield from _footer(engine, storage, path)
    else:
        yield from _text_or_records(name, storage.read(path), f"{storage.uri}/{path}".removeprefix("./"))


def _log(storage: Storage, path: str, records: int) -> Iterator[dict[str, Any]]:
    source = storage.open(path)
    blocks = list(read_blocks(source))
    yield {"kind": "log", "path": path, "bytes": source.size, "blocks": len(blocks)}
    for block in blocks:
        header = {
            (key.name if isinstance(key, HeaderKey) else str(key)).lower(): value for key, value in block.header.items()
        }
        footer = {str(key): value for key, value in block.footer.items()}
        place = {"kind": "block", "type": block.kind.name.lower(), "offset": block.offset, "bytes": block.length}
        yield {**place, "header": header, "footer": footer}
        yield from islice(_records_of(block), records)


def _records_of(block: LogBlock) -> Iterator[dict[str, Any]]:
    """The records of a block of Avro data, and the keys of one of deletes; none of others."""
    if block.kind is BlockKind.DELETE:
        deleted = read_deletes(block)
        for key, partition in zip(string_list(deleted.record_keys), string_list(deleted.partition_paths), strict=True):
            yield {"kind": "delete", "record_key": key, "partition": partition}
    elif block.kind in (BlockKind.AVRO_DATA, BlockKind.CDC_DATA):
        stored = avro_records(block)
        for start, length in zip(stored.starts.tolist(), stored.lengths.tolist(), strict=True):
            (record,) = read_records(stored.schema_text, stored.data, [start], [length], block.where)
            yield {"kind": "record", "value": plain(record)}
    elif block.kind is BlockKind.HFILE_DATA:
        raise UnsupportedError(block.where, expected="records of Avro blocks and deletes", found="an HFile block")


def _hfile(storage: Storage, path: str, records: int) -> Iterator[dict[str, Any]]:
    source = storage.open(path)
    file = HFile(source)
    info = {key.decode("utf-8", "replace"): value for key, value in file.file_info.items() if key != b"schema"}
    yield {
        "kind": "hfile",
        "path": path,
        "bytes": source.size,
        "records": file.entry_count,
        "codec": file.codec.name.lower(),
        "info": {key: plain(value) for key, value in info.items()},
        "schema": parse_json(file.schema_text) if file.schema_text else None,
    }
    if not records:
        return
    cells = file.cells()
    for number in range(min(records, len(cells))):
        value = cells.value(number)
        shown: Any = value
        if file.schema_text is not None:
            (shown,) = read_records(file.schema_text, value, [0], [len(value)], file.where)
        yield {"kind": "record", "key": plain(cells.key(number)), "value": plain(shown)}


def _footer(engine: Engine[Any, Any, Any], storage: Storage, path: str) -> Iterator[dict[str, Any]]:
    extension = path.rpartition(".")[2]
    size = storage.open(path).size
    footer = engine.reader(extension).open(storage, FileInfo(path, size)).footer
    yield {
        "kind": extension,
        "path": path,
        "bytes": size,
        "rows": footer.rows,
        "row_groups": [group.rows for group in footer.row_groups],
        "metadata": {key: _json_or_text(value) for key, value in footer.metadata.items()},
    }
    for place, known in footer.statistics.items():
        yield {
            "kind": "column",
            "name": ".".join(place),
            "type": type_text(known.type),
            "lower": to_json(known.lower, known.type),
            "upper": to_json(known.upper, known.type),
            "nulls": known.null_count,
            "values": known.value_count,
            "bytes": known.size,
        }


def _json_or_text(text: str) -> Any:
    """What is in the metadata of a footer: documents as such."""
    try:
        return parse_json(text)
    except ValueError:
        return text


def _text_or_records(name: str, data: bytes, where: str) -> Iterator[dict[str, Any]]:
    whole = {"path": where, "bytes": len(data)}
    if data.startswith(AVRO_MAGIC):
        stored = read_container(data, where)
        yield {"kind": "avro", **whole, "records": len(stored)}
        yield from ({"kind": "record", "value": plain(record)} for record in stored)
    elif not data:
        yield {"kind": "empty", **whole}
    elif name.endswith(_PROPERTIES):
        yield {"kind": "properties", **whole, "value": parse_properties(data, where)}
    else:
        try:
            value = parse_json(data)
        except ValueError:
            expected = "a log file, an HFile, a base file, Avro, JSON or properties"
            raise UnsupportedError(where, expected=expected, found=f"a file that starts {data[:8]!r}") from None
        yield {"kind": "json", **whole, "value": value}


def plain(value: Any) -> Any:
    """A value of Avro as JSON has it, bytes that are text as such."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"float": str(value)}
        case bytes():
            try:
                text = value.decode("utf-8")
            except UnicodeDecodeError:
                return {"base64": b64encode(value).decode("ascii")}
            return text if text.isprintable() else {"base64": b64encode(value).decode("ascii")}
        case Mapping():
            return {str(key): plain(part) for key, part in value.items()}
        case list() | tuple():
            return [plain(part) for part in value]
        case decimal.Decimal() | uuid.UUID():
            return str(value)
        case datetime.date() | datetime.time():
            return value.isoformat()
        case _:
            raise CorruptFileError("record", expected="a value of Avro", found=type(value).__name__)
