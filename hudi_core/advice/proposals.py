"""What is proposed, what it would change for each query, and what it costs. Rule ADVICE-1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from hudi_core.notebook import show_briefly

FOOTER_BYTES: Final = 64 << 10
"""What a look into a footer is taken to read."""
REQUEST_BYTES: Final = 64 << 10
"""What could be read in the time that a file costs beside its bytes."""
LEAST_SAVING: Final = 0.1
"""The share of the cost that a proposal has to save: forecasts may be wrong by as much."""


class Measure(StrEnum):
    """What can be done for queries."""

    COLUMN_STATS = "column_stats"
    BLOOM_FILTERS = "bloom_filters"
    RECORD_INDEX = "record_index"
    CLUSTERING = "clustering"

    @property
    def is_index(self) -> bool:
        """Whether it builds an index."""
        return self is not Measure.CLUSTERING


@show_briefly
@dataclass(frozen=True, slots=True)
class Touched:
    """File slices of which a query opens the footer, and those that it reads rows of, with the bytes and the number of their
    files: estimates, scaled up from a sample."""

    opened: int
    kept: int
    size: int
    files: int

    @property
    def bytes_read(self) -> int:
        return self.opened * FOOTER_BYTES + self.size

    @property
    def requests(self) -> int:
        """One for each footer and each file."""
        return self.opened + self.files

    @property
    def cost(self) -> int:
        """Bytes, each request counted as so many that could be read in its time."""
        return self.bytes_read + self.files * REQUEST_BYTES


@show_briefly
@dataclass(frozen=True, slots=True)
class Proposal:
    """An index or a clustering that is proposed: what each query would read with it, in the order of the queries, and what it
    costs to build.

    `size` is the bytes of the index, or the bytes that a clustering writes again. `seconds` are measured on this machine and
    scaled up.
    """

    measure: Measure
    columns: tuple[str, ...]
    touched: tuple[Touched, ...]
    size: int
    seconds: float


@show_briefly
@dataclass(frozen=True, slots=True)
class Advice:
    """The queries, what they read now, and the proposals that would save something, the best first.

    `weights` are how often each query runs. `slice_bytes` is the mean size of a file slice, `sampled` the number of slices that
    were looked into.
    """

    queries: tuple[str, ...]
    weights: tuple[int, ...]
    touched: tuple[Touched, ...]
    slices: int
    slice_bytes: float
    sampled: int
    proposals: tuple[Proposal, ...]

    def bytes_read(self, touched: Sequence[Touched]) -> int:
        """The bytes that all queries together read that touch so much, each as often as it is put."""
        return sum(weight * query.bytes_read for query, weight in zip(touched, self.weights, strict=True))

    def requests(self, touched: Sequence[Touched]) -> int:
        """The requests of all queries together, each as often as it is put."""
        return sum(weight * query.requests for query, weight in zip(touched, self.weights, strict=True))

    def cost(self, touched: Sequence[Touched]) -> int:
        """Bytes and requests of all queries together as one figure."""
        return sum(weight * query.cost for query, weight in zip(touched, self.weights, strict=True))

    def records(self) -> list[dict[str, Any]]:
        """One object for the table as it is, and one for each proposal, as JSON has them."""
        now = {
            "measure": None,
            "columns": [],
            "opened": [query.opened for query in self.touched],
            "kept": [query.kept for query in self.touched],
            "requests": self.requests(self.touched),
            "bytes_read": self.bytes_read(self.touched),
            "bytes_to_build": 0,
            "seconds_to_build": 0.0,
        }
        return [
            now,
            *(
                {
                    "measure": proposal.measure.value,
                    "columns": list(proposal.columns),
                    "opened": [query.opened for query in proposal.touched],
                    "kept": [query.kept for query in proposal.touched],
                    "requests": self.requests(proposal.touched),
                    "bytes_read": self.bytes_read(proposal.touched),
                    "bytes_to_build": proposal.size,
                    "seconds_to_build": round(proposal.seconds, 3),
                }
                for proposal in self.proposals
            ),
        ]
