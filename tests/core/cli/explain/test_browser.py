"""The page in a browser: nothing is wider than a phone or a desk, in light and dark; a heading sorts. Rule CLI-682."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.commands import ran, rides

BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium on this machine: apt-get install chromium brings one"
)

_LOOK = """<script>addEventListener('load', () => {
  const wide = [...document.querySelectorAll('body *')].filter(each => !each.closest('.scroll, .picture, #tip')
    && each.getBoundingClientRect().right > innerWidth + 1).map(each => each.tagName + '.' + each.className);
  document.querySelectorAll('.slices thead th')[4].click();
  const sizes = [...document.querySelectorAll('.slices tbody tr')].map(row => parseFloat(row.cells[4].textContent));
  document.body.dataset.wide = wide.join(' ') || 'nothing';
  document.body.dataset.sorted = sizes.every((size, place) => !place || sizes[place - 1] <= size);
  document.body.dataset.back = getComputedStyle(document.body).backgroundColor;
});</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "why.html"
    where = "distance_km > 45 AND city = 'oslo' AND note LIKE 'lost%'"
    assert ran("explain", rides(), "--where", where, "--html", path).status == 0
    path.write_text(path.read_text("utf-8").replace("</body>", f"{_LOOK}</body>"), "utf-8")
    return path


def shown(page: Path, width: int, scheme: int) -> dict[str, str]:
    """What the page's own look at itself says."""
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900"]
    more = [f"--blink-settings=preferredColorScheme={scheme}", f"--user-data-dir={page.parent / str(width)}"]
    picture = page.with_name(f"{width}-{scheme}.png")
    subprocess.run(
        [*command, *more, f"--screenshot={picture}", page.as_uri()], capture_output=True, timeout=120, check=True
    )
    done = subprocess.run(
        [*command, *more, "--dump-dom", page.as_uri()], capture_output=True, encoding="utf-8", timeout=120, check=True
    )
    assert picture.stat().st_size > 10_000
    return dict(re.findall(r' data-(wide|sorted|back)="([^"]*)"', done.stdout[: done.stdout.index("<header")]))


@pytest.mark.parametrize(("width", "scheme"), [(390, 1), pytest.param(1280, 0, marks=pytest.mark.soak)])
def test_nothing_is_wider_than_the_screen(page: Path, width: int, scheme: int) -> None:
    """CLI-682."""
    looked = shown(page, width, scheme)
    assert (looked["wide"], looked["sorted"]) == ("nothing", "true")
    assert looked["back"] == ("rgb(246, 247, 248)" if scheme else "rgb(18, 21, 24)")
