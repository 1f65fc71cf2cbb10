"""How far a command is."""

from __future__ import annotations

import shlex
from io import StringIO
from pathlib import Path
from time import sleep

import pytest
from rich.console import Console

import hudi_core
from hudi_core import FileSizes, IndexOptions
from hudi_core.cli import progress as progressing
from hudi_core.cli import service, sql
from hudi_core.cli.progress import progress, state, tally_progress, task_progress
from hudi_core.tally import WRITING, Tally
from tests.support.commands import ran, rides, rides_in


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rows of the packaged table as a file."""
    path = tmp_path_factory.mktemp("keys") / "rides.parquet"
    assert ran("read", rides(), "--output", path).status == 0
    return path


def on_terminal(monkeypatch: pytest.MonkeyPatch, pause: float) -> StringIO:
    screen = StringIO()
    terminal = Console(file=screen, width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr(progressing, "Console", lambda **_: terminal)
    monkeypatch.setattr(progressing, "PAUSE", pause)
    return screen


def test_what_is_over_within_the_pause_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-678."""
    screen = on_terminal(monkeypatch, 60.0)
    with task_progress("files") as report:
        report(1, 2)
    assert screen.getvalue() == ""


def test_what_takes_longer_shows_how_much_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-678."""
    screen = on_terminal(monkeypatch, 0.01)
    with task_progress("files") as report:
        report(1_200, 2_400)
        sleep(0.4)
    assert "1,200 of 2,400 files" in screen.getvalue()
    with progress("rows written") as advance:
        advance(5)
        advance(6)
        sleep(0.4)
    assert "11 rows written" in screen.getvalue()


def test_a_pipe_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """CLI-678."""
    with progress("rows") as advance:
        advance(1)
    assert capsys.readouterr().err == ""


def test_a_sum_of_which_the_whole_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-985: the whole is asked for where somebody looks only."""
    screen = on_terminal(monkeypatch, 0.01)
    with progress("rows written", lambda: 20) as advance:
        advance(5)
        sleep(0.4)
    assert "5 of 20 rows written" in screen.getvalue()
    monkeypatch.undo()
    with progress("rows", lambda: pytest.fail("nobody looks")) as advance:
        advance(1)


def test_rows_bytes_and_the_time_that_is_left_grow_within_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-1085: in one line of 80 columns."""
    screen = on_terminal(monkeypatch, 0.01)
    with tally_progress("files") as tally:
        assert tally is not None
        tally.enter(WRITING, total=12)
        sleep(0.4)
        tally.add(done=3, written=400_000, size=35_700_000)
        sleep(0.4)
        tally.add(written=5_000)
        sleep(0.4)
    shown = screen.getvalue()
    assert "writing: 3 of 12 files, 400,000 rows, 34.0 MiB; 0 s, about 1 s left" in shown
    assert "405,000 rows" in shown


def test_the_words_of_a_state() -> None:
    """CLI-1085."""
    tally = Tally()
    assert state(tally, "files") == "at work"
    tally.enter("reading rows", all_rows=2_000)
    assert state(tally, "parts") == "reading rows"
    tally.add(read=1_200)
    assert state(tally, "parts") == "reading rows: 1,200 of 2,000 rows"
    tally.add(written=100)
    assert state(tally, "parts") == "reading rows: 1,200 of 2,000 rows read, 100 of 2,000 rows written"
    tally.enter("committing")
    assert state(tally, "files") == "committing"


class Watched(Tally):
    """A tally that keeps each stage with what was done of it."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[tuple[str, int, int | None, int]] = []

    def begin(self, work: str) -> None:
        self.keep()
        self.stage = ""
        super().begin(work)

    def enter(self, stage: str, total: int | None = None, all_rows: int | None = None) -> None:
        self.keep()
        super().enter(stage, total, all_rows)

    def keep(self) -> None:
        """Keeps the stage as it is."""
        if self.stage or self.work:
            self.kept.append((f"{self.work} {self.stage}".strip(), self.done, self.total, self.rows_read))


@pytest.mark.parametrize(
    ("typed", "stages"),
    [
        ("tag T K", {("reading rows", 0, None, 42_000), ("looking up keys", 287, 287, 0)}),
        pytest.param(
            "tag T K --json",
            {("reading rows", 0, None, 42_000), ("looking up keys", 287, 287, 0)},
            marks=pytest.mark.soak,
        ),
        pytest.param("keys K --table T", {("making keys", 0, None, 42_000)}, marks=pytest.mark.soak),
        ("sql T 'SELECT count(*) FROM t WHERE fare > 95'", {("reading rows", 10, 10, 10)}),
        ("trace T R02-0304130053-04966 --partition city=amsterdam", {("reading files", 46, 46, 0)}),
        pytest.param(
            "diff T 20261121124621743 20261121124819754", {("reading commits", 10, 10, 0)}, marks=pytest.mark.soak
        ),
        pytest.param(
            "diff T 20261121124621743 20261121124657676 --rows --limit 9",
            {("reading rows", 0, None, 9)},
            marks=pytest.mark.soak,
        ),
        ("commits T", {("reading commits", 10, 10, 0)}),
        ("inspect T", {("listing files", 0, None, 0), ("reading commits", 10, 10, 0)}),
        ("index list T", {("reading indexes", 4, 4, 0)}),
        ("explain T --where 'fare > 95' --metadata off", {("reading footers", 287, 287, 0)}),
        pytest.param(
            "files T --where 'fare > 95' --metadata off", {("reading footers", 287, 287, 0)}, marks=pytest.mark.soak
        ),
        pytest.param(
            "stats T --column fare --metadata off", {("reading footers", 287, 287, 0)}, marks=pytest.mark.soak
        ),
        ("count T", {("reading footers", 287, 287, 0)}),
        pytest.param("read T --json --columns fare", {("reading rows", 9, 9, 42_000)}, marks=pytest.mark.soak),
        pytest.param("read T --json --columns fare --limit 7", {("reading rows", 0, None, 7)}, marks=pytest.mark.soak),
    ],
)
def test_what_takes_long_has_stages(
    typed: str, stages: set[tuple[str, int, int | None, int]], monkeypatch: pytest.MonkeyPatch, keys: Path
) -> None:
    """CLI-1222."""
    watched = Watched()
    for module in (progressing, sql):
        monkeypatch.setattr(module, "make_tally", lambda **_: watched)
    words = {"T": str(rides()), "K": str(keys)}
    assert ran(*(words.get(word, word) for word in shlex.split(typed))).status == 0
    watched.keep()
    assert stages <= set(watched.kept)


def test_savepoints_rollbacks_and_lookups_have_stages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """CLI-1222."""
    root = tmp_path / "t"
    rows = [{"id": str(number), "city": "oslo" if number % 2 else "rome"} for number in range(8)]
    table = hudi_core.create(root, rows, key="id", partition_by="city", indexes=["column_stats", "record_index"])
    for half in (rows[:4], rows[4:]):
        table.refresh().insert(half, sizes=FileSizes(small=0))
    hudi_core.build_indexes(table.refresh(), ["secondary_index"], IndexOptions(columns=("city",)))
    latest = table.refresh().timeline.commits[-1].requested_time
    watched = Watched()
    monkeypatch.setattr(progressing, "make_tally", lambda **_: watched)
    for typed in (
        ("locate", root, "city", "oslo"),
        ("savepoint", root),
        ("savepoint", root, "--drop", latest),
        ("rollback", root, latest),
    ):
        done = ran(*typed)
        assert done.status == 0, done.err
        watched.keep()
    expected = {("looking up keys", 2, 2, 0), ("listing files", 0, None, 0), ("writing", 4, 4, 0)}
    assert {*expected, ("deleting files", 2, 2, 0)} <= set(watched.kept)


def test_each_service_has_its_name_and_its_stages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """CLI-1222."""
    watched = Watched()
    monkeypatch.setattr(service, "make_tally", lambda **_: watched)
    table = rides_in(tmp_path)
    due = ("--option", "hoodie.clean.commits.retained=1", "--option", "hoodie.clustering.inline=true")
    done = ran("service", table, *due, "--option", "hoodie.clustering.inline.max.commits=1", "--json")
    assert [run["service"] for run in done.lines] == ["cluster", "clean"]
    watched.keep()
    stages = list(dict.fromkeys(stage for stage, _, _, _ in watched.kept))
    assert stages == ["cluster", "cluster writing", "cluster committing", "clean"]
    assert ("cluster writing", 6, 6, 42_000) in watched.kept
