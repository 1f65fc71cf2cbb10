"""`report`: text for people, objects for programs, a page, and that page in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.browser import BROWSER, DARK, LIGHT, NONE, look, prepare
from tests.support.commands import ran, rides


def test_the_page_is_written_once(tmp_path: Path) -> None:
    """CLI-980: a file that is there is replaced with --overwrite only."""
    path = tmp_path / "r.html"
    done = ran("report", rides(), "--html", path, "-c", "fare", "-w", "rider = 'rider-0300'")
    assert (done.status, f"wrote {path}" in done.err) == (0, True)
    assert "File slices that a query for one value reads" in done.out
    whole = path.read_bytes()
    assert "does not exist" in ran("report", rides(), "--html", path).error
    assert path.read_bytes() == whole
    assert ran("report", rides(), "--html", path, "--overwrite", "-c", "fare").status == 0


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    """CLI-980."""
    assert "nothing" in ran("report", rides(), "-c", "nothing", "--html", tmp_path / "r.html").error
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    assert ran("report", rides(), "--html", path, "--where", "rider = 'rider-0300'").status == 0
    prepare(path)
    return path


@pytest.mark.skipif(BROWSER is None, reason=NONE)
@pytest.mark.parametrize(("width", "scheme"), [(390, DARK), pytest.param(1280, LIGHT, marks=pytest.mark.soak)])
def test_nothing_is_wider_than_the_screen(page: Path, width: int, scheme: int) -> None:
    """CLI-981."""
    looked = look(page, width, scheme)
    assert looked["wide"] == "nothing"
    assert looked["back"] == ("rgb(246, 247, 248)" if scheme == LIGHT else "rgb(18, 21, 24)")
