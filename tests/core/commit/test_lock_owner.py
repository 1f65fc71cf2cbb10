"""Who holds a lock, and whether that process is still there."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from hudi_core.commit import lock_owner
from hudi_core.commit.lock_owner import Life, life_of, this_owner

THIS_OWNER = """
import os
from hudi_core.commit.lock_owner import this_owner
print(this_owner(), flush=True)
"""


def dead_process() -> int:
    """The number of a process that was there a moment ago."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def changed(position: int, word: object) -> str:
    """The owner that this thread is, with another word."""
    words = this_owner().split()
    words[position] = str(word)
    return " ".join(words)


def test_an_owner_has_a_text_of_its_own_each_time() -> None:
    """COMMIT-320."""
    first, second = this_owner(), this_owner()
    assert first != second
    assert first.split()[:3] == ["hudi-core", socket.gethostname(), str(os.getpid())]
    assert life_of(first) is life_of(second) is Life.ALIVE


def test_a_process_that_is_gone_is_dead() -> None:
    """COMMIT-320."""
    assert life_of(changed(2, dead_process())) is Life.DEAD


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not state what ended processes are")
def test_a_process_that_ended_and_waits_for_its_parent_is_dead() -> None:
    """COMMIT-1140."""
    with subprocess.Popen([sys.executable, "-c", THIS_OWNER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        owner = process.stdout.read()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert life_of(owner) is life_of(f"hudi-core {socket.gethostname()} {process.pid} MainThread x") is Life.DEAD
        os.kill(process.pid, 0)  # its number is still there


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not state when processes began")
def test_a_process_that_began_at_another_time_is_another_one() -> None:
    """COMMIT-320."""
    assert life_of(changed(5, 1)) is Life.DEAD


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not state when processes began")
def test_a_process_whose_start_is_hidden_is_not_known_to_be_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    """COMMIT-1474."""
    owner, whole = this_owner(), lock_owner._text
    monkeypatch.setattr(lock_owner, "_text", lambda path: "" if path.endswith("/stat") else whole(path))
    assert life_of(owner) is Life.UNKNOWN
    assert life_of(changed(2, dead_process())) is Life.DEAD


@pytest.mark.skipif(sys.platform != "linux", reason="the system states neither")
@pytest.mark.parametrize(("position", "word"), [(6, "another-boot"), (7, "pid:[1]")])
def test_a_process_that_this_system_does_not_see_is_not_known(position: int, word: str) -> None:
    """COMMIT-320: of a process of another machine, or container, that has the number of one that is gone here."""
    words = changed(position, word).split()
    words[2] = str(dead_process())
    assert life_of(" ".join(words)) is Life.UNKNOWN


def test_owners_of_older_versions_are_known_by_host_and_process() -> None:
    """COMMIT-320."""
    host = socket.gethostname()
    assert life_of(f"hudi-core {host} {dead_process()} MainThread x") is Life.DEAD
    assert life_of(f"hudi-core {host} {os.getpid()} MainThread x") is Life.UNKNOWN
    assert life_of(f"hudi-core another-host {dead_process()} MainThread x") is Life.UNKNOWN


@pytest.mark.parametrize("owner", ["", "unnamed", "hudi-core", "hudi-core h x t u", "3f1c", "other h 1 t u"])
def test_other_owners_are_not_known(owner: str) -> None:
    """COMMIT-320."""
    assert life_of(owner) is Life.UNKNOWN
