"""A million keys, one in ten of them in the table, tagged with their file: rows in, the same rows with their location out.

The table has 200 files of 20,000 keys. Opening it is part of the work, and so are ranges, filters and the reading of files:
nothing is kept from one run to the next. The peer is Apache Hudi's `tagLocation` by the index of the same kind, at the better
of two settings of its parallelism. Locations are compared with a join of all keys by Arrow, and those of some keys, from all over
the batch, with what Apache Hudi gives.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from hudi_core.front.opening import open_table
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.tag import TagOptions, tag
from tests.bench import apache_hudi
from tests.bench.timing import Missing, Pair, Unbuilt

_KINDS = {
    "bloom_metadata": ("cow_tag", IndexType.BLOOM),
    "record_index": ("cow_tag_rli", IndexType.RECORD_INDEX),
    "simple": ("cow_tag", IndexType.SIMPLE),
}

INDEXES = {
    IndexType.BLOOM: "BLOOM",
    IndexType.RECORD_INDEX: "GLOBAL_RECORD_LEVEL_INDEX",
    IndexType.SIMPLE: "SIMPLE",
}
"""What Apache Hudi calls an index."""
COMPARED = 200
"""Keys whose locations are held to those of Apache Hudi: they go to its JVM one by one."""


@cache
def keys() -> pa.Table:
    """The batch to be tagged, in memory: keys and partitions."""
    return pq.read_table(apache_hudi.table("cow_tag").parent / "cow_tag_keys", columns=["id", "part"])


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    kind = next((kind for kind in _KINDS if case.startswith(kind)), None)
    if peer != "apache-hudi" or kind is None:
        raise Unbuilt("no measurement of this case")
    name, index = _KINDS[kind]
    table = apache_hudi.table(name)
    sizes = json.loads((table.parent / "sizes.json").read_text("utf-8"))
    present = sizes["inputs"]["tag_present"]
    if case != f"{kind}_{sizes['inputs']['tag_batch'] // 1000}k_keys_{sizes['cow_tag']['files']}_files":
        raise Missing("the tables have another size")
    rows = keys()

    def ours() -> pa.Table:
        return tag(open_table(str(table)), rows, TagOptions(index)).read_all()

    def check(located: pa.Table, _: object) -> None:
        assert located.drop_columns("location").equals(rows)
        assert located.num_rows - located["location"].null_count == present
        ids = pc.struct_field(located["location"].combine_chunks(), "file_id")
        assert ids.equals(file_ids(table, rows)), "locations differ"
        sampled = located.take(np.linspace(0, len(located) - 1, COMPARED).astype(np.int64)).to_pylist()
        places = {(row["id"], row["part"]): place(row["location"]) for row in sampled}
        apache_hudi.assert_same_locations(table, INDEXES[index], places)

    return Pair(ours, apache_hudi.measurement("tag", f"{case}_best"), check, 0.0)


def place(location: Mapping[str, Any] | None) -> list[str] | None:
    """What Apache Hudi tells of a location."""
    return location and [location["partition_path"], location["file_id"], location["instant"]]


def file_ids(root: Path, rows: pa.Table) -> pa.Array:
    """The id of the file that has the key of each row, null where none has, by a join with the keys of all base files."""
    stored = ["_hoodie_record_key", "_hoodie_partition_path", "_hoodie_file_name"]
    files = sorted(str(file) for file in root.rglob("*.parquet") if ".hoodie" not in file.parts)
    keys = ds.dataset(files).to_table(columns=stored).rename_columns(["id", "part", "file_id"])
    numbered = rows.append_column("number", pa.array(range(rows.num_rows)))
    joined = numbered.join(keys, ["id", "part"], join_type="left outer").sort_by("number")
    return pc.list_element(pc.split_pattern(joined["file_id"].combine_chunks(), "_"), 0)
