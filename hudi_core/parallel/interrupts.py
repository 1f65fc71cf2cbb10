"""Ends that Ctrl-C does not leave undone. Rule COMMIT-1606."""

from __future__ import annotations

from collections.abc import Callable


def finish(step: Callable[[], None]) -> None:
    """Does what ends something. Where an interrupt comes meanwhile it is done once more, which has to be harmless, before the
    interrupt is raised; a second one ends it at once."""
    try:
        step()
    except KeyboardInterrupt:
        step()
        raise
