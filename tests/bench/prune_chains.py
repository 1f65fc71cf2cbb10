"""Long chains of conditions on one column beside the list that says the same, from the text of the predicate to the rows counted.

The table has many small files that all may hold a match, so that every step sees the whole predicate: planning on statistics,
row groups, and rows.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hudi_core.front.opening import open_table
from hudi_core.table.table import Table
from tests.bench.timing import Missing, Pair

FILES, ROWS = 200, 2_000
TERMS = 300


def pair(case: str, peer: str) -> Pair:
    if (case, peer) != ("or_300_equals_end_to_end", "in-list"):
        raise Missing("no measurement of this case yet")
    table, values = open_table(str(made())), [f"{number / 100:.2f}" for number in range(TERMS)]
    either = " OR ".join(f"fare = {value}" for value in values)
    listed = f"fare IN ({', '.join(values)})"

    def check(ours: object, peer: object) -> None:
        assert ours == peer, f"{ours} rows, the list has {peer}"
        one, other = (table.scan(where=where, meta=False).to_arrow() for where in (either, listed))
        assert one.num_rows and one.equals(other), "rows differ"

    return Pair(lambda: counted(table, either), lambda: counted(table, listed), check)


def counted(table: Table, where: str) -> int:
    """The rows that match, from the text on."""
    return table.scan(where=where).count()


@cache
def made() -> Path:
    """A table of taxi rides, made once in this process."""
    root = Path(mkdtemp(prefix="chains"))
    (root / ".hoodie").mkdir()
    draw = np.random.default_rng(0)
    written = []
    for number in range(FILES):
        name = f"{number:08d}-0000-0000-0000-000000000000-0_{number}-0-0_20250601000000000.parquet"
        rides = pa.table(
            {
                "id": [f"{number}-{row}" for row in range(ROWS)],
                "fare": draw.integers(0, 10_000, ROWS) / 100,
                "city": [f"city {place}" for place in draw.integers(0, 500, ROWS)],
            }
        )
        pq.write_table(rides, root / name)
        written.append({"fileId": name.split("_")[0], "path": name, "numWrites": ROWS})
    fields = [{"name": "id", "type": "string"}, {"name": "fare", "type": "double"}, {"name": "city", "type": "string"}]
    schema = json.dumps({"type": "record", "name": "ride", "fields": fields})
    commit = {
        "partitionToWriteStats": {"": written},
        "extraMetadata": {"schema": schema},
        "operationType": "BULK_INSERT",
    }
    (root / ".hoodie" / "20250601000000000.commit").write_text(json.dumps(commit), "utf-8")
    options = {
        "table.name": "rides",
        "table.type": "COPY_ON_WRITE",
        "table.version": "6",
        "timeline.layout.version": "1",
        "populate.meta.fields": "false",
    }
    text = "".join(f"hoodie.{name}={value}\n" for name, value in options.items())
    (root / ".hoodie" / "hoodie.properties").write_text(text, "utf-8")
    return root
