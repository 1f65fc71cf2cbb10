"""Processes over one table that are killed at random: four writers, a reader and a service, for as long as is wanted.

    python -m tests.model.killed FOLDER --seconds 600 --kind mor --version 9 [--hudi PYTHON] [--speed 20]

With `--hudi`, the Python of Apache Hudi's environment, a writer of Apache Hudi is one of them. With `--speed` time passes faster
in all of them, their clocks differ, and they are stopped for a while as often as killed: others take them for dead, and they go
on.
A follower applies the changes of each commit, and has the rows of the table in the end.

A writer notes what it is about to write and what it was told to be written. In the end every row that was told is there, none
twice and none of another value, and `validate` has nothing to say; the table stays in the folder.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic, sleep, time

from hudi_core.commit.lock import table_lock
from hudi_core.errors import ConflictError, LockedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.upkeep.rounds import ServiceOptions, run_services
from hudi_core.transactions.rollback import roll_back_failed
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from tests.model.actions import TYPES, rows_of
from tests.model.following import Followed, follow_until_killed
from tests.model.hurried import BEGUN, hurry
from tests.support.crashes import later
from tests.support.hudi_writer import Gone, HudiWriter

WRITERS = 4
SHARED = "shared"
"""A row that all writers update."""
OWN = 3
"""How many rows each writer updates in turn."""
NOTES = "writer-"
"""How names of notes begin."""
HUDI_TYPES = "id string, p string, n long"
_HUDI_LIVES = (15, 30)
"""How many writes a writer of Apache Hudi does before it is killed."""
_LOCKS_EXPIRE = "hoodie.write.lock.filesystem.expire=1\n"
"""A property of the table, in minutes: a lock of Apache Hudi says neither whose it is nor until when it counts."""
_LONGEST_PAUSE = 5.0
_STOPS = (2.0, 8.0, 20.0)
"""Seconds for which a process is stopped: some of them longer than a heartbeat or a lock counts, at a speed of 20."""
_SKEWS = (0.0, 20.0, -25.0)
"""By how many seconds clocks are wrong."""
_TIME_TO_BEGIN = 15.0
_PROPERTIES = {
    "hoodie.compact.inline.max.delta.commits": "12",
    "hoodie.log.compaction.enable": "true",
    "hoodie.log.compaction.blocks.threshold": "2",
    "hoodie.clean.commits.retained": "12",
}
_OPTIONS = WriteOptions(attempts=8, sizes=FileSizes(small=0))
"""Small files would take the new rows and the updates with them: there would be no log files."""


@dataclass
class Reported:
    """What the notes of a writer say: the last number that each row was told to have, and those that were begun later."""

    last: dict[str, int] = field(default_factory=dict)
    begun: dict[str, set[int]] = field(default_factory=dict)
    commits: int = 0

    def fits(self, key: str, number: int | None) -> bool:
        return number == self.last.get(key) or number in self.begun.get(key, ())


def write_until_killed(table: str, writer: int, notes: Path) -> None:
    """Updates rows of its own, adds new ones and updates the shared one, in turn."""
    lines = notes.read_text().splitlines() if notes.exists() else []
    with notes.open("a", buffering=1) as stream:
        for number in count(len(lines) + 1):
            own, added = f"{writer}-{number % OWN}", f"{writer}-new-{number}"
            rows = [(own, "xyz"[number % OWN % 3], number), (added, "xyz"[number % 3], number)]
            stream.write(json.dumps({"begun": {own: number, added: number}}) + "\n")
            try:
                if number % 5 == 0:
                    write(open_table(table), rows_of((SHARED, "x", number)), options=_OPTIONS)
                write(open_table(table), rows_of(*rows), options=_OPTIONS)
            except (ConflictError, LockedError):
                stream.write(json.dumps({"refused": {own: number, added: number}}) + "\n")
                continue
            stream.write(json.dumps({"told": {own: number, added: number}}) + "\n")


def read_until_killed(table: str, notes: Path) -> None:
    """Reads all rows again and again: none may be there twice."""
    while True:
        keys = [row["id"] for row in open_table(table).scan(columns=["id"]).to_json_rows()]
        twice = [key for key, times in Counter(keys).items() if times > 1]
        if twice:
            notes.write_text(f"{twice} are there twice")
        sleep(0.2)


def serve_until_killed(table: str, notes: Path) -> None:
    """Runs the services that are due, every two seconds."""
    options = ServiceOptions(every=2.0, properties=_PROPERTIES, wait=sleep)
    with notes.open("a", buffering=1) as stream:
        for done in run_services(open_table(table), options):
            stream.write(json.dumps(done.as_dict(), default=str) + "\n")


def read_notes(notes: Path) -> Reported:
    """The notes of a writer, which may end in half a line."""
    result = Reported()
    for line in notes.read_text().splitlines() if notes.exists() else []:
        try:
            note = json.loads(line)
        except ValueError:
            continue
        for key, number in note.get("begun", {}).items():
            result.begun.setdefault(key, set()).add(number)
        for key, number in note.get("refused", {}).items():
            result.begun[key].discard(number)
        for key, number in note.get("told", {}).items():
            result.last[key] = number
            result.begun[key] = {later for later in result.begun[key] if later > number}
            result.commits += 1
    return result


def problems(table: str, folder: Path) -> Iterator[str]:
    """What does not hold when all processes are gone. A writer of Apache Hudi that was refused leaves its write pending and shows
    signs of life as long as its process lives: it is rolled back as if time had passed."""
    with table_lock(open_table(table).storage, clock=later):
        roll_back_failed(open_table(table), later)
    write(open_table(table), rows_of(("last", "z", 1)), options=_OPTIONS)
    clean(open_table(table), CleanOptions(properties=_PROPERTIES))
    rows = [(row["id"], row["n"]) for row in open_table(table).scan(columns=["id", "n"]).to_json_rows()]
    numbers = dict(rows)
    if len(rows) > len(numbers):
        yield f"{[key for key, times in Counter(key for key, _ in rows).items() if times > 1]} are there twice"
    known = {SHARED, "first", "last"}
    for notes in map(read_notes, sorted(folder.glob(f"{NOTES}*"))):
        known |= set(notes.begun)
        for key in notes.begun:
            if not notes.fits(key, numbers.get(key)):
                yield f"{key}: expected {notes.last.get(key)} or {notes.begun[key]}, found {numbers.get(key)}"
    yield from (f"{key} was written by nobody" for key in numbers if key not in known)
    found = list(validate(open_table(table), clock=later))
    if _states_cut_paths(table):
        found = list(validate(mend(open_table(table), found, later).table, clock=later))
    yield from map(str, found)
    for errors in sorted(folder.glob("*.error")):
        if errors.read_text():
            yield f"{errors.name}: {errors.read_text()[-2000:]}"


def _states_cut_paths(table: str) -> bool:
    """Whether a commit of Apache Hudi 1.2.0 names the log file of a failed attempt. Its record in `files` has another name
    for that, so the listing is to be mended. Rule META-1292."""
    folder = Path(table, ".hoodie")
    states = (*folder.glob("*.deltacommit"), *folder.glob("archived/.commits_*"))
    return any(b"file:h/." in state.read_bytes() for state in states)


@dataclass
class HudiBeside:
    """A writer of Apache Hudi, in a thread of this process that tells it what to write."""

    python: str
    table: str
    folder: Path
    draw: random.Random
    ends: threading.Event = field(default_factory=threading.Event)
    states: Counter[str] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)
    """Of writes that failed, though no other writer was first."""

    def run(self) -> None:
        number = 0
        while not self.ends.is_set():
            try:
                with HudiWriter(self.python, HUDI_TYPES, self.folder / "hudi.log") as writer:
                    number = self._write_until_killed(writer, number)
            except Gone:
                self.states["killed"] += 1

    def _write_until_killed(self, writer: HudiWriter, number: int) -> int:
        """One batch after the other; returns their number when it is to end."""
        dies_at = number + self.draw.randint(*_HUDI_LIVES)
        with (self.folder / f"{NOTES}hudi").open("a", buffering=1) as stream:
            while not self.ends.is_set():
                number += 1
                # Most of its rows are in a partition of its own: where others write all the time, it comes last each time.
                own, added = f"hudi-{number % OWN}", f"hudi-new-{number}"
                written = {own: number, added: number}
                rows = [(own, "h", number), (added, "x" if number % 4 == 0 else "h", number)]
                stream.write(json.dumps({"begun": written}) + "\n")
                writer.ask(self.table, rows)
                if number >= dies_at:
                    sleep(self.draw.uniform(0.5, 4))
                    writer.kill()
                answer = writer.answer()
                self.states[answer["state"]] += 1
                if answer["state"] == "failed":
                    self.messages.append(answer["message"])
                elif answer["state"] == "refused":
                    stream.write(json.dumps({"refused": written}) + "\n")
                else:
                    stream.write(json.dumps({"told": written}) + "\n")
        return number


def run(
    folder: Path, kind: str, version: int, seconds: float, seed: int, hudi: str | None = None, speed: int = 1
) -> tuple[list[str], str]:
    """Starts the processes, kills one after the other, and gives what does not hold, and what was done. With a `speed` above 1
    they are hurried, and one is stopped for a while as often as one is killed."""
    folder.joinpath(BEGUN).write_text(str(time()))
    table, draw = str(folder / "t"), random.Random(seed)
    indexes = ["column_stats", "record_index", *(["partition_stats"] if version > 6 else [])]
    create_table(
        table,
        TYPES,
        "id",
        partition_by="p",
        type=kind,
        version=version,
        indexes=indexes,
    )
    with (folder / "t/.hoodie/hoodie.properties").open("a") as properties:
        properties.write(_LOCKS_EXPIRE)
    beside = None if hudi is None else HudiBeside(hudi, table, folder, random.Random(seed))
    thread = threading.Thread(target=beside.run) if beside else None
    if thread:
        thread.start()
    write(open_table(table), rows_of(("first", "z", 1)))
    context = _server_of_processes()
    roles = [*(f"writer-{number}" for number in range(WRITERS)), "reader", "service", "follower"]
    since = dict.fromkeys(roles, time())
    running = {role: _start(context, role, table, folder, speed) for role in roles}
    ends, kills, stops = monotonic() + seconds, 0, 0
    while monotonic() < ends:
        sleep(draw.uniform(0.2, _LONGEST_PAUSE))
        at_work = [role for role in roles if _is_at_work(folder / role, since[role])]
        if not at_work:
            continue
        role = draw.choice(at_work)
        if speed > 1 and draw.random() < 0.5 and running[role].is_alive():
            _stop(running[role], draw.choice(_STOPS))
            stops += 1
            continue
        if running[role].is_alive():
            kills += 1
        _kill(running[role])
        running[role], since[role] = _start(context, role, table, folder, speed), time()
    for process in running.values():
        _kill(process)
    if beside and thread:
        beside.ends.set()
        thread.join()
    commits = sum(read_notes(folder / f"{NOTES}{number}").commits for number in range(WRITERS)) // 2
    done = f"{commits} commits told, {kills} processes killed, {stops} stopped"
    wrong = [*problems(table, folder), *_lost_by_follower(table, folder)]
    if beside is None:
        return wrong, done
    failures = [f"Apache Hudi: {message}" for message in beside.messages]
    return [*wrong, *failures], f"{done}, Apache Hudi's writes: {dict(beside.states)}"


def _is_at_work(notes: Path, since: float) -> bool:
    """Whether a process that was started then is over its imports, which take long on a busy machine: it noted something, or is
    one that rarely does and had time enough."""
    noted = notes.exists() and notes.stat().st_mtime > since
    return noted or (not notes.name.startswith(NOTES) and time() > since + _TIME_TO_BEGIN)


def _server_of_processes() -> ForkServerContext:
    """What starts processes that have all modules which this one has used: to load them takes longer than a write."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        [name for name in sys.modules if name.startswith(("tests.model", "hudi_", "pyarrow"))]
    )
    return context


def _lost_by_follower(table: str, folder: Path) -> Iterator[str]:
    """What the follower has of another number than the table when it has come to the end."""
    followed = Followed.read(folder / "follower")
    followed.take(table)
    numbers = {row["id"]: row["n"] for row in open_table(table).scan(columns=["id", "n"]).to_json_rows()}
    if followed.problem:
        yield f"the follower: {followed.problem}"
    for name, kept in (("changes", followed.by_changes), ("incremental queries", followed.by_rows)):
        wrong = {key: (kept.get(key), numbers.get(key)) for key in kept.keys() | numbers.keys()}
        wrong = {key: (found, expected) for key, (found, expected) in wrong.items() if found != expected}
        if wrong:
            yield f"the follower by {name}, after {followed.steps} steps, found and expected: {wrong}"


def _stop(process: BaseProcess, seconds: float) -> None:
    """Stops a process for a while."""
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)
    sleep(seconds)
    os.kill(process.pid, signal.SIGCONT)


def _start(context: ForkServerContext, role: str, table: str, folder: Path, speed: int) -> BaseProcess:
    process = context.Process(target=_play, args=(role, table, folder, speed), daemon=True)
    process.start()
    return process


def _kill(process: BaseProcess) -> None:
    process.kill()
    process.join()


def _play(role: str, table: str, folder: Path, speed: int) -> None:
    """What a process does until it is killed."""
    if speed > 1:
        hurry(folder, speed, _SKEWS[sum(role.encode()) % len(_SKEWS)])
    errors = os.open(folder / f"{role}.error", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(errors, sys.stderr.fileno())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if role.startswith(NOTES):
        write_until_killed(table, int(role.removeprefix(NOTES)), folder / role)
    elif role == "follower":
        follow_until_killed(table, folder / role)
    elif role == "reader":
        read_until_killed(table, folder / "reader.error")
    else:
        serve_until_killed(table, folder / role)


def _end_with_parent() -> None:
    """Ends this process when the one is gone that would kill it."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--kind", choices=["cow", "mor"], default="mor")
    parser.add_argument("--version", type=int, choices=[6, 8, 9], default=9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--speed", type=int, default=1)
    parser.add_argument("--hudi", help="the Python of Apache Hudi's environment")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    wrong, done = run(
        options.folder, options.kind, options.version, options.seconds, options.seed, options.hudi, options.speed
    )
    print("\n".join([done, *wrong]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
