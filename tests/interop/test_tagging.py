"""Keys are located where Apache Hudi's own `tagLocation` locates them, by each kind of index.

Rules INDEX-1, INDEX-9, INDEX-12, INDEX-21. Where ours differ a rule in `conformance/deviations/locations.py`
applies, and only there.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.keys.records import HoodieKey
from hudi_core.options import TableType
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.tag import TagOptions, locate
from tests.conformance.deviations import applying
from tests.conformance.deviations.locations import LOCATIONS
from tests.support.conformance import ROOT

pytestmark = pytest.mark.interop

SCRIPT = Path(__file__).with_name("tag_peer.py")
OPTIONS = {
    "BLOOM": TagOptions(IndexType.BLOOM),
    "GLOBAL_BLOOM": TagOptions(IndexType.BLOOM, whole_table=True),
    "SIMPLE": TagOptions(IndexType.SIMPLE),
    "GLOBAL_SIMPLE": TagOptions(IndexType.SIMPLE, whole_table=True),
    "GLOBAL_RECORD_LEVEL_INDEX": TagOptions(IndexType.RECORD_INDEX, whole_table=True),
}
"""The index of ours for each of Apache Hudi."""
DELETED = (5, 8)
TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])


def rows(*numbers: int) -> pa.Table:
    return pa.Table.from_pylist(
        [{"id": f"é{number:03d}", "p": "xy"[number % 2], "n": number} for number in numbers], TYPES
    )


def written(path: Path, kind: str, version: int) -> Table:
    """Several files in each partition, with overlapping ranges; some of them have an older version, or log files."""
    indexes = ["column_stats", "bloom_filters", "record_index"]
    table = create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)
    for first in range(3):
        refreshed(table).append(rows(*range(first, 90, 3)))
    refreshed(table).upsert(rows(20, 22, 23, 26))
    refreshed(table).delete(where=f"n in {DELETED}")
    return refreshed(table)


def wanted() -> list[HoodieKey]:
    """Deleted keys, and then keys in the table, in its other partition, and ones that no row has, all different."""
    deleted = [HoodieKey(f"é{number:03d}", "xy"[number % 2]) for number in DELETED]
    present = [HoodieKey(f"é{number:03d}", "x") for number in range(0, 90, 2) if number not in DELETED]
    elsewhere = [HoodieKey(f"é{number:03d}", "x") for number in range(1, 60, 4) if number not in DELETED]
    return [*deleted, *present, *elsewhere, *(HoodieKey(f"é{number:03d}~", "y") for number in range(0, 100, 9))]


def test_keys_are_where_apache_hudi_locates_them(hudi_python: str, tmp_path: Path) -> None:
    tables = {
        str(tmp_path / f"{kind}{version}"): written(tmp_path / f"{kind}{version}", kind, version)
        for kind, version in (("cow", 9), ("mor", 9), ("cow", 6))
    }
    keys = wanted()
    given = tmp_path / "keys.json"
    given.write_text(json.dumps([[key.record_key, key.partition_path] for key in keys]), "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "oracle"), "PYTHONDONTWRITEBYTECODE": "1"}
    run = [hudi_python, "-P", str(SCRIPT), str(given), *tables]
    ended = subprocess.run(run, capture_output=True, text=True, check=False, timeout=600, env=environment)
    answers = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    assert len(answers) == len(tables) * len(OPTIONS), ended.stderr[-4000:]
    for answer in answers:
        locations = locate(open_table(answer["table"]), keys, OPTIONS[answer["index"]])
        places = [place and [place.partition_path, place.file_id, place.instant] for place in locations]
        assert not any(places[: len(DELETED)])
        assert 0 < sum(place is not None for place in places) < len(keys)
        theirs = answer["locations"]
        if answer["index"] == "GLOBAL_RECORD_LEVEL_INDEX":  # its instant is that of the key's first row
            places, theirs = ([place and place[:2] for place in listed] for listed in (places, theirs))
        table_type = open_table(answer["table"]).config.type
        for number, (ours, answered) in enumerate(zip(places, theirs, strict=True)):
            question = {
                "type": "mor" if table_type is TableType.MERGE_ON_READ else "cow",
                "index": answer["index"],
                "deleted": number < len(DELETED),
            }
            rules = applying(LOCATIONS, "locations", question)
            where = answer["table"], question, keys[number]
            assert [ours] == ([rule.expected(question) for rule in rules] or [answered]), where
            assert (ours != answered) == bool(rules), where
