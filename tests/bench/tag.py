"""A million keys, one in ten of them in the table, tagged with their file: rows in, the same rows with their location out.

The table has 200 files of 20,000 keys. Opening it is part of the work, and so are ranges, filters and the reading of files:
nothing is kept from one run to the next. The peer is Apache Hudi's `tagLocation` by the index of the same kind, at the better
of two settings of its parallelism.
"""

from __future__ import annotations

import json
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_core.index.choose import IndexKind
from hudi_core.index.tag import TagOptions, tag
from hudi_core.table.open import open_table
from tests.bench import apache_hudi
from tests.bench.timing import Missing, Pair

_KINDS = {
    "bloom_metadata": ("cow_tag", IndexKind.BLOOM),
    "record_index": ("cow_tag_rli", IndexKind.RECORD_INDEX),
    "simple": ("cow_tag", IndexKind.SIMPLE),
}


@cache
def keys() -> pa.Table:
    """The batch to be tagged, in memory: keys and partitions."""
    return pq.read_table(apache_hudi.table("cow_tag").parent / "cow_tag_keys", columns=["id", "part"])


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    kind = next((kind for kind in _KINDS if case.startswith(kind)), None)
    if peer != "apache-hudi" or kind is None:
        raise Missing("no such measurement")
    name, index = _KINDS[kind]
    table = apache_hudi.table(name)
    sizes = json.loads((table.parent / "sizes.json").read_text("utf-8"))
    present = sizes["inputs"]["tag_present"]
    if case != f"{kind}_{sizes['inputs']['tag_batch'] // 1000}k_keys_{sizes['cow_tag']['files']}_files":
        raise Missing("the tables have another size")
    rows = keys()

    def ours() -> pa.Table:
        return tag(open_table(str(table)), rows, TagOptions(index)).read_all()

    def check(found: object, _: object) -> None:
        assert isinstance(found, pa.Table)
        assert found.drop_columns("location").equals(rows)
        assert found.num_rows - found["location"].null_count == present

    return Pair(ours, apache_hudi.seconds("tag", f"{case}_best"), check, 0.0)
