"""How many source files a reader passes on the way of one action: `python -m tests.bench.walks`.

Counts the files of the core and of the engines in which a function runs. What is prepared at import does not count.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import pyarrow as pa

import hudi_core
from tests.support.commands import rides

ROOT = Path(__file__).parents[2]
SOURCES = (str(ROOT / "hudi_core"), str(ROOT / "engines"))
ROWS = pa.table(
    {
        "id": [f"k{number}" for number in range(1000)],
        "ts": [1] * 1000,
        "n": [number * 7919 % 1000 for number in range(1000)],
    }
)
OTHERS = pa.table({"id": [f"other {number}" for number in range(50)], "ts": [1] * 50, "n": [0] * 50})
LOADS = str(ROOT / "hudi_core" / "by_need.py")
"""What loads modules has no rule that a reader looks for."""


def files_run(action: Callable[[], object]) -> set[str]:
    """The source files in which a function runs during the action, in any thread."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_filename.startswith(SOURCES):
            files.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return files - {LOADS}


def walks(folder: Path) -> dict[str, Callable[[], object]]:
    """Actions by name. A cold predicate opens the table; a warm one is another on a table that has planned before."""
    uri = str(rides())
    warm = hudi_core.open(uri)
    warm.scan("fare > 90").plan  # noqa: B018  # statistics of the column are loaded
    key = next(iter(warm.scan(columns=["_hoodie_record_key", "_hoodie_partition_path"], limit=1).to_json_rows()))
    keys = [hudi_core.HoodieKey(key["_hoodie_record_key"], key["_hoodie_partition_path"])]
    schema = warm.schema
    written = hudi_core.create(str(folder / "walks"), ROWS, key="id", ordering="ts")
    written.insert(ROWS)
    written = written.refresh()
    return {
        "first rows": lambda: hudi_core.open(uri).scan("fare > 95").to_arrow(),
        "insert": lambda: written.insert(OTHERS),
        "upsert of 50 rows": lambda: written.upsert(ROWS.slice(0, 50)),
        "clustering": lambda: written.refresh().cluster(columns=["n"]),
        "cold predicate": lambda: hudi_core.open(uri).scan("fare > 95").plan,
        "warm predicate": lambda: warm.scan("fare > 95").plan,
        "located key": lambda: hudi_core.locate(warm, keys),
        "schema change": lambda: hudi_core.evolve(schema, hudi_core.parse_changes("ADD COLUMN rating int AFTER fare")),
    }


def main() -> None:
    """One line for each action, with the names of its files under `--files`."""
    with TemporaryDirectory() as folder:
        for name, action in walks(Path(folder)).items():
            files = sorted(str(Path(file).relative_to(ROOT)) for file in files_run(action))
            print(json.dumps({"walk": name, "files": files if "--files" in sys.argv else len(files)}))


if __name__ == "__main__":
    main()
