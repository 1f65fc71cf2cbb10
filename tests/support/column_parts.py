"""Base files whose columns are encoded side by side, or one after the other, however large they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from hudi_arrow.files import parquet_write

WAYS: Final = ("side by side", "one after the other")


@contextmanager
def columns_encoded(way: str) -> Iterator[None]:
    """One of `WAYS` for all files that are written meanwhile: each column by a turn of its own, or all by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_write, "PROCESSORS", 2)
        patch.setattr(parquet_write, "_LEAST_BYTES", 0 if way == "side by side" else 1 << 62)
        patch.setattr(parquet_write, "_PART_BYTES", 0)
        yield
