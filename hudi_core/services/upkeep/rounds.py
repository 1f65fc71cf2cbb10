"""Rounds of services: in each, what is due, in order. Rules UPKEEP-465, UPKEEP-466."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Final

from hudi_core.arguments import take_fields
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import ConflictError, UsageError
from hudi_core.notebook import show_briefly
from hudi_core.schema.names import names
from hudi_core.services.bounds import WorkBounds
from hudi_core.services.compaction.result import PUT_OFF
from hudi_core.services.given_properties import read_given
from hudi_core.services.upkeep.services import SERVICES, Request, ServiceName, ServiceRun
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tally import Tally, refuse_other_tally
from hudi_core.transactions.refusals import refuse_unwritable

_NO_TIME: Final = "the time is over"
_WAITS: Final = "waiting for the next round"
CONFLICT = "conflict"
"""The state of a service that another writer was before: the next round comes back to it."""


@show_briefly
@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """Which services run, and within which bounds. Without a bound there is one round."""

    only: tuple[ServiceName | str, ...] = ()
    """Names of services; none: all."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """`hoodie.*` properties of services, over those of the table."""
    every: float | None = None
    """Seconds between the beginnings of two rounds; None: one round."""
    rounds: int | None = None
    """How many rounds at most; None: as many as there is time for."""
    seconds: float | None = None
    """No service is begun after so many seconds."""
    bytes: int | None = None
    """Bytes that a compaction, a log compaction or a clustering reads and writes at once; the next rounds do the rest."""
    memory: int | None = None
    """Bytes in memory of each of these; what needs more is put off."""
    stopped: Callable[[], bool] = lambda: False
    """Asked before each service and while it waits for the next round: whether to end."""
    wait: Callable[[float], object] = sleep
    """Waits so many seconds, or until it is stopped."""
    clock: Clock = system_clock
    tally: Tally | None = None
    """Gets which service runs, and how far it is."""

    def __post_init__(self) -> None:
        """Raises `UsageError` for names that are no services, properties that none reads, bounds that are not above 0, several
        rounds without a time between them, and what is no tally."""
        refuse_other_tally(self.tally)
        take_fields(self)
        object.__setattr__(self, "properties", read_given(self.properties))
        object.__setattr__(self, "only", names(self.only, "only"))
        unknown = [name for name in self.only if name not in list(ServiceName)]
        if unknown:
            raise UsageError("only", expected=f"some of {', '.join(ServiceName)}", found=", ".join(unknown))
        for name in ("every", "rounds", "seconds", "bytes", "memory"):
            number = getattr(self, name)
            if number is not None and number <= 0:
                raise UsageError(name, expected="a number above 0", found=repr(number))
        if self.every is None and self.rounds is not None and self.rounds > 1:
            raise UsageError("rounds", expected="`every` beside it, without which there is one", found=str(self.rounds))


def run_services(table: Table, options: ServiceOptions | None = None) -> Iterator[ServiceRun]:
    """Runs the services that are due, once or round by round, and gives what each did as soon as it is done.

    A service that loses against another writer has the state `conflict`, and the next round comes back to it. Otherwise this
    raises what a service raises; the services before it are complete then.
    """
    settings = options or ServiceOptions()
    try:
        refuse_unwritable(refreshed(table), merges=False)
    except ConflictError:  # a restore: each round tries again
        if settings.every is None:
            raise
    request = Request(settings.properties, settings.clock, WorkBounds(settings.bytes, settings.memory), settings.tally)
    wanted = [SERVICES[name] for name in ServiceName if not settings.only or name in settings.only]
    begun, number = monotonic(), 0
    while True:
        round_begun = monotonic()
        for service in wanted:
            if settings.stopped():
                return
            latest = refreshed(table)
            if _is_over(begun, settings):
                if service.is_due(latest, request):
                    yield ServiceRun(service.name, PUT_OFF, 0.0, {"instant": None, "message": _NO_TIME})
                continue
            if service.is_due(latest, request):
                try:
                    yield service.run(latest, request)
                except ConflictError as conflict:
                    yield ServiceRun(service.name, CONFLICT, 0.0, {"instant": None, "message": str(conflict)})
        number += 1
        if settings.every is None or number == settings.rounds or _is_over(begun, settings):
            return
        pause = max(round_begun + settings.every - monotonic(), 0.0)
        if settings.seconds is not None and monotonic() - begun + pause >= settings.seconds:
            return
        if settings.tally is not None:
            settings.tally.begin(_WAITS)
        settings.wait(pause)


def _is_over(begun: float, settings: ServiceOptions) -> bool:
    return settings.seconds is not None and monotonic() - begun >= settings.seconds


def parse_services(names: Sequence[str]) -> tuple[ServiceName | str, ...]:
    """Names of services as they were typed."""
    return tuple(name.strip() for name in names if name.strip())
