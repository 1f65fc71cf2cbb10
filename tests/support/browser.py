"""A page looked at in headless Chromium, where there is one: what is wider than the screen, what the page itself reports."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
NONE = "no Chromium on this machine: apt-get install chromium brings one"
LIGHT, DARK = 1, 0

_LOOK = """<script>addEventListener('load', () => {
  const wide = [...document.querySelectorAll('body *')].filter(each => !each.closest('.scroll, .picture, #tip')
    && each.getBoundingClientRect().right > innerWidth + 1).map(each => each.tagName + '.' + each.className);
  document.body.dataset.wide = wide.join(' ') || 'nothing';
  document.body.dataset.back = getComputedStyle(document.body).backgroundColor;
  MORE
});</script>"""


def prepare(page: Path, more: str = "") -> None:
    """Makes a page look at itself when it is loaded: `more` sets further `document.body.dataset` entries."""
    look = _LOOK.replace("MORE", more)
    page.write_text(page.read_text("utf-8").replace("</body>", f"{look}</body>"), "utf-8")


def look(page: Path, width: int, scheme: int) -> dict[str, str]:
    """What a prepared page's own look at itself says; a picture of it lies beside it."""
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--window-size={width},900",
    ]
    more = [f"--blink-settings=preferredColorScheme={scheme}", f"--user-data-dir={page.parent / str(width)}"]
    picture = page.with_name(f"{page.stem}-{width}-{scheme}.png")
    subprocess.run(
        [*command, *more, f"--screenshot={picture}", page.as_uri()], capture_output=True, timeout=120, check=True
    )
    done = subprocess.run(
        [*command, *more, "--dump-dom", page.as_uri()], capture_output=True, encoding="utf-8", timeout=120, check=True
    )
    assert picture.stat().st_size > 10_000
    return dict(re.findall(r' data-([a-z]+)="([^"]*)"', done.stdout[: done.stdout.index("<header")]))
