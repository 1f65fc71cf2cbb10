"""Deviations of evolution: promotion, schema changes, reconciliation."""

from __future__ import annotations

from tests.conformance.deviations.changes import CHANGES
from tests.conformance.deviations.promotion import PROMOTION
from tests.conformance.deviations.reconciliation import RECONCILIATION

DEVIATIONS = (*PROMOTION, *CHANGES, *RECONCILIATION)
