"""How all tests draw: at random for people, the same examples every time where a run decides about a change."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("decisive", derandomize=True, print_blob=True)
if os.environ.get("CI"):
    settings.load_profile("decisive")
