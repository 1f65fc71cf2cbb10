"""Tables whose metadata names what lies outside of them: every text of every record below `.hoodie`, one after the other."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro

from hudi_core.formats.avro.container import MAGIC, write_container


@dataclass(frozen=True, slots=True)
class Poisoned:
    """A file below the table's root with a record of which one text is another."""

    file: str
    place: str
    content: bytes


def poisoned_records(table: Path, text: str) -> Iterator[Poisoned]:
    """Each place of a text in a record of the table's metadata, with the file that has `text` there. Of a list the first item
    stands for all."""
    for path in sorted((table / ".hoodie").rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        file = path.relative_to(table).as_posix()
        if content.startswith(MAGIC):
            schema = fastavro.reader(io.BytesIO(content)).writer_schema
            for place, record in _variants(_record(content), text):
                yield Poisoned(file, place, write_container(schema, [record]))
        elif content.startswith(b"{"):
            for place, record in _variants(json.loads(content), text):
                yield Poisoned(file, place, json.dumps(record).encode())
        elif path.name.startswith("MARKERS") and path.suffix != ".type":
            kind = content.decode().rpartition(".marker.")[2]
            yield Poisoned(file, "marker", f"{text}.marker.{kind}".encode())
        elif path.name == "hoodie.properties":
            lines = content.decode().splitlines()
            for number, line in enumerate(lines):
                key, separator, _ = line.partition("=")
                if separator and not key.startswith("#"):
                    others = "\n".join([*lines[:number], f"{key}={text}", *lines[number + 1 :]])
                    yield Poisoned(file, key, others.encode())


def _record(content: bytes) -> Any:
    (record,) = fastavro.reader(io.BytesIO(content))
    return record


def _variants(value: Any, text: str, place: str = "") -> Iterator[tuple[str, Any]]:
    match value:
        case str():
            yield place, text
        case dict():
            for key, below in value.items():
                for where, variant in _variants(below, text, f"{place}.{key}"):
                    yield where, {**value, key: variant}
            if (
                value
                and "/" not in "".join(value)
                and place.endswith(("Stats", "FileIds", "Partition", "Metadata", "Definitions"))
            ):
                first = next(iter(value))
                yield f"{place}.<key>", {text if key == first else key: below for key, below in value.items()}
        case [first, *others]:
            for where, variant in _variants(first, text, f"{place}[]"):
                yield where, [variant, *others]
