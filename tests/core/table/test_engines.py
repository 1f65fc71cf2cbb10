"""Engines by name, and engines on top of others."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.table import engines
from hudi_core.table.engines import DEFAULT_ENGINE, load_engine


@dataclass(frozen=True)
class Layer:
    """Gives the engine below, so that a test sees which it is."""

    def over(self, files: Any) -> Any:
        return SimpleNamespace(name="layer", files=files)


class Point:
    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def load(self) -> Any:
        if isinstance(self._engine, Exception):
            raise self._engine
        return self._engine


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    alone = {name: SimpleNamespace(name=name) for name in (DEFAULT_ENGINE, "other")}
    points = {**alone, "layer": Layer(), "missing": ModuleNotFoundError("no module", name="some_library")}
    monkeypatch.setattr(engines, "_entry_points", lambda: {name: Point(engine) for name, engine in points.items()})
    return alone


def test_an_engine_is_what_its_entry_point_gives(offered: dict[str, Any]) -> None:
    assert load_engine("other") is offered["other"]


def test_a_layered_engine_stands_on_the_default_one_or_on_another(offered: dict[str, Any]) -> None:
    layered: Any = load_engine("layer")
    assert layered.name == "layer" and layered.files is offered[DEFAULT_ENGINE]
    on_other: Any = load_engine("layer", files="other")
    assert on_other.files is offered["other"]


def test_a_layered_engine_does_not_stand_on_itself(offered: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="another engine that reads its files, found 'layer'"):
        load_engine("layer", files="layer")


def test_engines_that_cannot_be_loaded_are_named(offered: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="one of arrow, layer, missing, other"):
        load_engine("no such engine")
    with pytest.raises(UnsupportedError, match="some_library"):
        load_engine("missing")
