"""The console sessions of the README and the guides: what their commands print.

Below a command stand the first lines that it prints, up to a line of three dots where more follow. A page's Python blocks and
sessions run in their order, in one folder; `demo-out/rides` is the table of the demo. `python -m tests.shape.consoles` writes the
lines again. The test wants them as they are printed, but for times, sizes, instants, places and the bars drawn from numbers.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from hudi_core.cli.application import app
from tests.support.commands import rides_in

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
MORE = "..."
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.M | re.S)
_PROMPT = "$ hudi-core "
_VARIES = re.compile(
    r"[0-9.,]+ (?:µs|ms|s)\b|\b[0-9.,]+ (?:B|[KMG]iB)\b|\b20[0-9]{15}\b|\b20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:.]{8,12}\b"
    r"|(?m:^(?:seconds|bytes in|bytes out) +[0-9.,]+$)|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[█░▁▂▃▄▅▆▇]+|(?<=  )[-─]{3,}"
)


def sessions(text: str) -> list[str]:
    """The console sessions of a page."""
    return [match[2] for match in _BLOCK.finditer(text) if match[1] == "console"]


def commands(text: str) -> list[str]:
    """The command lines of a page's sessions, without the program's name."""
    return [
        line.removeprefix(_PROMPT)
        for session in sessions(text)
        for line in session.split("\n")
        if line.startswith(_PROMPT)
    ]


def shows(session: str) -> bool:
    """Whether a session has a line that a command prints."""
    return any(line and not line.startswith("$ ") for line in session.split("\n"))


PAGES = [
    README,
    *(page for page in sorted(ROOT.glob("docs/**/*.md")) if any(map(shows, sessions(page.read_text("utf-8"))))),
]
"""The README, whose commands all run, and the pages with a session that shows what is printed."""


def printed(line: str) -> str:
    """What a command prints, without a terminal. Raises where it fails."""
    done = CliRunner().invoke(app, shlex.split(line, comments=True), env={"COLUMNS": "100"})
    if done.exit_code:
        raise AssertionError(f"{line}: {done.stderr}")
    return done.stdout


def made(page: Path, folder: Path) -> str:
    """The page with its sessions as they are in this folder, into which the process goes."""
    text, names = page.read_text("utf-8"), dict[str, object]()
    if "demo-out/rides" in text:
        rides_in(folder / "demo-out")

    def run(block: re.Match[str]) -> str:
        if block[1] == "python":
            if page != README:  # its blocks need no folder, and are tested as all blocks are
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block[2], str(page), "exec"), names)
        elif page == README or shows(block[2]):
            return f"```console\n{_run(block[2])}```"
        return block[0]

    with contextlib.chdir(folder):
        return _BLOCK.sub(run, text)


def comparable(text: str) -> str:
    """The page without what differs from run to run."""
    return _BLOCK.sub(lambda block: re.sub("[ -]+", " ", _VARIES.sub("", block[0])), text)


def _run(session: str) -> str:
    lines: list[str] = []
    for block in re.split(r"^(?=\$ )", session, flags=re.M):
        line, *shown = block.rstrip("\n").split("\n")
        if not line:
            continue
        found = printed(line.removeprefix(_PROMPT)).rstrip("\n").split("\n")
        more = shown[-1:] == [MORE]
        count = len(shown) - more if more else len(found)
        lines += [line, *([] if not shown else found[:count]), *([MORE] if more else [])]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    for named in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        with tempfile.TemporaryDirectory() as place:
            named.write_text(made(named, Path(place)), "utf-8")
