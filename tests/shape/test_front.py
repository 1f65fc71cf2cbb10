"""The public front: what `hudi_core` offers by name, sorted, documented and importable."""

from __future__ import annotations

import inspect

import hudi_core


def test_every_name_is_there_sorted_and_documented() -> None:
    assert hudi_core.__all__ == sorted(hudi_core.__all__)
    for name in hudi_core.__all__:
        assert inspect.getdoc(getattr(hudi_core, name)), name


def test_nothing_else_is_public() -> None:
    modules = {name for name, value in vars(hudi_core).items() if inspect.ismodule(value)}
    public = {name for name in vars(hudi_core) if not name.startswith("_")} - modules - {"annotations"}
    assert public == set(hudi_core.__all__)
