"""The notebook of the documents: its cells run in their order, and what they show is what the file has.

`python -m tests.shape.test_notebook` writes the outputs again; look at what changed. No kernel is needed: a cell is run as Python
runs it, and its last expression is shown as a notebook shows it.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "guides" / "tour.ipynb"
_VARYING = re.compile(
    r"[0-9.,]+ (?:µs|ms|s)\b|\b20\d{15}\b|[0-9a-f]{8}-[0-9a-f-]{27}|seconds: [0-9.]+|/[\w./-]*/demo-out"
)


def run(cells: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each cell of code with what it shows, without what differs from run to run."""
    names: dict[str, Any] = {"__name__": "notebook"}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for cell in cells:
            if cell["cell_type"] == "code":
                yield cell, _VARYING.sub("…", shown("".join(cell["source"]), names))


def shown(code: str, names: dict[str, Any]) -> str:
    """What a cell prints, and its last expression."""
    tree, printed = ast.parse(code), io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return printed.getvalue() + ("" if value is None else f"{value!r}\n")


def stored(cell: dict[str, Any]) -> str:
    """What the file has of a cell's outputs."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


def test_every_cell_shows_what_the_notebook_has() -> None:
    pytest.importorskip("polars")
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    count = 0
    for cell, output in run(notebook["cells"]):
        count += 1
        assert output == stored(cell), "".join(cell["source"])
    assert count >= 8 and notebook["nbformat"] == 4


if __name__ == "__main__":
    whole = json.loads(NOTEBOOK.read_text("utf-8"))
    for made, text in run(whole["cells"]):
        lines = text.splitlines(keepends=True)
        made["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
    NOTEBOOK.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")
