"""Mistakes in scripts of users are named by mypy and pyright, before anything runs, and editors find definitions."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlparse

import pytest

from hudi_core.cluster.options import ClusterOptions
from hudi_core.front import keywords
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.writing.operation import WriteOptions

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(__file__).parent / "typing"
BIN = Path(sysconfig.get_path("scripts"))
"""Where pyright's commands are: those of the fork that brings its own Node.js, with pyright's own rules."""


def lines_named_by_mypy(script: Path) -> tuple[set[int], str]:
    """The numbers of the lines with errors, and all that mypy prints."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-warn-unreachable", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    numbers = re.findall(rf"{re.escape(script.name)}:(\d+): error:", done.stdout)
    return {int(number) for number in numbers}, done.stdout + done.stderr


def lines_named_by_pyright(folder: Path) -> dict[str, set[int]]:
    """The numbers of the lines with errors, by the name of the script; pyright's settings are put into the folder."""
    project = ["--project", str(settings_of_pyright(folder)), "--pythonpath", sys.executable]
    command = [BIN / "basedpyright", *project, "--outputjson"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    named: dict[str, set[int]] = {script.name: set() for script in SCRIPTS.glob("*.py")}
    for error in json.loads(done.stdout)["generalDiagnostics"]:
        named[Path(error["file"]).name].add(error["range"]["start"]["line"] + 1)
    return named


def settings_of_pyright(folder: Path) -> Path:
    """A project with pyright's own settings."""
    settings = {
        "include": [str(SCRIPTS)],
        "typeCheckingMode": "standard",
        "extraPaths": [str(ROOT), str(ROOT / "engines")],
    }
    file = folder / "pyrightconfig.json"
    file.write_text(json.dumps(settings), "utf-8")
    return file


def wrong_lines() -> set[int]:
    """The numbers of the lines of the script of mistakes that have one."""
    lines = (SCRIPTS / "mistakes.py").read_text("utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}


def test_a_script_without_a_mistake_passes() -> None:
    named, printed = lines_named_by_mypy(SCRIPTS / "right.py")
    assert named == set(), printed
    assert "Success" in printed


def test_each_mistake_is_named() -> None:
    assert len(wrong_lines()) >= 20
    named, printed = lines_named_by_mypy(SCRIPTS / "mistakes.py")
    assert named == wrong_lines(), printed


def test_pyright_names_the_same_lines(tmp_path: Path) -> None:
    assert lines_named_by_pyright(tmp_path) == {"mistakes.py": wrong_lines(), "right.py": set()}


def test_an_editor_goes_to_the_function_behind_a_name(tmp_path: Path) -> None:
    """Pyright's language server is asked as an editor asks it: where is the definition of what stands here?"""
    script = SCRIPTS / "right.py"
    with LanguageServer(settings_of_pyright(tmp_path)) as server:
        server.open(script)
        places = {text: server.definition(script, text) for text in DEFINITIONS}
    assert places == {text: (str(ROOT / path), name) for text, (path, name) in DEFINITIONS.items()}


DEFINITIONS = {
    "hudi_core.open(": ("hudi_core/front/opening.py", "def open_table("),
    "hudi_core.create(": ("hudi_core/front/opening.py", "def create_table("),
    "table.upsert(": ("hudi_core/front/table.py", "def upsert("),
    "table.cluster(": ("hudi_core/front/services.py", "def cluster("),
    "hudi_core.cluster(": ("hudi_core/cluster/operations.py", "def cluster("),
    "hudi_core.evolve(": ("hudi_core/evolve/apply.py", "def evolve("),
    "table.to_lazy(": ("hudi_core/front/table.py", "def to_lazy("),
}
"""What an editor jumps from, the last name before the bracket, and the file and the line that it jumps to."""


class LanguageServer:
    """Pyright as a language server over its standard input and output."""

    def __init__(self, settings: Path) -> None:
        self._root, self._number = settings.parent, 0
        self._process = subprocess.Popen(
            [BIN / "basedpyright-langserver", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        folder = {"uri": self._root.as_uri(), "name": "project"}
        self.ask(
            "initialize",
            {"processId": None, "rootUri": folder["uri"], "capabilities": {}, "workspaceFolders": [folder]},
        )
        self._send({"method": "initialized", "params": {}})
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def open(self, script: Path) -> None:
        """Opens a file as an editor does."""
        document = {"uri": script.as_uri(), "languageId": "python", "version": 1, "text": script.read_text("utf-8")}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def definition(self, script: Path, text: str) -> tuple[str, str]:
        """The file and the beginning of the line where the last name of a text of the script is defined."""
        lines = script.read_text("utf-8").splitlines()
        number = next(number for number, line in enumerate(lines) if text in line)
        position = {"line": number, "character": lines[number].index(text) + len(text) - 2}
        (place,) = self.ask("textDocument/definition", {"textDocument": {"uri": script.as_uri()}, "position": position})
        file = Path(unquote(urlparse(place["uri"]).path))
        defined = file.read_text("utf-8").splitlines()[place["range"]["start"]["line"]]
        return str(file), defined.strip().partition("(")[0] + "("

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The answer to a request; requests of the server meanwhile get no settings."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._message()
            if "method" in message and "id" in message:
                items = message.get("params", {}).get("items", [])
                self._send({"id": message["id"], "result": [None for _ in items] or None})
            elif message.get("id") == self._number:
                return message["result"]

    def _send(self, message: dict[str, Any]) -> None:
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))
        self._process.stdin.flush()

    def _message(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return message


@pytest.mark.parametrize(
    ("named", "options"),
    [
        (keywords.WriteKeywords, WriteOptions),
        (keywords.ClusterKeywords, ClusterOptions),
        (keywords.CompactionKeywords, CompactionOptions),
        (keywords.IndexKeywords, IndexOptions),
    ],
)
def test_keywords_are_the_fields_of_the_options(named: type, options: type) -> None:
    assert list(named.__annotations__) == list(options.__dataclass_fields__)  # type: ignore[attr-defined]
