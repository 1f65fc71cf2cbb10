"""The console sessions of the README: what its commands print, run on the table of `hudi-core demo`.

Below a command stand the first lines that it prints, up to a line of three dots where more follow. `python -m tests.shape.readme`
writes them again; the test wants them as they are printed, but for times and the bars drawn from them.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
MORE = "..."
_SESSION = re.compile(r"(?<=^```console\n).*?(?=^```)", re.M | re.S)
_PROMPT = "$ hudi-core "
_VARIES = re.compile(r"[0-9.,]+ (?:µs|ms|s)\b|[█░]+")


def commands(text: str) -> list[str]:
    """The command lines of a page's sessions, without the program's name."""
    return [
        line.removeprefix(_PROMPT)
        for item in _SESSION.findall(text)
        for line in item.split("\n")
        if line.startswith(_PROMPT)
    ]


def unpacked(folder: Path) -> None:
    """The demo's table in a folder."""
    printed(folder, "demo")


def printed(folder: Path, line: str) -> str:
    """What a command prints, without a terminal. Raises where it fails."""
    command = [str(Path(sys.executable).with_name("hudi-core")), *shlex.split(line, comments=True)]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        env={**os.environ, "COLUMNS": "100"},
    )
    if done.returncode:
        raise AssertionError(f"{line}: {done.stderr}")
    return done.stdout


def made(text: str, folder: Path) -> str:
    """The page with its sessions as they are in this folder."""
    return _SESSION.sub(lambda session: _run(session[0], folder), text)


def comparable(text: str) -> str:
    """The page without what differs from run to run."""
    return _SESSION.sub(lambda session: re.sub(" +", " ", _VARIES.sub("", session[0])), text)


def _run(session: str, folder: Path) -> str:
    lines: list[str] = []
    for block in re.split(r"^(?=\$ )", session, flags=re.M):
        line, *shown = block.rstrip("\n").split("\n")
        if not line:
            continue
        found = printed(folder, line.removeprefix(_PROMPT)).rstrip("\n").split("\n")
        more = shown[-1:] == [MORE]
        count = len(shown) - more if more else len(found)
        lines += [line, *([] if not shown else found[:count]), *([MORE] if more else [])]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        unpacked(Path(place))
        README.write_text(made(README.read_text("utf-8"), Path(place)), "utf-8")
