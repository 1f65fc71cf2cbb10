"""Completion by shells."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from hudi_core.cli.completion import Shell, script
from hudi_core.cli.overview import COMMANDS
from tests.support.commands import ran


def completed(*words: str) -> list[str]:
    """What bash offers for the last word."""
    typed = " ".join(f"'{word}'" for word in words)
    code = f"{script(Shell.BASH)}COMP_WORDS=(hudi-core {typed}); COMP_CWORD={len(words)}; _hudi_core; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
def test_bash_completes_commands_and_options() -> None:
    """CLI-683."""
    assert completed("part") == ["partitions"]
    assert set(completed("re")) == {"read", "report", "restore"}
    assert "--read-optimized" in completed("read", "t", "--re")
    assert completed("index", "adv") == ["advise"]
    assert completed("index", "build", "t", "--funct") == ["--function"]
    assert "--build" not in completed("index", "build", "t", "--")


@pytest.mark.parametrize("shell", Shell)
def test_every_shell_has_every_command(shell: Shell) -> None:
    """CLI-683."""
    printed = ran("completion", shell).out
    for name in (name for commands in COMMANDS.values() for name in commands):
        assert name.split()[-1] in printed
    assert ran("completion", shell, "--json").lines == [{"shell": shell.value, "script": printed}]
    assert ("bashcompinit" in printed) == (shell is Shell.ZSH)
    assert "expected one of bash, zsh, fish, found 'tcsh'" in ran("completion", "tcsh").error
