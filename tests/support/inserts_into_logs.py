"""Writes whose new keys go to log files, as those of writers with an index of their own: these need no base file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from hudi_core.writing import operation_plans


@contextmanager
def inserts_into_logs() -> Iterator[None]:
    """Upserts of a merge-on-read table with one file group put new keys into a log file of it. They are looked for as ever."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operation_plans, "with_deleted_keys", lambda *given: np.maximum(given[2], 0))
        yield
