"""The console script. Help and version are answered at once: all that commands need is loaded for commands alone."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from importlib import import_module

from hudi_core.cli.overview import overview
from hudi_core.version import __version__

_ANSWERED_AT_ONCE: dict[tuple[str, ...], Callable[[], str]] = {
    ("--version",): lambda: f"hudi-core {__version__}",
    ("--help",): overview,
    ("-h",): overview,
}


def run() -> None:
    """Runs the command line. Exit status: 0, 1 for an error of the table or its data, 2 for misuse, 130 when interrupted."""
    answer = _ANSWERED_AT_ONCE.get(tuple(sys.argv[1:]))
    try:
        if answer is not None and _write(f"{answer()}\n"):
            return
        # What cannot be written is reported as by any command.
        gc.disable()  # until the command is loaded: `command_function`
        application = import_module("hudi_core.cli.application")
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("interrupted\n")
        sys.exit(130)
    # Libraries of other stores leave objects that fail as they are freed. That changes no answer.
    sys.unraisablehook = lambda _: None
    application.run()


def _write(text: str) -> bool:
    if sys.stdout is None:  # of a process that was started without
        return False
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        return False
    return True
