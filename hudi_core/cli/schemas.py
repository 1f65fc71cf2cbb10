"""`schema`, `convert-schema` and `evolve`: schemas as trees and as text, and what a change would make of them.

The tree shows column ids: rows of a table for people, flat objects for programs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hudi_core.cli.options import (
    AsOfOption,
    CaseOption,
    EngineOption,
    JsonOption,
    TableArgument,
    open_from_options,
    warn,
)
from hudi_core.cli.output import Output, printable, say
from hudi_core.cli.words import format_count
from hudi_core.errors import StorageError, UsageError
from hudi_core.evolve.apply import evolve as evolved
from hudi_core.evolve.diff import Difference, differences
from hudi_core.evolve.sql import parse_changes
from hudi_core.front.forms import form
from hudi_core.json_texts import parse_json
from hudi_core.schema.loss import ConversionLoss, Converted
from hudi_core.schema.meta import is_meta
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.change_effects import find_effects
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.json import to_json
from hudi_core.writing.alter_schema import alter_schema

FORMS = "avro, internal, arrow, spark or ddl"
ToOption = Annotated[str | None, typer.Option("--to", metavar="FORM", help=f"The schema's text: {FORMS}.")]


def schema(
    table: TableArgument,
    as_of: AsOfOption = None,
    to: ToOption = None,
    history: Annotated[
        bool, typer.Option("--history", help="Every schema that files were written under, and what changed.")
    ] = False,
    engine: EngineOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Show the table's schema as a tree with column ids, or as text in another form."""
    opened_table = open_from_options(table, engine, MetadataMode.OFF)
    out = Output(as_json)
    if history:
        _show_history(out, opened_table.history(as_of), to)
    elif to is not None:
        _show_text(out, to, _write(opened_table.schema_at(as_of), to))
    else:
        show_schema(out, opened_table.schema_at(as_of))


def convert_schema(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The schema's text; - is standard input.")],
    source: Annotated[str, typer.Option("--from", metavar="FORM", help=f"The text's form: {FORMS}.")],
    to: Annotated[
        str,
        typer.Option("--to", metavar="FORM", help="The form to convert it to: avro, internal, arrow, spark or ddl."),
    ],
    as_json: JsonOption = False,
) -> None:
    """Convert the text of a schema to another form. Conversion losses are listed on standard error.

    avro: the JSON of an Avro schema

    internal: the JSON of Hudi's InternalSchema

    arrow: the JSON of an Arrow schema, in the form of Arrow's own integration tests

    spark: the JSON of Spark's StructType

    ddl: columns as in CREATE TABLE
    """
    reader = form(source, "--from")
    form(to, "--to")
    read = reader.parse(_content(file), file)
    _report_losses(read.losses)
    _show_text(Output(as_json), to, _write(read.value, to))


def evolve(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="CHANGE", help="Changes as SQL text. The table comes first, unless --schema gives a file."
        ),
    ],
    file: Annotated[
        str | None, typer.Option("--schema", metavar="FILE", help="Change the schema in a file; - is standard input.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="FORM", help=f"Form of the file's text: {FORMS}. Without it: avro."),
    ] = None,
    to: ToOption = None,
    diff: Annotated[bool, typer.Option("--diff", help="Also list the changes, column by column.")] = False,
    commit: Annotated[bool, typer.Option("--commit", help="Make the change in the table, in one commit.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the schema and write nothing, as without --commit.")
    ] = False,
    engine: EngineOption = DEFAULT_ENGINE,
    case_sensitive: CaseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show what changes would make of a schema. Nothing is written, unless --commit makes them.

    Each CHANGE is one of these, or several with ; between them:

    add column NAME TYPE, and after it not null, default VALUE, comment 'TEXT', and a place

    drop column NAME

    rename column NAME to NAME

    move column NAME and a place: first, last, after NAME or before NAME

    alter column NAME and: type TYPE, set not null, drop not null, set default VALUE, drop default, comment 'TEXT' or a place

    A NAME is a path, such as address.street, lines.element.price or tags.value.
    """
    given = list(arguments)
    if file is None:
        table = given.pop(0)
        if not given:
            raise UsageError("evolve", expected="a table and at least one change", found=f"{table} alone")
    if commit and dry_run:
        raise UsageError("evolve", expected="--commit or --dry-run", found="both")
    if source is not None and file is None:
        raise UsageError("--from", expected="the form of the file of --schema", found="no --schema")
    changes = parse_changes(*given)
    effects: list[str] = []
    if file is None:
        opened_table = open_from_options(table, engine, MetadataMode.OFF)
        before = opened_table.schema
    else:
        read = form(source or "avro", "--from").parse(_content(file), file)
        _report_losses(read.losses)
        before = read.value
    after = evolved(before, changes, case_sensitive=case_sensitive)
    if file is None:
        effects = find_effects(opened_table, after)
    if commit:
        if file is not None:
            raise UsageError("--commit", expected="a table", found="the schema of a file")
        alter_schema(opened_table, changes)
    warn(effects)
    out = Output(as_json)
    if to is None:
        show_schema(out, after)
    else:
        _show_text(out, to, _write(after, to))
    if diff:
        _show_differences(out, differences(before, after))
    if file is None and to is None and not (commit or dry_run or as_json):
        say("nothing was written; --commit makes the change in the table")


def _content(file: str) -> str:
    """The text of a file. Raises `StorageError` when it cannot be read, or is no UTF-8 text."""
    try:
        return sys.stdin.buffer.read().decode("utf-8") if file == "-" else Path(file).read_text("utf-8")
    except OSError as problem:
        raise StorageError(file, message=problem.strerror or str(problem)) from problem
    except UnicodeDecodeError as problem:
        raise StorageError(
            file, expected="UTF-8 text", found=f"byte {problem.object[problem.start]:#04x} at {problem.start}"
        ) from problem


def _write(schema: Schema, to: str) -> str:
    converted: Converted[str] = form(to, "--to").write(schema)
    _report_losses(converted.losses)
    return converted.value


def _report_losses(losses: Sequence[ConversionLoss]) -> None:
    for loss in losses:
        say(f"lost: {loss}")


def _show_text(out: Output, to: str, text: str) -> None:
    """The text: for people with its parts on lines of their own, for programs as an object on one line."""
    document = _document(to, text)
    if out.as_json:
        out.line(document)
    elif to in document:
        out.text(text, folded=False)
    else:
        out.text(json.dumps(document, ensure_ascii=False, indent=2), folded=False)


def _document(to: str, text: str) -> dict[str, Any]:
    """The text as an object; one that is no JSON is under the name of its form."""
    try:
        document = parse_json(text)
    except ValueError:
        document = None
    return document if isinstance(document, dict) else {to: text}


def _show_history(out: Output, versions: Sequence[Schema], to: str | None) -> None:
    """Oldest first. Programs get an object a version; people what changed from one to the next, and the last as a whole."""
    for number, version in enumerate(versions):
        before = versions[number - 1] if number else version
        changes = differences(before, version)
        if out.as_json:
            shown = (
                {"columns": list(columns(version))} if to is None else {"schema": _document(to, _write(version, to))}
            )
            out.line({"version": version.version, "changes": list(map(_difference, changes)), **shown})
            continue
        since = f"version {version.version}" if version.version else "the first known version"
        own = sum(is_meta(field.name) for field in version.fields)
        beside = f", and {own} of Hudi's own" if own else ""
        out.heading(f"{since}: {format_count(len(version.fields) - own, 'column')}{beside}")
        for change in changes:
            out.text(f"  {change}")
        if to is not None:
            _show_text(out, to, _write(version, to))
    if to is None and not out.as_json:
        out.text()
        show_schema(out, versions[-1])


def _show_differences(out: Output, differences: Sequence[Difference]) -> None:
    if out.as_json:
        out.rows((), ({"change": _difference(entry)} for entry in differences))
        return
    out.text()
    out.heading(format_count(len(differences), "change") if differences else "no change")
    for difference in differences:
        out.text(f"  {difference}")


def _difference(difference: Difference) -> dict[str, str | None]:
    return {"before": difference.before, "after": difference.after, "what": difference.what}


def show_schema(out: Output, schema: Schema, title: str = "") -> None:
    """The tree, or one object a column."""
    if out.as_json:
        out.rows((), columns(schema))
    else:
        out.rows(
            ("id", "column", "type", "null", "default", "comment"),
            _tree(schema.record, None),
            title=title,
            folded=("comment",),
        )


def columns(schema: Schema) -> Iterator[dict[str, Any]]:
    """One object a column at every depth, parents before children: `id name type nullable`, `default` if there is one, `doc`."""
    for column_id, place in schema.places.items():
        field = place.field
        default = {} if field.default is t.ABSENT else {"default": to_json(field.default, field.type)}
        yield {
            "id": column_id,
            "name": place.name,
            "type": type_text(field.type),
            "nullable": field.optional,
            **default,
            "doc": field.doc or None,
        }


def _tree(type: t.Type, branches: str | None) -> Iterator[dict[str, Any]]:
    """A row a column. `branches` are the lines of the tree that go on beside what is inside; None at the top."""
    fields = t.children(type)
    for field in fields:
        last = field is fields[-1]
        yield {
            "id": str(field.id) if field.id >= 0 else "",
            "column": printable(field.name)
            if branches is None
            else f"{branches}{'└─' if last else '├─'} {printable(field.name)}",
            "type": _brief(field.type),
            "null": "" if field.optional else "required",
            "default": _default(field),
            "comment": field.doc or "",
        }
        if _brief(field.type) != type_text(field.type):
            yield from _tree(field.type, "" if branches is None else f"{branches}{'   ' if last else '│  '}")


def _brief(type: t.Type) -> str:
    """A nested type by its kind: what is in it stands below it."""
    match type:
        case t.Record(kind=t.RecordKind.PLAIN):
            return "record"
        case t.Array():
            return "array"
        case t.Map():
            return "map"
        case t.Union():
            return "union"
        case _:
            return type_text(type)


def _default(field: t.Field) -> str:
    """The default as a column of the table; empty for the implied one, null of an optional field."""
    if field.default is t.ABSENT or (field.default is None and field.optional):
        return ""
    shown = to_json(field.default, field.type)
    return printable(f"'{shown}'" if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False))
