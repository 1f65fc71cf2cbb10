"""Columns of variants: of Spark's own type where PySpark has it, else structs of their parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.errors import SchemaError
from hudi_core.front.opening import open_table
from tests.support.logged_tables import META

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from pyspark.sql.types import StructType

import hudi_spark
from hudi_spark.structs import HAS_VARIANT

EMPTY = b"\x01\x00\x00"
"""The metadata of a variant without names."""
NUMBERS = {1: b"\x0c\x05", 2: b"\x0c\xff"}
"""Variants by `id`: the 8-bit integers 5 and -1."""
PARTS = pa.struct([("metadata", pa.binary()), ("value", pa.binary())])
VARIANT = {
    "type": "record",
    "name": "variant",
    "logicalType": "variant",
    "fields": [{"name": "metadata", "type": "bytes"}, {"name": "value", "type": "bytes"}],
}


def column(name: str, of: Any) -> dict[str, Any]:
    return {"name": name, "type": ["null", of], "default": None}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of two files; the older one was written before the columns `v` and `deep.v` were added."""
    root = tmp_path_factory.mktemp("variants")
    put(root / ".hoodie/hoodie.properties", "hoodie.table.name=variants\nhoodie.table.type=COPY_ON_WRITE\n"
        "hoodie.table.version=9\nhoodie.timeline.layout.version=2\nhoodie.table.recordkey.fields=id\n")  # fmt: skip
    put(root / ".hoodie_partition_metadata", "")
    write(root, "20240101000000000", {"id": pa.array([0, 3])}, [column("id", "long")])
    held = [{"metadata": EMPTY, "value": value} for value in NUMBERS.values()]
    deep = {"type": "record", "name": "deep", "fields": [column("n", "int"), column("v", "variant")]}
    variants = pa.array([*held, None], PARTS)
    columns = {
        "id": pa.array([*NUMBERS, 4]),
        "v": variants,
        "deep": pa.StructArray.from_arrays([pa.array([7, 8, 9], pa.int32()), variants], ["n", "v"]),
    }
    write(root, "20240102000000000", columns, [column("id", "long"), column("v", VARIANT), column("deep", deep)])
    return root


def put(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def write(root: Path, instant: str, columns: dict[str, pa.Array], fields: list[dict[str, Any]]) -> None:
    """A commit of one file group."""
    group = f"{instant}-0"
    name = f"{group}_0-1-1_{instant}.parquet"
    ids = [str(number) for number in columns["id"].to_pylist()]
    meta = {of: pa.array(ids if of == "_hoodie_record_key" else [""] * len(ids)) for of in META}
    pq.write_table(pa.table({**meta, **columns}), root / name)
    schema = {"type": "record", "name": "variants", "fields": fields}
    stats = {"": [{"fileId": group, "path": name, "fileSizeInBytes": (root / name).stat().st_size}]}
    answer = {
        "operationType": "INSERT",
        "extraMetadata": {"schema": json.dumps(schema)},
        "partitionToWriteStats": stats,
    }
    put(root / f".hoodie/timeline/{instant}_{instant}.commit", json.dumps(answer))


ROWS = [(0, None), (1, NUMBERS[1]), (2, NUMBERS[2]), (3, None), (4, None)]


@pytest.mark.parametrize(
    ("place", "where"), [("v", None), ("deep.v", None), ("v", "id >= 1"), ("v", "v.value is null")]
)
def test_a_variant_comes_with_its_parts(spark: Any, folder: Path, place: str, where: str | None) -> None:
    frame = hudi_spark.open(spark, str(folder)).scan(where=where).to_spark()
    found = frame.select("id", place).orderBy("id").collect()
    assert [(row[0], None if row[1] is None else bytes(row[1].value)) for row in found] == [
        (number, value)
        for number, value in ROWS
        if where is None or (number >= 1 if where == "id >= 1" else value is None)
    ]
    assert {bytes(row[1].metadata) for row in found if row[1] is not None} <= {EMPTY}


def test_a_variant_is_of_the_type_that_spark_has(spark: Any, folder: Path) -> None:
    scan = hudi_spark.open(spark, str(folder)).scan(meta=False)
    kinds = {field.name: field.dataType.simpleString() for field in scan.to_spark().schema}
    word = "variant" if HAS_VARIANT else "struct<metadata:binary,value:binary>"
    assert kinds == {"id": "bigint", "v": word, "deep": f"struct<n:int,v:{word}>"}
    assert scan.to_spark().schema == scan.spark_schema


@pytest.mark.skipif(not HAS_VARIANT, reason="variants come with Spark 4")
def test_functions_of_spark_take_a_variant(spark: Any, folder: Path) -> None:
    frame = hudi_spark.open(spark, str(folder)).scan().to_spark()
    taken = frame.selectExpr("id", "variant_get(v, '$', 'int') one", "to_json(deep.v) other").where("one is not null")
    assert sorted(map(tuple, taken.collect())) == [(1, 5, "5"), (2, -1, "-1")]


@pytest.mark.skipif(not HAS_VARIANT, reason="Python data sources come with Spark 4")
def test_the_data_source_gives_variants(spark: Any, folder: Path) -> None:
    import_module("hudi_spark.front.registering").register(spark)
    frame = spark.read.format("hudi_core").load(str(folder))
    found = frame.selectExpr("id", "variant_get(v, '$', 'int')").collect()
    assert sorted(map(tuple, found)) == [(0, None), (1, 5), (2, -1), (3, None), (4, None)]


@pytest.mark.skipif(not HAS_VARIANT, reason="variants come with Spark 4")
@pytest.mark.parametrize("place", ["c", "c.deep", "c.element", "c.value"])
def test_a_column_of_variants_is_not_written(tmp_path: Path, place: str) -> None:
    """WRITE-1616: no struct of bytes comes in its place, at any depth."""
    kinds = {
        "c": "variant",
        "c.deep": {"type": "struct", "fields": [{"name": "deep", "type": "variant", "nullable": True, "metadata": {}}]},
        "c.element": {"type": "array", "elementType": "variant", "containsNull": True},
        "c.value": {"type": "map", "keyType": "string", "valueType": "variant", "valueContainsNull": True},
    }
    fields = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in
              (("id", "string"), ("c", kinds[place]))]  # fmt: skip
    struct = StructType.fromJson({"type": "struct", "fields": fields})
    session: Any = SimpleNamespace(createDataFrame=None)
    with pytest.raises(SchemaError, match=f"frame: {place}: expected .*to_json.*, found variant"):
        hudi_spark.create(session, str(tmp_path / "t"), struct, "id")
    assert list(tmp_path.iterdir()) == []
    table = hudi_spark.create(session, str(tmp_path / "t"), pa.schema([("id", pa.string())]), "id")
    frame: Any = SimpleNamespace(mapInArrow=None, isStreaming=False, schema=struct, sparkSession=session)
    writes: list[Callable[[Any], object]] = [table.upsert, table.append, table.overwrite]
    writes += [lambda rows: table.overwrite(rows, where="id = 'a'"), lambda rows: table.merge(rows, "id")]
    for write in writes:
        with pytest.raises(SchemaError, match=f"frame: {place}: .*found variant"):
            write(frame)


def test_variants_come_back_as_batches_of_the_core(spark: Any, folder: Path) -> None:
    by_spark = open_table(str(folder), engine="spark").scan()
    by_arrow = open_table(str(folder)).scan()
    assert sorted(map(json.dumps, by_spark.to_json_rows())) == sorted(map(json.dumps, by_arrow.to_json_rows()))
