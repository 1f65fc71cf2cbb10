"""Makes the pages of the reference from the code: what is public in Python, the command line, functions of predicates."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path

import typer

import hudi_core
from hudi_core.cli.application import app
from hudi_core.cli.overview import COMMANDS
from hudi_core.functions.record import Function
from hudi_core.functions.registry import FUNCTIONS

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Tables": ("open", "create", "Table", "refreshed", "Scan", "Changes", "metadata_records"),
    "Writing": (
        "write", "update", "delete", "delete_partitions", "rollback", "WriteOptions", "FileSizes", "Tally", "WriteResult",
        "RollbackPlan",
    ),
    "Indexes and layout": (
        "indexes", "build_indexes", "drop_index", "Index", "IndexOptions", "cluster", "ClusterOptions", "ClusterResult",
        "advise", "Advice", "Proposal",
    ),
    "Services": (
        "run_services", "ServiceOptions", "ServiceRun", "clean", "CleanOptions", "CleanResult", "compact",
        "CompactionOptions", "CompactionResult", "archive", "ArchiveOptions", "ArchiveResult", "savepoint",
        "drop_savepoint", "SavepointResult", "restore", "RestoreResult", "validate", "mend", "Finding", "Severity",
    ),
    "Keys": (
        "tag", "locate", "TagOptions", "keys_of_rows", "KeyGenerator", "HoodieKey", "HoodieRecord",
        "HoodieRecordLocation", "HoodieRecordGlobalLocation", "HoodieOperation",
    ),
    "Schemas": (
        "Schema", "schema_of", "evolve", "parse_changes", "merge_schemas", "schema_differences",
        "schema_incompatibilities", "schema_from_avro", "schema_to_avro", "schema_from_json", "schema_to_json",
        "schema_from_arrow", "schema_to_arrow", "schema_from_spark", "schema_to_spark",
    ),
    "Predicates and your own statistics": (
        "col", "expr", "lit", "parse_predicate", "bind", "prune", "ColumnBounds", "PrunedFiles", "Truth", "Verdict",
    ),
    "Errors": (
        "HudiError", "TableError", "NotATableError", "CorruptFileError", "StorageError", "AlreadyExistsError",
        "UnsupportedError", "RowError", "ConflictError", "SchemaError", "UnknownColumnError", "ExpressionError",
        "UsageError", "ConditionWarning",
    ),
}  # fmt: skip
"""What is public, by subject: each name of `hudi_core.__all__` once."""


def write(folder: Path) -> None:
    """Writes the pages into a folder; a page that is as it was is left alone."""
    folder.mkdir(exist_ok=True)
    for name, page in {"api": api(), "cli": cli(), "functions": functions()}.items():
        file = folder / f"{name}.md"
        if not file.exists() or file.read_text("utf-8") != page:
            file.write_text(page, "utf-8")


def api() -> str:
    """The page of the public names of `hudi_core`."""
    parts = [
        "# Python reference\n\nThe names on this page are public: they keep their meaning within a major version. All other"
        " modules may change at any time.\n"
    ]
    for title, names in GROUPS.items():
        parts.append(f"## {title}\n")
        parts += [_documented(name) for name in names]
    return "\n".join(parts)


_WITH_METHODS = ("Table", "Scan", "Changes", "Schema")
_MADE_BY_OTHERS = ("Table", "Scan", "Changes")
"""Classes whose constructors are not public."""
_PACKAGES = {"cluster": "hudi_core.cluster.operations", "evolve": "hudi_core.evolve.apply"}
"""Packages that call the function of their name, and where that is."""


def _documented(name: str) -> str:
    value = getattr(hudi_core, name)
    kind = "autoclass" if inspect.isclass(value) else "autofunction"
    methods = "   :members:\n   :inherited-members: ABC\n" if name in _WITH_METHODS else ""
    signature = "()" if name in _MADE_BY_OTHERS else ""
    return f"```{{eval-rst}}\n.. {kind}:: {_PACKAGES.get(name, 'hudi_core')}.{name}{signature}\n{methods}```\n"


def cli() -> str:
    """The page of the commands, with the texts of their help."""
    parts = [
        "# Command line reference\n",
        "Every command has `--help`, and `--json` where it prints what programs read.\n",
    ]
    group = typer.main.get_command(app)
    context = typer.Context(group, info_name="hudi-core")
    for title, commands in COMMANDS.items():
        parts.append(f"## {title}\n")
        for name in commands:
            parts += _command(group, context, name)
    return "\n".join(parts)


def _command(group: object, context: typer.Context, name: str) -> Iterator[str]:
    command = group.get_command(context, name)  # type: ignore[attr-defined]
    inner = typer.Context(command, info_name=name, parent=context)
    yield f"### {name}\n"
    yield (
        "```text\n"
        + " ".join(command.get_usage(inner).split()).removeprefix("Usage: ").translate(_WITHOUT_BRACES)
        + "\n```\n"
    )
    yield inspect.cleandoc(command.help or "") + "\n"
    for parameter in command.params:
        if parameter.name == "help" or getattr(parameter, "hidden", False):
            continue
        names = ", ".join(f"`{option}`" for option in [*parameter.opts, *parameter.secondary_opts])
        label = (
            f"`{parameter.metavar or str(parameter.name).upper()}`"
            if parameter.param_type_name == "argument"
            else names
        )
        yield f"- {label}: {getattr(parameter, 'help', None) or 'see the usage above.'}"
    yield ""


_WITHOUT_BRACES = str.maketrans("", "", "{}")


def functions() -> str:
    """The page of the SQL functions that predicates may call."""
    lines = [
        "# Functions of predicates\n",
        "A predicate may call these functions of Spark SQL. They mean what they mean in Spark without ANSI mode, in UTC. A"
        " predicate that calls another function skips no file by it, gives a warning, and cannot filter rows.\n",
        "The last column says whether a comparison of the function with a value can skip files: `year(day) = 2024` skips files by"
        " the bounds of `day`.\n",
        "| function | other names | arguments | skips files |",
        "|---|---|---|---|",
    ]
    for function in sorted(FUNCTIONS, key=lambda function: function.name):
        aliases = ", ".join(f"`{_cell(alias)}`" for alias in function.aliases)
        skips = "yes" if function.stretches is not _NOWHERE else ""
        lines.append(f"| `{_cell(function.name)}` | {aliases} | {_arity(function.arity)} | {skips} |")
    return "\n".join([*lines, ""])


_NOWHERE = {field.name: field.default for field in fields(Function)}["stretches"]
_MANY = 100


def _arity(arity: range) -> str:
    least, most = arity.start, arity.stop - 1
    if most >= _MANY:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
