"""Properties that a caller gives to a service: one convention for all of them, in Python and on the command line. UPKEEP-1241.

Also covers: `cli/stated.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import CleanOptions, ClusterOptions, CompactionOptions, FileSizes, Table, UsageError
from hudi_core.commit.times import system_clock
from hudi_core.service_properties import FLAGS, NUMBERS, OLDER
from hudi_core.services.cleaning.options import CleanPolicy, clean_settings
from hudi_core.services.upkeep.services import Request
from tests.support.commands import ran

SERVICES = ("clean", "archive", "compact", "cluster", "run_services")
COMMANDS = {
    "clean": "clean",
    "archive": "archive",
    "compact": "compact",
    "cluster": "cluster",
    "run_services": "service",
}
SORT = "hoodie.clustering.plan.strategy.sort.columns"
SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int64())])


def _table(root: Path, options: Mapping[str, Any] | None = None) -> Table:
    """A merge-on-read table with one log file in each of two slices."""
    table = hudi_core.create(root, SCHEMA, key="id", type="mor", options=options)
    for number in range(2):
        rows = pa.table({"id": [f"{number}-{row}" for row in range(3)], "n": [5, number, 9]}, schema=SCHEMA)
        table.refresh().insert(rows, sizes=FileSizes(small=0))
        table.refresh().update({"n": hudi_core.col("n") + 1}, where=f"id = '{number}-0'")
    return table.refresh()


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return _table(tmp_path_factory.mktemp("given") / "t")


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"hoodie.clean.comits.retained": "1"}, "hoodie.clean.commits.retained"),
        ({"hoodie.clean.commits.retained": "many"}, "a whole number"),
        ({"hoodie.clean.commits.retained": None}, "a text, a number, true or false"),
        ({"hoodie.clean.async": "true"}, "a property that some service of this library reads"),
        ({"codec": "zstd"}, "a property that some service of this library reads"),
        ({1: "1"}, "names of properties"),
        (["hoodie.clean.commits.retained=1"], "a mapping"),
    ],
)
def test_what_no_service_reads_is_refused_before_anything_is_done(
    untouched: Table, service: str, properties: Any, message: str
) -> None:
    """UPKEEP-1241."""
    root = Path(untouched.storage.uri)
    before = sorted(path.name for path in root.rglob("*"))
    with pytest.raises(UsageError, match=message):
        getattr(untouched, service)(properties=properties)
    assert sorted(path.name for path in root.rglob("*")) == before


@pytest.mark.parametrize("service", SERVICES)
def test_every_command_of_a_service_takes_options(tmp_path: Path, service: str) -> None:
    """UPKEEP-1241."""
    _table(tmp_path / "t")
    fine = ran(COMMANDS[service], tmp_path / "t", "--option", "hoodie.clean.commits.retained=7", "--json")
    assert fine.status == 0, fine.err
    wrong = ran(COMMANDS[service], tmp_path / "t", "--option", "hoodie.clean.comits.retained=7")
    assert wrong.status == 2
    assert "--option: expected one of hoodie.clean.commits.retained" in wrong.err


def test_numbers_and_truth_values_are_properties_too(tmp_path: Path) -> None:
    """UPKEEP-1241: of services and of the writes that run them."""
    table = _table(tmp_path / "t")
    assert table.compact(properties={"hoodie.compaction.logfile.size.threshold": 1 << 30}).state == "nothing to compact"
    done = table.upsert(
        pa.table({"id": ["x"], "n": [1]}, schema=SCHEMA),
        properties={"hoodie.compact.inline": True, "hoodie.compact.inline.max.delta.commits": 1},
    )
    assert done.inserted == 1
    assert any(table.refresh().timeline.operation(one) == "COMPACT" for one in table.refresh().timeline.commits)


def test_names_count_before_properties_and_these_before_the_tables(tmp_path: Path) -> None:
    """UPKEEP-1241."""
    table = _table(tmp_path / "t", {"hoodie.compaction.logfile.size.threshold": 1 << 30, SORT: "n"})
    assert table.compact(dry_run=True).slices == 0
    assert table.compact(dry_run=True, target_io=9_000).slices == 0
    assert table.compact(dry_run=True, properties={"hoodie.compaction.logfile.size.threshold": "0"}).slices == 2
    assert table.compact(dry_run=True, min_log_bytes=0).slices == 2
    assert table.cluster(properties={SORT: "id"}).columns == ("id",)
    assert table.refresh().cluster().columns == ("n",)
    assert table.refresh().cluster(columns="id").columns == ("id",)


def test_the_command_line_reads_what_python_reads(tmp_path: Path) -> None:
    """UPKEEP-1241."""
    _table(tmp_path / "t", {"hoodie.compaction.logfile.size.threshold": 1 << 30, SORT: "n"})
    command = ("compact", tmp_path / "t", "--dry-run", "--json")
    assert json.loads(ran(*command).out)["slices"] == 0
    assert json.loads(ran(*command, "--min-log-bytes", "0").out)["slices"] == 2
    option = ("--option", "hoodie.compaction.logfile.size.threshold=0")
    assert json.loads(ran(*command, *option).out)["slices"] == 2
    clustered = json.loads(ran("cluster", tmp_path / "t", "--option", f"{SORT}=id", "--json").out)
    assert clustered["columns"] == ["id"]
    assert json.loads(ran("cluster", tmp_path / "t", "--json").out)["columns"] == ["n"]


def test_an_object_of_options_counts_as_a_whole(tmp_path: Path) -> None:
    """UPKEEP-1241."""
    table = _table(tmp_path / "t", {"hoodie.compaction.logfile.size.threshold": 1 << 30, SORT: "n"})
    assert table.compact(CompactionOptions(dry_run=True)).slices == 2
    assert table.cluster(ClusterOptions()).columns == ()
    for service, options in (("compact", CompactionOptions()), ("cluster", ClusterOptions())):
        with pytest.raises(UsageError, match="no properties beside `options`"):
            getattr(table, service)(options, properties={})


def test_a_property_that_is_given_counts_before_the_tables_under_whatever_name(tmp_path: Path) -> None:
    """UPKEEP-1413: the table states the newer name, the caller the older one."""
    stated = {"hoodie.clean.commits.retained": "7", "hoodie.clean.policy": "KEEP_LATEST_COMMITS"}
    table = hudi_core.create(tmp_path / "t", hudi_core.schema_of("id string, n int"), "id", options=stated)
    given = CleanOptions(properties={"hoodie.cleaner.commits.retained": "2"})
    assert clean_settings(table.config, given).retained == 2
    given = CleanOptions(properties={"hoodie.cleaner.policy": "KEEP_LATEST_FILE_VERSIONS"})
    assert clean_settings(table.config, given).policy is CleanPolicy.VERSIONS
    request = Request({"hoodie.cleaner.commits.retained": "2"}, system_clock)
    assert (
        request.read_stated(table).number("hoodie.clean.commits.retained", "hoodie.cleaner.commits.retained", default=0)
        == 2
    )


@pytest.mark.parametrize(("name", "older"), OLDER.items())
def test_two_values_under_both_names_of_a_property_are_refused(tmp_path: Path, name: str, older: str) -> None:
    """UPKEEP-1413."""
    schema = hudi_core.schema_of("id string, n int")
    values = ("true", "false") if name in FLAGS else ("1", "2") if name in NUMBERS else ("a", "b")
    both = dict(zip((name, older), values, strict=True))
    table = hudi_core.create(tmp_path / "t", schema, "id")
    for use in (
        lambda: table.clean(properties=both),
        lambda: table.run_services(properties=both),
        lambda: hudi_core.create(tmp_path / "u", schema, "id", options=both),
    ):
        with pytest.raises(
            UsageError, match=f"expected one value of {name}, whose older name is {older}, found several"
        ):
            use()
    assert not (tmp_path / "u").exists()


def test_hours_beyond_any_write_keep_every_state(tmp_path: Path) -> None:
    """CLEAN-380."""
    table = hudi_core.create(tmp_path / "t", hudi_core.schema_of("id string, n int"), "id")
    for number in range(3):
        table.refresh().upsert([{"id": "a", "n": number}])
    assert table.refresh().clean(keep_hours=1 << 70).state == "nothing to clean"
