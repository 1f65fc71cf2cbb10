"""Base files as other programs write them: their rows, under filters and after an update of one of them. Rule TIME-1569."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import hudi_core

STRUCT = pa.struct([("a", pa.int32()), ("b", pa.string())])
TYPES = pa.schema([("id", pa.string()), ("s", pa.string()), ("n", pa.int32()), ("st", STRUCT), ("f", pa.float64())])
ROWS = pa.table(
    {
        "id": [f"k{number}" for number in range(9)],
        "s": ["a", None, "bé", "", "x" * 80, "a", None, "zz", "y"],
        "n": [1, -5, None, 7, 2**31 - 1, 0, 3, None, 9],
        "st": [None if number == 4 else {"a": number, "b": "t"} for number in range(9)],
        "f": [0.5, float("nan"), None, -0.0, float("inf"), 1.5, 2.5, 3.5, -1e300],
    },
    TYPES,
)
PREDICATES = (
    "s = 'a'",
    "s is null",
    "s > 'b'",
    "n > 2",
    "not n > 2",
    "n is null",
    "st.a >= 7",
    "st is null",
    "f > 1",
    "f < 1",
)


def other_case(table: pa.Table) -> pa.Table:
    """Names in other letters' case, of a field of the struct too."""
    struct = table["st"].combine_chunks()
    inner = pa.StructArray.from_arrays([struct.field(0), struct.field(1)], ["A", "b"], mask=pc.is_null(struct))
    at = table.schema.get_field_index("st")
    return table.set_column(at, "ST", inner).rename_columns({"s": "S", "n": "N"})


def large_types(table: pa.Table) -> pa.Table:
    fields = [pa.field(f.name, pa.large_string() if f.type == pa.string() else f.type) for f in table.schema]
    return table.cast(pa.schema(fields))


def coded(table: pa.Table) -> pa.Table:
    at = table.schema.get_field_index("s")
    return table.set_column(at, "s", table["s"].dictionary_encode())


FORMS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "names in other letters' case": other_case,
    "columns in another order": lambda table: table.select(list(reversed(table.schema.names))),
    "large strings": large_types,
    "strings by code": coded,
    "a column of another program": lambda table: table.append_column("zz", pa.array(range(len(table)))),
}


def rows_of(table: hudi_core.Table, where: str | None = None) -> dict[str, str]:
    return {row["id"]: repr(row) for row in table.scan(where, meta=False).to_arrow().to_pylist()}


@pytest.mark.each_value
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("kind", "group"), [("cow", 100), ("mor", 2)])
def test_rows_are_those_of_a_file_of_our_own(tmp_path: Path, form: str, kind: str, group: int) -> None:
    """TIME-1569."""
    hudi_core.create(tmp_path / "t", TYPES, "id", type=kind).insert(ROWS)
    own = hudi_core.open(tmp_path / "t")
    expected = {where: rows_of(own, where) for where in (None, *PREDICATES)}
    (file,) = (tmp_path / "t").glob("*.parquet")
    pq.write_table(FORMS[form](pq.read_table(file)), file, row_group_size=group)

    def check(table: hudi_core.Table) -> hudi_core.Table:
        for where in (None, *PREDICATES):
            assert rows_of(table, where) == expected[where], where
        return table

    table = check(hudi_core.open(tmp_path / "t"))
    assert table.to_dataset().to_table(columns=["s", "n"]).num_rows == 9
    table.index("column_stats")
    check(table.refresh()).upsert(ROWS.slice(5, 1))
    check(table.refresh())
    if kind == "mor":
        table.refresh().compact()
        check(table.refresh())
    table.refresh().cluster(columns=["n"])
    check(table.refresh())
