"""Several predicates of one command, which have to be true together. Rule CLI-201."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hudi_core.by_need import ModuleByNeed

if TYPE_CHECKING:
    from hudi_core.expr import queries
else:
    queries = ModuleByNeed("hudi_core.expr.queries")  # one predicate is taken as it is


def conjunction(where: Sequence[str] | None) -> str | None:
    """The predicate that all of some predicates make, as SQL; None for none. Raises as `condition_text` for each of several."""
    if not where:
        return None
    return where[0] if len(where) == 1 else " AND ".join(f"({queries.condition_text(one)})" for one in where)
