"""A flow of this process: parts are worked on one after the other, and everything that travels is pickled.

With `repeats` each part is worked on twice, and the second time counts or the first, as a runner that tries again would have it.
With `forgets` what is kept is lost at once, and computed again whenever it is asked for, as on machines that go away.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from hudi_core.engine import Engine, Runner
from hudi_core.parallel.flow import Packet, PartWork
from hudi_core.schema.schema import Schema
from hudi_core.table.scan import Scan

Parts = Callable[[], list[list[Packet]]]


@dataclass(frozen=True)
class LocalFlow:
    """`hudi_core.parallel.flow.Flow` over parts of packets that are made when they are asked for."""

    parts: Parts
    repeats: bool = False
    parallelism: int = 3
    forgets: bool = False

    def map(self, work: PartWork) -> LocalFlow:
        sent = pickle.dumps(work)

        def parts() -> list[list[Packet]]:
            return [self._worked(sent, number, part) for number, part in enumerate(self.parts())]

        return replace(self, parts=parts)

    def deal(self, parts: int) -> LocalFlow:
        def deal() -> list[list[Packet]]:
            made: list[list[Packet]] = [[] for _ in range(parts)]
            for part in self.parts():
                for packet in part:
                    if packet.part >= 0:
                        made[packet.part].append(packet)
            return [sorted(part, key=lambda packet: (packet.group, packet.source, packet.number)) for part in made]

        return replace(self, parts=deal)

    def gather(self) -> LocalFlow:
        def gather() -> list[list[Packet]]:
            given = [packet for part in self.parts() for packet in part if packet.part >= 0]
            return [sorted(given, key=lambda packet: (packet.group, packet.source, packet.number))]

        return replace(self, parts=gather)

    @contextmanager
    def keep(self) -> Iterator[LocalFlow]:
        if self.forgets:
            yield self
            return
        made: list[list[list[Packet]]] = []

        def parts() -> list[list[Packet]]:
            if not made:
                made.append(self.parts())
            return made[0]

        yield replace(self, parts=parts)

    def reports(self) -> Sequence[Packet]:
        reports = [packet for part in self.parts() for packet in part if packet.part < 0]
        return sorted(reports, key=lambda packet: (packet.source, packet.number))

    def _worked(self, work: bytes, number: int, part: Sequence[Packet]) -> list[Packet]:
        given = [packet for packet in part if packet.part >= 0]
        first = list(pickle.loads(work)(number, iter(given)))
        if not self.repeats:
            return first
        second = list(pickle.loads(work)(number, iter(given)))
        return second if number % 2 else first


def watch_reports(monkeypatch: pytest.MonkeyPatch) -> list[Packet]:
    """The reports that come to the caller of local flows from now on."""
    seen: list[Packet] = []
    reports = LocalFlow.reports

    def watched(self: LocalFlow) -> Sequence[Packet]:
        made = reports(self)
        seen.extend(made)
        return made

    monkeypatch.setattr(LocalFlow, "reports", watched)
    return seen


@dataclass(frozen=True)
class LocalRows:
    """`hudi_core.parallel.flow.SpreadRows` of batches of an engine in parts."""

    engine: Engine[Any, Any, Any]
    schema: Schema
    batches: Sequence[Sequence[Any]]
    repeats: bool = False
    forgets: bool = False
    tables: Sequence[Any] = ()
    """The tables of Arrow that the batches are read from; without them their types are those of the batches."""
    runner: Runner = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "runner", self.engine.runner)

    def like(self, schema: Schema) -> LocalRows:
        return local_rows(self.engine, self.tables, self.repeats, schema) if self.tables else self

    def map(self, work: Callable[[int, Iterator[Any]], Iterator[Packet]]) -> LocalFlow:
        sent = pickle.dumps(work)

        def parts() -> list[list[Packet]]:
            return [list(pickle.loads(sent)(number, iter(part))) for number, part in enumerate(self.batches)]

        return LocalFlow(parts, self.repeats, forgets=self.forgets)


def local_rows(
    engine: Engine[Any, Any, Any], tables: Sequence[Any], repeats: bool = False, like: Schema | None = None
) -> LocalRows:
    """Rows of tables of Arrow, each a part."""
    given = [engine.rows.read_given(table, like) for table in tables]
    return LocalRows(engine, given[0].schema, [list(rows.batches) for rows in given], repeats, tables=tables)


def scan_rows(scan: Scan, repeats: bool = False) -> LocalRows:
    """Rows of a scan, a part for each slice: batches with the number of the slice that they were read from."""
    remote = scan.remote_scan()
    parts = [list(remote.read_numbered([part])) for part in scan.parts()]
    return LocalRows(scan.sources.snapshot.engine, scan.schema, parts, repeats)
