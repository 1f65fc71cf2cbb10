"""Several predicates of one command, which have to be true together. Rule CLI-201."""

from __future__ import annotations

from collections.abc import Sequence

from hudi_core.expr.queries import condition_text


def conjunction(where: Sequence[str] | None) -> str | None:
    """The predicate that all of some predicates make, as SQL; None for none. Raises as `condition_text` for each of several."""
    if not where:
        return None
    return where[0] if len(where) == 1 else " AND ".join(f"({condition_text(one)})" for one in where)
