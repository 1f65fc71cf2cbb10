"""The lowest versions that are admitted are those that `make test-oldest` installs."""

from __future__ import annotations

import tomllib

import pytest

from tests.oldest import PYPROJECT, constraints

PROJECT = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]


def test_every_dependency_states_its_lowest_version() -> None:
    lines = list(constraints(PROJECT))
    names = [line.partition("==")[0] for line in lines]
    assert {"numpy", "pyarrow", "fastavro", "obstore"} <= set(names)
    assert len(names) == len(set(names))
    assert all(version for _, _, version in (line.partition("==") for line in lines))


def test_one_without_a_lowest_version_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a lowest version, found 'rich'"):
        list(constraints(PROJECT | {"dependencies": ["rich"]}))
