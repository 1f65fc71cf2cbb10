"""Reading gives pyarrow no type to guess: for that it looks for modules at each batch, and loses what interrupts it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.front.opening import open_table
from hudi_core.table.scan import Scan
from tests.support.commands import rides
from tests.support.imports import imports
from tests.support.logged_tables import Block, LoggedTable

KEYS = [f"{number:04d}" for number in range(2_000)]
UPDATES = [Block([{"id": key, "ts": 2, "v": "new", "n": 1} for key in KEYS[::50]], deletes=[(KEYS[1], None)])]


@pytest.fixture(
    params=[
        None,
        "fare BETWEEN 3 AND 60 AND rider IS NOT NULL",
        "distance_km IN (1.0, 2.0, 0.0) OR lower(payment) LIKE 'c%'",
        "passengers / 2 > 1 OR passengers % 2 = 1 OR distance_km % 2 > 1 OR distance_km / surge > 2",
        "cast(distance_km AS string) LIKE '1%' OR cast(fare AS string) LIKE '%5' OR cast(fare AS int) > 20",
        "year(started_at) = 2024 OR date_trunc('month', started_at) > TIMESTAMP '2024-03-01 00:00:00'",
    ],
    ids=str,
)
def scan(request: pytest.FixtureRequest) -> Scan:
    return open_table(str(rides())).scan(where=request.param)


def batches_without_imports(scan: Scan) -> Iterator[pa.RecordBatch]:
    """The second read: the first makes ready what is needed."""
    assert sum(1 for _ in scan.batches()) > 5
    with imports() as names:
        yield from scan.batches()
    assert names == []


def test_reading_and_filtering(scan: Scan) -> None:
    assert sum(batch.num_rows for batch in batches_without_imports(scan)) > 0


@pytest.mark.parametrize("extension", ["parquet", "csv", "arrow", "json"])
def test_writing_files(tmp_path: Path, extension: str) -> None:
    scan, path = open_table(str(rides())).scan(where="city = 'oslo'"), str(tmp_path / f"rows.{extension}")
    scan.write(path)
    with imports() as names:
        batches = sum(1 for _ in scan.batches())
        scan.write(path)
    assert batches > 5 and len(names) < batches


def test_json_rows() -> None:
    scan = open_table(str(rides())).scan(where="city = 'oslo'")
    list(scan.to_json_rows())
    with imports() as names:
        assert sum(1 for _ in scan.to_json_rows()) > 1_000
    assert names == []


def test_merging() -> None:
    base = [{"id": key, "ts": 1, "v": "old", "n": 0} for key in KEYS]
    scan = LoggedTable(base, UPDATES, row_group=100).open().scan(where="n >= 0 AND ts / 2 < 10")
    list(scan.batches())
    with imports() as names:
        assert sum(batch.num_rows for batch in scan.batches()) == len(KEYS) - 1
    assert "dateutil.relativedelta" not in names


def test_planning_does_not_load_pandas() -> None:
    """pyarrow loads it, where it is installed, for the first array that is made of Python's or NumPy's values."""
    code = "import sys, hudi_core; hudi_core.open(sys.argv[1]).scan(where='fare > 60').plan; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, str(rides())], check=False).returncode == 0


_COMMANDS = """
import sys
from hudi_core.cli.main import run
table, rows, output = sys.argv[1:]
for command in (
    f"create {table} --like {rows} --key id --ordering n",
    f"write {table} {rows} --op insert",
    f"write {table} {rows} --op upsert",
    f"read {table} --output {output}",
    f"update {table} --set label='b' --where id='1'",
    f"delete {table} --where id='2'",
    f"read {table} --json",
):
    sys.argv = ["hudi-core", *command.split()]
    try:
        run()
    except SystemExit as end:
        assert not end.code, command
sys.exit("pandas" in sys.modules)
"""

_SOURCES = {
    "csv": "id,n,label\n1,1.5,a\n2,2.5,\n",
    "json": '{"id": 1, "n": 1.5, "label": "a"}\n{"id": 2, "n": 2.5, "label": null}\n',
    "parquet": "",
    "arrow": "",
}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("extension", _SOURCES)
def test_writing_does_not_load_pandas(tmp_path: Path, extension: str) -> None:
    rows = tmp_path / f"rows.{extension}"
    if _SOURCES[extension]:
        rows.write_text(_SOURCES[extension])
    else:
        table = pa.table({"id": [1, 2], "n": [1.5, 2.5], "label": ["a", None]})
        with pa.OSFile(str(rows), "wb") as file:
            if extension == "parquet":
                pq.write_table(table, file)
            else:
                with pa.ipc.new_file(file, table.schema) as writer:
                    writer.write_table(table)
    given = [str(tmp_path / "table"), str(rows), str(tmp_path / f"out.{extension}")]
    done = subprocess.run([sys.executable, "-c", _COMMANDS, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
