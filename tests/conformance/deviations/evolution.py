"""Deviations of schema changes, promotion, reconciliation and compatibility."""

from __future__ import annotations

DEVIATIONS = ()
