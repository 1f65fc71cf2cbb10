"""Rows in motion between tasks on many machines: packets, and the flow that brings them from step to step. Rule ENGINE-420.

The core decides what packets hold and where they go; whoever runs tasks moves them, keeps them and starts tasks that fail again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from hudi_core.parallel.reach import Reach

TO_CALLER: Final = -1
"""In place of the number of a part: the packet is for the process that runs the flow. Such packets are few and small."""


@dataclass(frozen=True, slots=True)
class Packet:
    """Some rows, packed, or a report. `part` is the part of the next step that takes it; a part takes its packets in the order of
    `group`, then of the part that they come from, `source`, and of their `number` in it."""

    part: int
    group: int
    source: int
    number: int
    content: bytes


PartWork = Callable[[int, Iterator[Packet]], Iterator[Packet]]
"""The work of a step on the packets of a part, of which it has the number. It can be pickled, may run more than once for a part,
also at the same time, and gives the same packets each time."""


class Flow(Protocol):
    """Packets in parts, as a plan: nothing is done before reports are asked for."""

    @property
    def parallelism(self) -> int:
        """How many parts are worked on at the same time."""
        ...

    def map(self, work: PartWork) -> Flow:
        """The packets that work gives on the packets of each part, those for the caller left out."""
        ...

    def deal(self, parts: int) -> Flow:
        """The packets in their parts, each part's in order. Those for the caller are left out."""
        ...

    def gather(self) -> Flow:
        """The packets of all parts as those of one, in order; those for the caller are left out."""
        ...

    def keep(self) -> AbstractContextManager[Flow]:
        """The flow, whose packets are computed once as far as possible while the block runs."""
        ...

    def reports(self) -> Sequence[Packet]:
        """Runs the steps; gives the packets for the caller, by part and number. Raises what a step raises, in the words of
        whoever runs it, once a part has failed as often as it is tried."""
        ...


@runtime_checkable
class FlowRunner(Protocol):
    """A `hudi_core.engine.Runner` whose tasks can exchange rows: these move on to other tasks in packets. Rule ENGINE-912."""

    @property
    def parallelism(self) -> int: ...

    @property
    def reach(self) -> Reach: ...

    def run(self, work: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]: ...

    def flow(self, work: Callable[[int, Any], Iterator[Packet]], tasks: Sequence[Any]) -> Flow:
        """The packets that work gives on each task, of which it has the number. As the work of a step, it may run more than
        once."""
        ...


class SpreadRows(Protocol):
    """Rows that are given in parts. `schema` is a `hudi_core.schema.schema.Schema`."""

    @property
    def schema(self) -> Any: ...

    @property
    def runner(self) -> Any:
        """The `hudi_core.engine.Runner` of tasks beside the rows' own."""
        ...

    def map(self, work: Callable[[int, Iterator[Any]], Iterator[Packet]]) -> Flow:
        """The packets that work gives on the batches of each part, of which it has the number."""
        ...


class SpreadInput(SpreadRows, Protocol):
    """Rows that somebody gives, in parts."""

    def like(self, schema: Any) -> SpreadRows:
        """The rows, in which values without a type get those of a `hudi_core.schema.schema.Schema`, as in
        `hudi_core.engine.Rows.read_given`. Rule WRITE-1504."""
        ...
