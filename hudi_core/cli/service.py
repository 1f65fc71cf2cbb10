"""`service`: what a table needs to stay in order, once or round by round."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Annotated, Any, Final

import typer

from hudi_core.cli.arguments import names_and_values, split_names
from hudi_core.cli.options import JsonOption, TableArgument, TasksOption, byte_count, open_from_options, warn
from hudi_core.cli.output import Output, flush
from hudi_core.cli.progress import make_tally, show_tally
from hudi_core.cli.stated import ServiceOption, service_properties
from hudi_core.cli.times import seconds_of
from hudi_core.cli.words import format_count
from hudi_core.errors import UsageError
from hudi_core.services.upkeep.rounds import ServiceOptions, parse_services, run_services
from hudi_core.services.upkeep.services import ServiceName, ServiceRun
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.tally import Tally

_LIMIT: Final = "some of time=8h, bytes=20GB and memory=2GB"


def service(
    table: TableArgument,
    every: Annotated[
        str | None,
        typer.Option(
            "--every", metavar="TIME", help="Repeat each TIME, as 30s, 10m or 1h; without it, there is one round."
        ),
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="NAMES", help=f"Some of {', '.join(ServiceName)}; else all.")
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option(
            "--limit",
            metavar="BOUNDS",
            help="time=8h: begin no service after it; bytes=20GB: rewrite so many at once; memory=2GB. One or A,B.",
        ),
    ] = None,
    rounds: Annotated[int | None, typer.Option("--rounds", metavar="N", min=1, help="At most N rounds.")] = None,
    option: ServiceOption = None,
    engine: TasksOption = DEFAULT_ENGINE,
    as_json: JsonOption = False,
) -> None:
    """Run the services that are due: rollback of dead writes, compaction, clustering, clean, archive.

    The table's properties, or --option, state what is due and how much is done at once. Writers may go on meanwhile.
    Ctrl-C or a signal to end lets the running service finish; a second one ends at once.
    """
    opened_table, out = open_from_options(table, engine, MetadataMode.AUTO), Output(as_json)
    tally = make_tally()
    with _end_by_signals() as ended:
        settings = ServiceOptions(
            parse_services(split_names("--only", only) or ()),
            service_properties(option),
            every=None if every is None else seconds_of("--every", every),
            rounds=rounds,
            **_bounds(limit),
            stopped=ended.is_set,
            wait=ended.wait,
            tally=tally,
        )
        done = 0
        for run in _show_runs(run_services(opened_table, settings), tally):
            out.record(run.as_dict())
            flush()
            done += 1
    if not as_json:
        out.text(f"{format_count(done, 'service')} ran" if done else "nothing is due")
    warn(opened_table.warnings)


def _show_runs(runs: Iterator[ServiceRun], tally: Tally | None) -> Iterator[ServiceRun]:
    """The runs of services, and on a terminal how far each is."""
    while True:
        with show_tally(tally, "tasks"):
            run = next(runs, None)
        if run is None:
            return
        yield run


def _bounds(given: str | None) -> dict[str, Any]:
    """The bounds that were typed; one without a name is a time."""
    texts = [] if given is None else [text.strip() for text in given.split(",")]
    limits = names_and_values("--limit", [text if "=" in text else f"time={text}" for text in texts], _LIMIT)
    unknown = [name for name in limits if name not in ("time", "bytes", "memory")]
    if unknown:
        raise UsageError("--limit", expected=_LIMIT, found=", ".join(unknown))
    time = limits.pop("time", None)
    sizes = {name: byte_count(size, f"--limit {name}") for name, size in limits.items()}
    return {"seconds": None if time is None else seconds_of("--limit", time), **sizes}


@contextmanager
def _end_by_signals() -> Iterator[Event]:
    """An event that the first signal to end sets; a second one ends the process as it would without this."""
    ended = Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def end(number: int, _: Any) -> None:
        ended.set()
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, end)
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
