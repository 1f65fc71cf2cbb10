"""What Apache Hudi's `tagLocation` says of keys: run in its environment, with its scripts on the path.

    python tag_peer.py [--indexes BLOOM,SIMPLE,...] KEYS.json TABLE...

`KEYS.json` has a list of record keys, all different, with their partition paths. Prints a JSON object for each table and index:
`table`, `index`, and in `locations`, for each key, partition path, file id and instant, or null. Keys go to the JVM one by one,
for Python cannot give it a function over records: they are a few hundred.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import oracle
from judging.table import JAVA

_STAYS = {f"hoodie.{name}.index.update.partition.path": "false" for name in ("bloom", "simple", "record")}
SETTINGS = {
    "BLOOM": {"hoodie.bloom.index.use.metadata": "true"},
    "GLOBAL_BLOOM": {"hoodie.bloom.index.use.metadata": "true", **_STAYS},
    "SIMPLE": {},
    "GLOBAL_SIMPLE": _STAYS,
    "GLOBAL_RECORD_LEVEL_INDEX": _STAYS,
}


def located(spark: Any, path: str, keys: list[tuple[str, str]], index: str) -> list[list[str] | None]:
    """The location of each key by an index of the table."""
    jvm, hudi, stated = spark._jvm, spark._jvm.org.apache.hudi, oracle.properties(path)
    partitions = stated["hoodie.table.metadata.partitions"].split(",")
    enabled = {
        "hoodie.metadata.index.column.stats.enable": "column_stats",
        "hoodie.metadata.index.bloom.filter.enable": "bloom_filters",
        "hoodie.metadata.global.record.level.index.enable": "record_index",
    }
    options = {
        "hoodie.table.name": stated["hoodie.table.name"],
        "hoodie.write.auto.upgrade": "false",
        "hoodie.write.table.version": stated["hoodie.table.version"],
        "hoodie.embed.timeline.server": "true",
        "hoodie.metadata.enable": "true",
        **{option: str(name in partitions).lower() for option, name in enabled.items()},
        "hoodie.index.type": index,
        **SETTINGS[index],
    }
    none = getattr(getattr(jvm.scala, "None$"), "MODULE$")
    client = hudi.HoodieCLIUtils.createHoodieWriteClient(
        spark._jsparkSession, path, jvm.PythonUtils.toScalaMap(options), none
    )
    try:
        config, context, model = client.getConfig(), client.getEngineContext(), hudi.common.model
        records = jvm.java.util.ArrayList()
        for key, partition in keys:
            records.add(model.HoodieAvroRecord(model.HoodieKey(key, partition), model.EmptyHoodieRecordPayload()))
        table = hudi.table.HoodieSparkTable.create(config, context)
        lookup = hudi.index.SparkHoodieIndexFactory.createIndex(config)
        tagged = lookup.tagLocation(hudi.data.HoodieJavaRDD.of(records, context, 2), context, table)
        places = {record.getRecordKey(): _place(record) for record in tagged.collectAsList()}
        lookup.close()
    finally:
        client.close()
    return [places[key] for key, _ in keys]


def _place(record: Any) -> list[str] | None:
    if not record.isCurrentLocationKnown():
        return None
    location = record.getCurrentLocation()
    return [record.getPartitionPath(), location.getFileId(), location.getInstantTime()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--indexes", type=lambda names: names.split(","), default=list(SETTINGS))
    parser.add_argument("keys", type=Path)
    parser.add_argument("tables", nargs="+")
    given = parser.parse_args()
    keys = [(key, partition) for key, partition in json.loads(given.keys.read_text("utf-8"))]
    spark = oracle.session("tagging", **{"spark.driver.extraJavaOptions": JAVA})
    try:
        for path in given.tables:
            for index in given.indexes:
                locations = located(spark, path, keys, index)
                print(json.dumps({"table": path, "index": index, "locations": locations}), flush=True)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
