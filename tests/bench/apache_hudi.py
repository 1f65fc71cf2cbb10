"""Apache Hudi itself as a peer: the tables that it wrote to be measured on, and what it takes on them, in its own JVM.

`HUDI_BENCH_TABLES` names the folder of the tables, `.bench/tables` unless it is set; those that are missing are written once,
in some minutes each. `HUDI_CONFORMANCE` has the script that writes and measures, `make interop` the environment that it runs in.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from tests.bench.timing import Missing

_ROOT = Path(__file__).parents[2]
_TABLES = Path(os.environ.get("HUDI_BENCH_TABLES") or _ROOT / ".bench" / "tables")
_ORACLE = Path(os.environ.get("HUDI_CONFORMANCE") or _ROOT.parent / "shared") / "oracle"
_PYTHON = _ROOT / ".venv-interop" / "bin" / "python"
_PLAN_FILES = 10_000


def table(name: str) -> Path:
    """The root of a table by its name in the script: `cow_read`, `mor_read`, `cow_plan`, `cow_tag`, `cow_tag_rli`."""
    made_with = "cow_tag" if name.startswith("cow_tag") else name
    if not _is_whole(made_with):
        _script("make", "--only", made_with, "--plan-files", str(_PLAN_FILES))
    if not _is_whole(made_with) or not (_TABLES / name / ".hoodie").is_dir():
        raise Missing(f"{_TABLES} has no table {name}")
    return _TABLES / name


def _is_whole(name: str) -> bool:
    """The script lists a table when it has written all of it."""
    listed = _TABLES / "sizes.json"
    return listed.is_file() and name in json.loads(listed.read_text("utf-8"))


def seconds(command: str, case: str) -> Sequence[float]:
    """What Apache Hudi takes for a case of `read`, `plan` or `tag`, each run; measured once in this process."""
    found = _results(command)
    if case not in found:
        raise Missing(f"Apache Hudi was not measured at {command} {case}; it was at {', '.join(sorted(found))}")
    return found[case]


@cache
def _results(command: str) -> Mapping[str, Sequence[float]]:
    options = {
        "read": ("--cases", "cow_full_noop,mor_snapshot_noop"),
        "tag": ("--cases", "bloom_metadata,record_index,simple", "--partitions", "2,8"),
    }
    lines = [json.loads(line) for line in _script(command, *options.get(command, ())).splitlines()]
    return {line["case"]: line["seconds"] for line in lines if line["bench"] == command}


def _script(command: str, *options: str) -> str:
    """Its standard output: a JSON object a line."""
    script = _ORACLE / "bench_hudi.py"
    if not script.is_file() or not _PYTHON.is_file():
        raise Missing(f"needs {script.name} of the conformance folder, and the environment that `make interop` makes")
    _TABLES.mkdir(parents=True, exist_ok=True)
    run = [str(_PYTHON), str(script), command, "--table", str(_TABLES), *options]
    ended = subprocess.run(run, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise Missing(f"Apache Hudi failed at {command}: {ended.stderr.strip().splitlines()[-1:]}")
    return ended.stdout
