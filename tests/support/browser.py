"""A page looked at in headless Chromium, where there is one: what is wider than the screen, what the page itself reports."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
NONE = "no Chromium on this machine: apt-get install chromium brings one"
LIGHT, DARK = 1, 0
_SECONDS: Final = 90

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
    _run([*command, *more, f"--screenshot={picture}", page.as_uri()])
    text = _run([*command, *more, "--dump-dom", page.as_uri()])
    assert picture.stat().st_size > 10_000
    return dict(re.findall(r' data-([a-z]+)="([^"]*)"', text[: text.index("<header")]))


def _run(command: Sequence[str]) -> str:
    """What the browser prints. One that hangs is ended with all processes that it started."""
    browser = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        printed, _ = browser.communicate(timeout=_SECONDS)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(browser.pid, signal.SIGKILL)
    assert browser.returncode == 0
    return printed
