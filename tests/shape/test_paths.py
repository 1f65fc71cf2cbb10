"""Paths that metadata states are put together by `hudi_core/paths.py` alone. Rule STORE-323."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPARED = ROOT / "hudi_core/formats/deletes.py"
"""Records of deleted keys: their partition is compared, never followed."""
SOURCES = sorted({*ROOT.glob("hudi_core/**/*.py")} - {COMPARED})
PATH_FIELDS = frozenset(
    {
        "partitionPath",
        "path",
        "baseFile",
        "logFiles",
        "cdcStats",
        "dataFilePath",
        "deltaFilePaths",
        "bootstrapFilePath",
        "filePath",
        "savepointDataFile",
        "successDeleteFiles",
        "failedDeleteFiles",
        "deletePathPatterns",
        "filesToBeDeleted",
        "partitionsToBeDeleted",
        "rollbackLogFiles",
        "logBlocksToBeDeleted",
        "metadataPartitionPath",
    }
)
"""Fields of stored records that lead to files."""
TYPES = frozenset(["PartitionPath", "FileName", "FileNames", "_Path", "data_path", "_PlannedPath"])
"""Types of fields that are checked when a record is read."""
CHECKS = frozenset(
    [
        "path_within",
        "data_path",
        "partition_path",
        "file_name",
        "join_paths",
        "resolve_planned_path",
        "resolve_stated_path",
    ]
)


def unchecked(tree: ast.AST) -> Iterator[str]:
    """The places where such a field is read and goes on as it stands."""
    checked: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name(name)) if name in CHECKS:
                checked.update(below for argument in node.args for below in ast.walk(argument))
            case ast.comprehension(_, iterable):
                # What is taken from a list goes through the check of each item.
                checked.update(below for below in ast.walk(iterable) if "or ()" in ast.unparse(iterable))
    for node in ast.walk(tree):
        match node:
            case ast.AnnAssign(annotation=annotation, value=ast.Call(ast.Name("Field"), keywords=keywords)):
                aliases = {k.value.value for k in keywords if k.arg == "alias" and isinstance(k.value, ast.Constant)}
                if aliases & PATH_FIELDS and not any(name in ast.unparse(annotation) for name in TYPES):
                    yield f"line {node.lineno}: {min(aliases)}"
            case ast.Subscript(_, ast.Constant(str(name)), ast.Load()) if name in PATH_FIELDS and node not in checked:
                yield f"line {node.lineno}: {name}"
            case ast.Call(ast.Attribute(_, "get"), [ast.Constant(str(name)), *_]) if (
                name in PATH_FIELDS and node not in checked
            ):
                yield f"line {node.lineno}: {name}"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_path_of_a_record_is_checked_where_it_is_read(source: Path) -> None:
    """STORE-323."""
    assert list(unchecked(ast.parse(source.read_text("utf-8")))) == []


def test_unchecked_paths_are_detected() -> None:
    made = (
        'a = record["partitionPath"]\nb = record.get("dataFilePath")\nc = resolve_planned_path("", record["filePath"])\n'
        'class A:\n  d: str = Field("", alias="partitionPath")\n  e: PartitionPath = Field("", alias="partitionPath")\n'
    )
    assert sorted(unchecked(ast.parse(made))) == [
        "line 1: partitionPath",
        "line 2: dataFilePath",
        "line 5: partitionPath",
    ]
