"""The reach of a runner's tasks: how much of the process that started them they share. Rule ENGINE-10."""

from __future__ import annotations

from enum import StrEnum


class Reach(StrEnum):
    """From near to far."""

    MEMORY = "memory"
    """Its memory and its local files: tasks run in it."""
    FILES = "files"
    """Its local files: tasks run in other processes of the same machine."""
    NOTHING = "nothing"
    """Only what they are sent: tasks run on other machines."""
