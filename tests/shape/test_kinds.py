"""META-1100: what is true of a kind of index is asked of its record, and what it does is a part in a table by kind: no other code
compares with the name of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from hudi_core.metadata.kinds import KINDS

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("hudi_core/**/*.py"), *ROOT.glob("engines/**/*.py")])
MAY_COMPARE = {
    "hudi_core/metadata/definitions.py": "what the file of definitions says of an index",
    "hudi_core/metadata/table.py": "how the partitions that it reads have their keys",
    "hudi_core/cli/indexes.py": "what people are told of Apache Hudi's answers by an index",
}
HOMES = ("hudi_core.metadata.kinds", "hudi_core.metadata.table")
NAMES = {kind.name for kind in KINDS if not kind.lists_files}
"""`files` is a common word."""
PREFIXES = tuple(kind.partition_prefix for kind in KINDS.named)


def named_kinds(tree: ast.Module) -> Iterator[str]:
    """The constants of a module that are names of kinds."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target, value in zip(*map(parts_of, (node.targets[0], node.value)), strict=False):
                if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and value.value in NAMES:
                    yield target.id


def parts_of(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def compared_kinds(tree: ast.Module) -> Iterator[int]:
    """The lines of comparisons with the name of a kind, its record, or the prefix of its partitions."""
    constants = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in HOMES
        for name in node.names
        if name.name.isupper() and name.name not in ("KINDS", "METADATA_FOLDER")
    } | set(named_kinds(tree))

    def is_kind(node: ast.AST | None) -> bool:
        match node:
            case ast.Name(name):
                return name in constants
            case ast.Constant(str() as text):
                return text in NAMES or text.startswith(PREFIXES)
            case ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
                return any(map(is_kind, parts))
        return False

    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                operands = [node.left, *node.comparators]
            case ast.Call(ast.Attribute(value, "startswith" | "is_of"), arguments):
                operands = [value, *arguments]
            case ast.MatchValue(value):
                operands = [value]
            case _:
                continue
        if any(map(is_kind, operands)):
            yield node.lineno if hasattr(node, "lineno") else 0


def test_no_code_compares_with_a_kind_of_index() -> None:
    """META-1100."""
    compared = {
        str(path.relative_to(ROOT)): lines
        for path in SOURCES
        if (lines := list(compared_kinds(ast.parse(path.read_text()))))
    }
    assert {place: lines for place, lines in compared.items() if place not in MAY_COMPARE} == {}
    assert compared.keys() == MAY_COMPARE.keys(), "what does not compare any more goes from the list"


@pytest.mark.parametrize(
    "planted",
    [
        "from hudi_core.metadata.table import RECORD_INDEX\nRECORD_INDEX in partitions",
        "from hudi_core.metadata.kinds import EXPRESSION as E\nE.is_of(name)",
        "name.startswith('secondary_index_')",
        "name == 'record_index'",
        "match name:\n  case 'bloom_filters':\n    pass",
    ],
)
def test_a_comparison_is_found(planted: str) -> None:
    assert list(compared_kinds(ast.parse(planted)))
