"""The store that tests share: one server for the tests of a file, with an empty bucket `lake`.

A file that wants more in it defines a fixture of the same name that takes this one and gives it back.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.measured_store import MeasuredStore, measured_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeasuredStore]:
    root = tmp_path_factory.mktemp("buckets")
    (root / "lake").mkdir()
    with measured_store(root) as running:
        yield running
