"""A clean and an archive of 10,000 commits, planned and run: ours beside Apache Hudi's, with the memory that each takes at most.

Every call works on a copy of the table whose data files are links; making it is not timed. What is left of both is compared: the
data files after a clean, the writes on the active timeline after an archive.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from hudi_core.front.opening import open_table
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from tests.bench import apache_hudi
from tests.bench.services_compaction_2m_200k import copied
from tests.bench.timing import Elsewhere, Fresh, Pair, Unbuilt
from tests.support.many_commits import table_of_many_commits

COMMITS = 10_000
_PEER = "apache-hudi"
_FOLDER = tempfile.TemporaryDirectory(prefix="bench-services-")


def pair(case: str, peer: str) -> Pair:
    """The measurement. Raises `Unbuilt` for another case or peer, `Missing` for what the machine lacks."""
    service = case.removesuffix("_10k_commits")
    if peer != _PEER or service not in _SERVICES:
        raise Unbuilt("no such case")
    _, their_mb, _ = _of_apache_hudi(service)
    terms = {"ours": f"at most {_peak(service)} MB resident", "peer": f"at most {their_mb} MB resident"}
    ours = Fresh(partial(_served, service))
    return Pair(ours, Elsewhere(lambda: _timed(service)), partial(_check, service), 5, burst=1, terms=terms)


def _clean(path: Path) -> None:
    done = clean(open_table(path), CleanOptions(keep_commits=10))
    assert done.state == "completed"


def _archive(path: Path) -> None:
    done = archive(open_table(path), ArchiveOptions(keep_min=20, keep_max=30))
    assert done.state == "completed"


_SERVICES: dict[str, Callable[[Path], None]] = {"clean": _clean, "archive": _archive}


@cache
def _table() -> Path:
    root = Path(_FOLDER.name) / "made"
    root.mkdir()
    table_of_many_commits(root, COMMITS)
    return root


@contextmanager
def _served(service: str) -> Iterator[Callable[[], None]]:
    """A call of a service on a copy of the table of its own."""
    with copied(_table()) as path:
        yield lambda: _SERVICES[service](path)


@cache
def _of_apache_hudi(service: str) -> tuple[Sequence[float], int, list[str]]:
    with tempfile.TemporaryDirectory(prefix="bench-service-", dir=_FOLDER.name) as scratch:
        answer = Path(scratch) / "names"
        script = Path(__file__).with_name("services_peer.py")
        (line,) = apache_hudi.script(script, service, str(_table()), str(answer), scratch)
        return line["seconds"], round(line["detail"]["vm_hwm_mb"]), json.loads(answer.read_text())


def _timed(service: str) -> tuple[Sequence[float], list[str]]:
    seconds, _, names = _of_apache_hudi(service)
    return seconds, names


def _peak(service: str) -> int:
    """The most memory that a process of its own takes for a service, in MB."""
    with copied(_table()) as path:
        code = (
            "import resource, pathlib; from tests.bench.services import _SERVICES;"
            f"_SERVICES[{service!r}](pathlib.Path({str(path)!r}));"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
        )
        root = Path(__file__).parents[2]
        return int(subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, check=True).stdout)


def _check(service: str, _: object, theirs: list[str]) -> None:
    with copied(_table()) as path:
        _SERVICES[service](path)
        ours = sorted(
            str(file.relative_to(path)) for file in path.rglob("*") if file.is_file() and not file.name.startswith(".")
        )
    assert _left(service, ours) == _left(service, theirs), "what is left differs"


def _left(service: str, names: Sequence[str]) -> list[str]:
    """What a service leaves, without its own instants: data files, or the completed writes of the active timeline."""
    if service == "clean":
        return [name for name in names if name.endswith(".parquet") and not name.startswith(".hoodie/")]
    return [name for name in names if name.endswith(".commit") and "/history/" not in name]
