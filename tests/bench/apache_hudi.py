"""Apache Hudi itself as a peer: the tables that it wrote to be measured on, and what it takes on them, in its own JVM.

`HUDI_BENCH_TABLES` names the folder of the tables, `.bench/tables` unless it is set; those that are missing are written once,
in some minutes each. `HUDI_CONFORMANCE` has the script that writes and measures; `make bench` makes the environment that it
runs in, `.venv-interop` or what `HUDI_BENCH_PYTHON` names.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.bench.timing import Elsewhere, Missing, counts_processors

_ROOT = Path(__file__).parents[2]
_TABLES = Path(os.environ.get("HUDI_BENCH_TABLES") or _ROOT / ".bench" / "tables")
_ORACLE = Path(os.environ.get("HUDI_CONFORMANCE") or _ROOT.parent / "shared") / "oracle"
_TAG_PEER = Path(__file__).parents[1] / "interop" / "tag_peer.py"
_CLOCK = Path(__file__).with_name("peer_clock.py")
_PYTHON = Path(os.environ.get("HUDI_BENCH_PYTHON") or _ROOT / ".venv-interop" / "bin" / "python")


@dataclass(frozen=True)
class _Made:
    """How the script makes a table: what it calls it, what it is told besides, and the folder it is in."""

    called: str
    options: tuple[str, ...] = ()
    folder: str = "."


_MADE = {
    "cow_plan": _Made("cow_plan", ("--plan-files", "10000")),
    "cow_tag_rli": _Made("cow_tag"),
    "cow_tag_1000": _Made("cow_tag", ("--tag-files", "1000", "--tag-keys-per-file", "4000"), "1000"),
    "cow_read_10m": _Made("cow_read", ("--cow-rows", "10000000"), "10m"),
}
"""Tables that the script is not told to make by their own name alone."""


def tables_folder() -> Path:
    """The folder of the tables, which is made where it is missing."""
    _TABLES.mkdir(parents=True, exist_ok=True)
    return _TABLES


def table(name: str) -> Path:
    """The root of a table: `cow_read`, `cow_read_10m`, `mor_read`, `cow_plan`, `cow_tag`, `cow_tag_1000`, `cow_tag_rli`."""
    made = _MADE.get(name, _Made(name))
    folder = _TABLES / made.folder
    root = folder / (name if name == "cow_tag_rli" else made.called)
    if not _is_whole(folder, made.called):
        script(_ORACLE / "bench_hudi.py", "make", "--table", str(folder), "--only", made.called, *made.options)
    if not _is_whole(folder, made.called) or not (root / ".hoodie").is_dir():
        raise Missing(f"{folder} has no table {name}")
    return root


def _is_whole(folder: Path, name: str) -> bool:
    """The script lists a table when it has written all of it."""
    listed = folder / "sizes.json"
    return listed.is_file() and name in json.loads(listed.read_text("utf-8"))


def measurement(command: str, case: str, answer: str | None = None) -> Elsewhere:
    """What Apache Hudi takes for a case of `read`, `plan`, `tag` or `cluster`, each run; measured once in this process.

    `answer` names the detail of the case's line that is compared with ours; None where the script compares it itself.
    """

    def run() -> tuple[Sequence[float], Any]:
        line = _line(command, case)
        return line["seconds"], line["detail"][answer] if answer else None

    return Elsewhere(run)


def rows_and_hash(case: str) -> tuple[int, int]:
    """What Apache Hudi reads in a case of `read` that ends in `_agg`: rows, and the xor of Spark's `xxhash64` of each."""
    detail = _line("read", case)["detail"]
    return int(detail["rows"]), int(detail["xor_hash"])


def _line(command: str, case: str) -> Mapping[str, Any]:
    lines = _results(command, *_options(command, case))
    if case not in lines:
        raise Missing(f"Apache Hudi was not measured at {command} {case}; it was at {', '.join(sorted(lines))}")
    return lines[case]


def _options(command: str, case: str) -> tuple[str, ...]:
    """Cases that are measured together: all of one table, as others need not have been made."""
    if command == "read":
        kind = case.rpartition("_")[0]
        return "--cases", f"{kind}_noop,{kind}_agg"
    return ("--cases", "bloom_metadata,record_index,simple", "--partitions", "2,8") if command == "tag" else ()


@cache
def _results(command: str, *options: str) -> Mapping[str, Mapping[str, Any]]:
    printed = script(_ORACLE / "bench_hudi.py", command, "--table", str(_TABLES), *options)
    return {line["case"]: line for line in printed if line["bench"] == command}


def assert_same_locations(root: Path, index: str, ours: Mapping[tuple[str, str], Sequence[str] | None]) -> None:
    """Holds partition path, file id and instant of some hundred keys, no two alike, to those of an index of Apache Hudi."""
    with tempfile.TemporaryDirectory(prefix="bench-tag-") as folder:
        given = Path(folder) / "keys.json"
        given.write_text(json.dumps(list(ours)), "utf-8")
        (answer,) = script(_TAG_PEER, "--indexes", index, str(given), str(root))
    theirs = dict(zip(ours, answer["locations"], strict=True))
    different = {key: (place, theirs[key]) for key, place in ours.items() if place != theirs[key]}
    assert not different, f"{len(different)} locations are not those of Apache Hudi: {list(different.items())[:3]}"


def script(path: Path, *arguments: str) -> list[Mapping[str, Any]]:
    """The JSON objects that a script prints, run in Apache Hudi's environment beside the scripts of the conformance folder.
    Raises `Missing` where it cannot run."""
    if not path.is_file() or not _PYTHON.is_file():
        raise Missing(f"needs {path.name} of the conformance folder, and {_PYTHON}, which `make bench` makes")
    _TABLES.mkdir(parents=True, exist_ok=True)
    clock = [str(_CLOCK)] if counts_processors() else []
    run = [str(_PYTHON), "-P", *clock, str(path), *arguments]  # a script's neighbours are no modules of its own
    environment = {**os.environ, "PYTHONPATH": str(_ORACLE)}
    completed = subprocess.run(run, capture_output=True, text=True, check=False, env=environment)
    if completed.returncode:
        raise Missing(f"Apache Hudi failed at {arguments[0]}: {completed.stderr.strip().splitlines()[-1:]}")
    return [
        json.loads(line) for line in completed.stdout.splitlines() if line.startswith("{")
    ]  # a JVM prints notices too
