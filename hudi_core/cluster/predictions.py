"""The predicted slices that queries keep before and after a clustering, recorded in its plan and commit.

Rules CLUSTER-52, CLUSTER-53.

The note is in `extraMetadata` under a key of its own, which Apache Hudi ignores.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from hudi_core.expr.queries import Condition, condition_text
from hudi_core.notebook import show_briefly
from hudi_core.timeline.instants import REPLACE_COMMIT
from hudi_core.timeline.timeline import Timeline

PREDICTIONS: Final = "hudi_core.clustering.predictions"
"""The key in the `extraMetadata` of the plan and of the commit."""
MAX_NOTED: Final = 100
"""Queries that are noted: the most frequent ones."""


@show_briefly
@dataclass(frozen=True, slots=True)
class Gain:
    """One query: how many slices it keeps, of how many, before and after, with their bytes and with the requests for them, one a
    file. `weight` is how often it is put. Notes of before rule CLUSTER-670 have no bytes and requests."""

    where: str
    kept_before: int
    slices_before: int
    kept_after: int
    slices_after: int
    weight: int = 1
    bytes_before: int = 0
    bytes_after: int = 0
    requests_before: int = 0
    requests_after: int = 0


@show_briefly
@dataclass(frozen=True, slots=True)
class Prediction:
    """The prediction that a clustering noted for a query. `commits_since` counts the commits after it: they may have changed
    what is kept."""

    instant: str
    gain: Gain
    commits_since: int

    def beside(self, kept: int, slices: int) -> dict[str, Any]:
        """The prediction beside the truth: how many slices the query keeps, of how many."""
        return {
            "instant": self.instant,
            "kept_before": self.gain.kept_before,
            "slices_before": self.gain.slices_before,
            "kept_predicted": self.gain.kept_after,
            "slices_predicted": self.gain.slices_after,
            "kept": kept,
            "slices": slices,
            "commits_since": self.commits_since,
        }


_GAINS: Final = TypeAdapter(tuple[Gain, ...])


def encode_gains(gains: Iterable[Gain]) -> str:
    """The note of these gains, their queries in the form in which they are looked up."""
    frequent = sorted(gains, key=lambda gain: -gain.weight)[:MAX_NOTED]
    return json.dumps([{**_GAINS.dump_python((gain,))[0], "where": condition_text(gain.where)} for gain in frequent])


def decode_gains(text: str) -> tuple[Gain, ...]:
    """The gains of a note; none where another writer put something else there."""
    try:
        return _GAINS.validate_json(text) if text else ()
    except ValidationError:
        return ()


def predictions(timeline: Timeline, conditions: Sequence[Condition]) -> list[Prediction | None]:
    """For each query, the prediction of the latest clustering that noted it; None where none did.

    Archived clusterings are not read.
    """
    known: dict[str, Prediction] = {}
    for after, instant in zip(range(len(timeline.commits) - 1, -1, -1), timeline.commits, strict=True):
        if instant.completes_as == REPLACE_COMMIT:
            for gain in decode_gains(timeline.metadata(instant).extra.get(PREDICTIONS, "")):
                known[gain.where] = Prediction(instant.requested_time, gain, after)
    return [known.get(condition_text(condition)) for condition in conditions] if known else [None] * len(conditions)
