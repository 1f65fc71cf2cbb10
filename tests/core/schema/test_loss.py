"""Losses as text."""

from __future__ import annotations

from hudi_core.schema.loss import Loss


def test_a_loss_says_where_what_and_what_is_kept() -> None:
    assert str(Loss("a.b", "enum(X)", "string")) == "a.b: enum(X) kept as string"
    assert str(Loss("a", "aliases ('b',)")) == "a: aliases ('b',) not kept"
    assert str(Loss("", "version 5")) == "version 5 not kept"
