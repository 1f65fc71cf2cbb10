"""`dump`: what one file of a table holds. People see columns as a table, and long texts by their beginning. Rule CLI-1350."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from hudi_core.cli.options import STORAGE_OPTIONS, EngineOption, JsonOption
from hudi_core.cli.output import LONGEST, Output, value_text
from hudi_core.errors import NoSuchFileError, UsageError
from hudi_core.local_uris import is_url, local_path
from hudi_core.secrets import public_url
from hudi_core.table.engines import DEFAULT_ENGINE, load_engine
from hudi_core.table.file_contents import file_contents

_COLUMN: Final = ("name", "type", "lower", "upper", "nulls", "values", "bytes")


def dump(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of a table: its path or URL.")],
    records: Annotated[
        int,
        typer.Option("--records", "-n", metavar="N", min=0, help="Show N records of each part of a log or an HFile."),
    ] = 0,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Show what a file holds: the blocks of a log, an HFile, the footer of a base file, an instant, properties.

    People see the beginning of long texts, as of a schema. --json has all of them.
    """
    folder, _, name = file.rpartition("/")
    if not name or (not is_url(file) and Path(local_path(file)).is_dir()):
        raise UsageError("FILE", expected="a file", found=f"the folder {file}")
    root = folder or ("/" if file.startswith("/") else str(Path()))
    loaded = load_engine(engine)
    storage, out = loaded.storage(root, STORAGE_OPTIONS.get()), Output(as_json)
    if not storage.exists(name):
        raise NoSuchFileError(public_url(file), message=os.strerror(errno.ENOENT))
    parts = file_contents(loaded, storage, name, records=records)
    if as_json:
        out.rows((), parts)
    else:
        _show(out, parts)


def _show(out: Output, parts: Iterable[Mapping[str, Any]]) -> None:
    """The parts one after the other, those that are columns as one table."""
    columns: list[Mapping[str, Any]] = []
    for number, part in enumerate(parts):
        if part["kind"] == "column":
            columns.append({**part, **{bound: value_text(part[bound]) for bound in ("lower", "upper")}})
            continue
        if number:
            out.text()
        _show_part(out, part)
    if columns:
        out.text()
        out.rows(_COLUMN, columns, title="columns", elided=("name", "lower", "upper"), below=("type",))


def _show_part(out: Output, part: Mapping[str, Any]) -> None:
    """What is said of the part as a whole, then its documents, an entry on each line."""
    documents = {name: value for name, value in part.items() if isinstance(value, Mapping)}
    out.record({name: value for name, value in part.items() if name not in documents})
    for name, document in documents.items():
        if not document:
            continue
        # The description of a file is cut as a whole; what its records hold is shown, but for its long texts.
        is_record = name == "value"
        if not is_record:
            out.text()
            out.heading(name)
        out.row({key: _cut_texts(value) if is_record else value for key, value in document.items()}, cut=not is_record)


def _cut_texts(value: Any) -> Any:
    """A value as one text, each long text in it by its beginning."""
    return json.dumps(_cut(value), ensure_ascii=False) if isinstance(value, Mapping | list) else _cut(value)


def _cut(value: Any) -> Any:
    match value:
        case str() if len(value) > LONGEST:
            return f"{value[:LONGEST]}… ({len(value):,} characters)"
        case Mapping():
            return {key: _cut(part) for key, part in value.items()}
        case list():
            return [_cut(part) for part in value]
        case _:
            return value
