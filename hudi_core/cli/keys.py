"""`keys`: the record key and partition path of each row of an input."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from hudi_core.cli.options import EngineOption, JsonOption, file_options, open_from_options
from hudi_core.cli.output import Output, say
from hudi_core.cli.progress import tally_progress
from hudi_core.cli.words import format_count
from hudi_core.engine import Engine, InputRows
from hudi_core.errors import StorageError, UsageError
from hudi_core.formats.properties import parse_properties
from hudi_core.front.keys import KEYS, key_batches
from hudi_core.json_texts import parse_json
from hudi_core.keys.choose import WriterEnvironment, choose
from hudi_core.keys.generator import AnyGenerator, Generator, TimePart, WritePath
from hudi_core.keys.options import refuse_misspelled
from hudi_core.keys.zones import parse_zone
from hudi_core.rows.outside_files import file_suffix, read_file
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE, load_engine
from hudi_core.table.keying import table_generator
from hudi_core.tally import MAKING_KEYS
from hudi_core.types import nodes as t
from hudi_core.types.walk import with_children

SHOWN = 20
"""Rows shown to people."""
_GUESSED = (".json", ".jsonl", ".ndjson", ".csv")
"""Formats in which types are guesses."""

KeyOptionsOption = Annotated[
    Path | None,
    typer.Option(
        "--options", metavar="FILE", help="hoodie.* options of the generator: a .properties file, or a JSON object."
    ),
]


def keys(
    rows: Annotated[
        str,
        typer.Argument(metavar="INPUT", help="Rows: a .parquet, .arrow, .csv or .json file, or a folder of Parquet."),
    ],
    options: KeyOptionsOption = None,
    table: Annotated[
        str | None, typer.Option("--table", metavar="TABLE", help="A table whose generator makes the keys.")
    ] = None,
    writer: Annotated[
        WritePath | None,
        typer.Option(
            "--writer",
            metavar="|".join(WritePath),
            help="How Apache Hudi writes the rows: its writers make different keys of timestamps and nulls. Without it, as the "
            "table's rows have them, else row.",
        ),
    ] = None,
    zone: Annotated[
        str, typer.Option("--zone", metavar="ZONE", help="The zone of the writer's machine, where no option names one.")
    ] = "UTC",
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Make the record key and the partition path of each row.

    The generator is that of --options, or a table's, or both: options take precedence. People see the first 20 rows.
    """
    if options is None and table is None:
        raise UsageError("keys", expected="--options, --table or both", found="neither")
    machine = WriterEnvironment(parse_zone(zone, "--zone"), datetime.date.today().year)
    key_options = {} if options is None else read_options(options)
    like = None
    generator: AnyGenerator
    if table is None:
        refuse_misspelled(key_options)
        generator = choose(key_options, writer=writer or WritePath.ROW, machine=machine)
    else:
        opened_table = open_from_options(table, engine, MetadataMode.AUTO, beside=rows)
        generator, like = (
            table_generator(opened_table, key_options, writer=writer, machine=machine),
            opened_table.schema,
        )
    runner = load_engine(engine)
    given = read_rows(runner, rows, generator, like)
    batches = key_batches(runner, generator, given, rows)
    out = Output(as_json)
    description = generator.describe() if isinstance(generator, Generator) else f"generator {type(generator).__name__}"
    with tally_progress("rows", prints_rows=as_json) as tally:
        if tally is not None:
            tally.enter(MAKING_KEYS)
            batches = tally.count_batches(batches, runner.rows.count)
        if as_json:
            for batch in batches:
                for row in runner.rows.to_json(batch, KEYS):
                    out.line(row)
            say(description)
            return
        shown, left = _head(runner, batches)
    out.data(KEYS, shown)
    rows_shown = format_count(len(shown), "row")
    out.text(f"\n{f'the first {rows_shown} of {len(shown) + left:,}' if left else rows_shown}; {description}")


def read_options(path: Path) -> dict[str, str]:
    """Options of a file. Raises `StorageError` when it cannot be read, `UsageError` when it is no object of texts."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise StorageError(str(path), message=problem.strerror or str(problem)) from problem
    if path.suffix != ".json":
        return parse_properties(data, str(path))
    try:
        document = parse_json(data)
    except ValueError as problem:
        raise UsageError(str(path), expected="a JSON object", found=str(problem)) from problem
    if not isinstance(document, dict):
        raise UsageError(str(path), expected="a JSON object", found=type(document).__name__)
    return {name: _option(path, name, value) for name, value in document.items()}


def _option(path: Path, name: str, value: object) -> str:
    match value:
        case str():
            return value
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case _:
            raise UsageError(
                f"{path}: {name}", expected="a text, a number, true or false", found=json.dumps(value)[:60]
            )


def read_rows(engine: Engine[Any, Any, Any], path: str, generator: AnyGenerator, like: Schema | None) -> InputRows[Any]:
    """The rows of a file. Without types in its format or of a table, strings stay strings: a guess would change keys."""
    given = read_file(engine, path, like, file_options(path))
    if like is not None or file_suffix(path) not in _GUESSED:
        return given
    counts = () if file_suffix(path) != ".csv" else _counts(generator)
    fields = tuple(
        replace(field, type=_drop_guesses(field.type, path, field.name in counts)) for field in given.schema.fields
    )
    return read_file(engine, path, Schema(replace(given.schema.record, fields=fields)), file_options(path))


def _counts(generator: AnyGenerator) -> tuple[str, ...]:
    """Fields that a generator takes for numbers."""
    parts = generator.parts if isinstance(generator, Generator) else ()
    return tuple(part.field for part in parts if isinstance(part, TimePart) and part.clock.unit is not None)


def _drop_guesses(type: t.Type, path: str, is_count: bool) -> t.Type:
    """In JSON only dates and times are guesses; in CSV everything is."""
    if isinstance(type, t.Nested):
        return with_children(type, tuple(replace(c, type=_drop_guesses(c.type, path, False)) for c in t.children(type)))
    guessed = isinstance(type, t.Date | t.Time | t.Timestamp) or (file_suffix(path) == ".csv" and not is_count)
    return t.String() if guessed else type


def _head(engine: Engine[Any, Any, Any], batches: Iterator[Any]) -> tuple[list[Mapping[str, Any]], int]:
    """The keys that people see, and the number of all others."""
    shown: list[Mapping[str, Any]] = []
    count = 0
    for batch in batches:
        shown += engine.rows.to_json(engine.rows.slice(batch, 0, SHOWN - len(shown)), KEYS)
        count += engine.rows.count(batch)
    return shown, count - len(shown)
