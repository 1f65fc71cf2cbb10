"""The first rows that a new process answers: the demo's table opened, planned and read under a filter, beside copies of its rows.

Delta Lake and PyIceberg read tables of their own with the same rows in as many files, hudi-rs a copy as this library writes it,
of one schema. Every call starts Python. What each answers is the number of rows that match.
"""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa

from hudi_core.front.opening import create_table, open_table
from tests.bench.timing import Missing, Pair, Unbuilt
from tests.support.commands import rides

_MOST = 3
_OURS = f"import hudi_core; print(hudi_core.open({{root!r}}).scan(where='passengers > {_MOST}').to_arrow().num_rows)"
_PEERS = MappingProxyType(
    {
        "deltalake": "from deltalake import DeltaTable\n"
        f"print(DeltaTable({{root!r}}).to_pyarrow_table(filters=[('passengers', '>', {_MOST})]).num_rows)",
        "hudi-rs": "from hudi import HudiReadOptions, HudiTable\n"
        f"options = HudiReadOptions(filters=[('passengers', '>', '{_MOST}')])\n"
        "print(sum(batch.num_rows for batch in HudiTable({root!r}).read(options)))",
        "pyiceberg": "from pyiceberg.table import StaticTable\n"
        f"print(StaticTable.from_metadata({{root!r}}).scan(row_filter='passengers > {_MOST}').to_arrow().num_rows)",
    }
)
_MODULES = MappingProxyType({"deltalake": "deltalake", "hudi-rs": "hudi", "pyiceberg": "pyiceberg"})


def pair(case: str, peer: str) -> Pair:
    """The measurement. Raises `Unbuilt` for another peer, `Missing` where the peer is not installed."""
    if peer not in _PEERS:
        raise Unbuilt("no such peer")
    if find_spec(_MODULES[peer]) is None:
        raise Missing(f"{peer} is not installed")
    root = _copy(peer)
    return Pair(_run(_OURS.format(root=str(rides()))), _run(_PEERS[peer].format(root=root)), _check, 10)


def _run(program: str) -> Callable[[], str]:
    command = [sys.executable, "-c", program]

    def run() -> str:
        # Some peers abort now and then as their threads end, with the answer given.
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if not ended.stdout:
            ended.check_returncode()
        return ended.stdout

    return run


def _check(ours: str, theirs: str) -> None:
    assert ours == theirs, f"{ours} rows, the peer has {theirs}"
    assert int(ours) > 0


@cache
def _copy(peer: str) -> str:
    """Where a peer finds the rows: a folder, or a file of metadata."""
    folder = Path(tempfile.mkdtemp(prefix="bench-start-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    files = _rows_of_files()
    match peer:
        case "deltalake":
            from deltalake import write_deltalake  # noqa: PLC0415 - one peer can be there without the other

            for rows in files:
                write_deltalake(str(folder), rows, mode="append")
            return str(folder)
        case "pyiceberg":
            from pyiceberg.catalog.sql import SqlCatalog  # noqa: PLC0415 - one peer can be there without the other

            catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
            catalog.create_namespace("of")
            table = catalog.create_table("of.rides", files[0].schema)
            for rows in files:
                table.append(rows)
            return str(table.metadata_location)
        case _:
            table = create_table(folder / "t", files[0], "ride_id", partition_by="city", indexes=("column_stats",))
            for rows in files:
                table.append(rows)
            return str(folder / "t")


def _rows_of_files() -> list[pa.Table]:
    """The rows of each file of the demo's table, in the columns of its schema."""
    table = open_table(rides())
    rows = table.scan().to_arrow()
    kept = [field for field in rows.schema if not field.name.startswith("_hoodie_")]
    schema = pa.schema([(field.name, field.type) for field in kept])  # without ids, which PyIceberg gives itself
    of_files = rows["_hoodie_file_name"].unique()
    return [
        rows.filter(pa.compute.equal(rows["_hoodie_file_name"], name)).select(schema.names).cast(schema)
        for name in of_files
    ]
