"""Losses as text."""

from __future__ import annotations

from hudi_core.schema.loss import ConversionLoss


def test_a_conversion_loss_states_the_place_the_loss_and_what_is_kept() -> None:
    assert str(ConversionLoss("a.b", "enum(X)", "string")) == "a.b: enum(X) kept as string"
    assert str(ConversionLoss("a", "aliases ('b',)")) == "a: aliases ('b',) not kept"
    assert str(ConversionLoss("", "version 5")) == "version 5 not kept"
