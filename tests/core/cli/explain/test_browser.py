"""The page in a browser: nothing is wider than a phone or a desk, in light and dark; a heading sorts. Rule CLI-682."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.browser import BROWSER, DARK, LIGHT, NONE, look, prepare
from tests.support.commands import ran, rides

pytestmark = pytest.mark.skipif(BROWSER is None, reason=NONE)

_SORT = """
  document.querySelectorAll('.slices thead th')[4].click();
  const sizes = [...document.querySelectorAll('.slices tbody tr')].map(row => parseFloat(row.cells[4].textContent));
  document.body.dataset.sorted = sizes.every((size, place) => !place || sizes[place - 1] <= size);
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "why.html"
    where = "distance_km > 45 AND city = 'oslo' AND note LIKE 'lost%'"
    assert ran("explain", rides(), "--where", where, "--html", path).status == 0
    prepare(path, _SORT)
    return path


@pytest.mark.parametrize(("width", "scheme"), [(390, LIGHT), pytest.param(1280, DARK, marks=pytest.mark.soak)])
def test_nothing_is_wider_than_the_screen(page: Path, width: int, scheme: int) -> None:
    """CLI-682."""
    looked = look(page, width, scheme)
    assert (looked["wide"], looked["sorted"]) == ("nothing", "true")
    assert looked["back"] == ("rgb(246, 247, 248)" if scheme == LIGHT else "rgb(18, 21, 24)")
