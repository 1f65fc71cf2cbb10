"""Names of the properties of services, and tables that state them. CREATE-570.

Also covers: `services/upkeep/usable.py`.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import UsageError
from hudi_core.creating.creation_options import options_of_writes
from hudi_core.service_properties import READ, is_of_service

STATED = {
    "hoodie.clean.automatic": True,
    "hoodie.clean.commits.retained": 3,
    "hoodie.keep.min.commits": 5,
    "hoodie.keep.max.commits": 8,
    "hoodie.archive.automatic": "true",
    "hoodie.compact.inline.max.delta.commits": 2,
    "hoodie.compaction.strategy": "org.apache.hudi.table.action.compact.strategy.UnBoundedCompactionStrategy",
    "hoodie.log.compaction.enable": "false",
    "hoodie.clustering.inline": "false",
    "hoodie.clustering.plan.strategy.sort.columns": "n",
    "hoodie.layout.optimize.strategy": "linear",
    "hoodie.table.services.enabled": "true",
    "hoodie.timeline.manifest.retained.versions": "2",
}
SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int64())])


@pytest.mark.each_value
@pytest.mark.parametrize("version", [6, 8, 9])
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_new_table_keeps_what_it_states_for_services(tmp_path: Path, kind: str, version: int) -> None:
    """CREATE-570: without a warning, and as Java writes truth values and numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stated = {**STATED, "hoodie.compact.inline": kind == "mor"}
        table = hudi_core.create(tmp_path / "t", SCHEMA, "id", type=kind, version=version, options=stated)
    kept = hudi_core.open(tmp_path / "t").config.properties
    assert {name: kept[name] for name in stated} == {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in stated.items()
    }
    for number in range(4):
        table.refresh().upsert(pa.table({"id": ["a", "b"], "n": [number, number]}))
    operations = [table.timeline.operation(one) for one in table.refresh().timeline.commits]
    assert operations.count("COMPACT") == (2 if kind == "mor" else 0)
    assert list(table.refresh().validate()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hoodie.clean.comits.retained": "3"}, "hoodie.clean.commits.retained"),
        ({"hoodie.clean.commits.retained": "three"}, "a whole number"),
        ({"hoodie.clean.commits.retained": "0"}, "a whole number from 1 on"),
        ({"hoodie.clean.automatic": "yes"}, "true or false"),
        ({"hoodie.clean.policy": "KEEP_ALL"}, "KEEP_LATEST_COMMITS"),
        ({"hoodie.keep.min.commits": "9", "hoodie.keep.max.commits": "9"}, "more than hoodie.keep.min.commits"),
        ({"hoodie.compaction.strategy": "largest"}, "UnBounded"),
        ({"hoodie.compaction.strategy": "UnBounded"}, "full names of Apache Hudi's classes"),
        ({"hoodie.clean.policy": "keep_latest_commits"}, "KEEP_LATEST_COMMITS"),
        ({"hoodie.compact.inline.trigger.strategy": "SOMETIMES"}, "NUM_COMMITS"),
        ({"hoodie.layout.optimize.strategy": "spiral"}, "linear"),
        ({"hoodie.compact.inline": "true"}, "no inline compaction in a copy-on-write table"),
        ({"hoodie.clustering.nonsense": "1"}, "hoodie.clustering.inline"),
    ],
)
def test_what_no_service_could_go_by_makes_no_table(tmp_path: Path, options: dict[str, str], message: str) -> None:
    """CREATE-570."""
    with pytest.raises(UsageError, match=re.escape(message)):
        hudi_core.create(tmp_path / "t", SCHEMA, "id", options=options)
    assert not (tmp_path / "t" / ".hoodie").exists()


def test_what_only_apache_hudi_reads_is_kept_with_a_warning(tmp_path: Path) -> None:
    """CREATE-570."""
    option = "hoodie.clean.parallelism"
    with pytest.warns(UserWarning, match=f"{option} is kept for writers of Apache Hudi") as noticed:
        table = hudi_core.create(tmp_path / "t", SCHEMA, "id", options={option: "7"})
    assert len(noticed) == 1
    assert table.config.properties[option] == "7"


def test_every_property_that_a_service_reads_is_known() -> None:
    """CREATE-570: no service reads a name that a new table could not state."""
    folder = Path(hudi_core.__file__).parent / "services"
    text = "".join(path.read_text() for path in folder.rglob("*.py"))
    names = set(re.findall(r'"(hoodie\.[a-z.]+[a-z])"', text))
    others = {"hoodie.parquet.max.file.size", "hoodie.clustering.plan.strategy", "hoodie.compaction.plan.generator"}
    assert names - others <= READ
    assert all(map(is_of_service, names - others))
    assert options_of_writes(["hoodie.parquet.max.file.size"]) == ["hoodie.parquet.max.file.size"]
