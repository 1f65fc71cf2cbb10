"""`Portable`: what a copy has, and what stays behind."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import pytest

from hudi_core.errors import HudiError, NoSuchFileError, RowError, UnknownColumnError
from hudi_core.portable import Portable

WAYS: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]


@dataclass(frozen=True)
class Lookup(Portable):
    place: str
    size: int = field(default=1, compare=False)
    colour: str = field(default="red", repr=False)
    _read: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    counted: int = field(default=0, init=False)

    @cached_property
    def lock(self) -> Any:
        return Lock()


@pytest.mark.parametrize("way", WAYS, ids=["copy", "deepcopy", "pickle"])
def test_a_copy_has_the_parts_of_the_object_and_no_cached_values(way: Callable[[Any], Any]) -> None:
    used = Lookup("here", 3, "blue")
    assert used.lock
    used._read["a"] = Lock()
    made = way(used)
    assert (made.place, made.size, made.colour) == ("here", 3, "blue")
    assert made == used
    assert made._read == {}
    assert "lock" not in vars(made)
    made._read["b"] = 1
    assert "b" not in used._read


@pytest.mark.parametrize(
    "error",
    [
        RowError(6, expected="a value", found="null", path="a.b"),
        UnknownColumnError("x", expected="a column"),
        NoSuchFileError("a/b", message="is not there"),
    ],
)
def test_errors_travel_whole(error: HudiError) -> None:
    """ENGINE-420: an error of a task on another machine is what it was."""
    travelled = pickle.loads(pickle.dumps(error))
    assert type(travelled) is type(error)
    assert (str(travelled), vars(travelled)) == (str(error), vars(error))
