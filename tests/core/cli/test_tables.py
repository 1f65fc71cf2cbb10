"""`inspect`, `timeline` and `files`, in both forms."""

from __future__ import annotations

import json
from contextlib import chdir
from itertools import chain
from pathlib import Path

import pytest

from hudi_core.cli import tables
from hudi_core.cli.overview import COMMANDS
from tests.support.commands import ran, rides, rides_in


def test_inspect_shows_the_table() -> None:
    (answer,) = ran("inspect", rides(), "--json").lines
    assert answer["table_name"] == "rides"
    assert (answer["table_type"], answer["table_version"], answer["timeline_layout_version"]) == ("COPY_ON_WRITE", 9, 2)
    assert (answer["record_key_fields"], answer["partition_fields"]) == (["ride_id"], ["city"])
    assert answer["metadata_partitions"] == ["bloom_filters", "column_stats", "files", "partition_stats"]
    assert (answer["file_slices"], answer["base_files"], answer["log_files"], answer["partitions"]) == (287, 287, 0, 6)
    assert answer["bytes"] == sum(file.stat().st_size for file in rides().glob("city=*/*.parquet"))
    assert answer["warnings"] == []


def test_inspect_for_people_has_a_line_for_each_fact() -> None:
    shown = ran("inspect", rides()).out.splitlines()
    assert "file slices              287" in shown
    assert "hive style partitioning  yes" in shown
    assert [line for line in shown if line.startswith("bytes")] == ["bytes                    3,462,442 (3.3 MiB)"]


def test_timeline_has_an_object_an_instant_in_order() -> None:
    answer = ran("timeline", rides(), "--json").lines
    assert [list(instant) for instant in answer] == [
        ["requested_time", "completion_time", "action", "state", "operation"]
    ] * 10
    assert answer == sorted(answer, key=lambda instant: instant["requested_time"])
    assert {(instant["action"], instant["state"]) for instant in answer} == {("commit", "completed")}
    assert [instant["operation"] for instant in answer].count("ALTER_SCHEMA") == 3


def test_timeline_for_people_is_an_aligned_table() -> None:
    head, first, *_, last = ran("timeline", rides()).out.splitlines()
    assert head == "requested time     completion time    action  state      operation"
    assert first == "20261121124621743  20261121124655896  commit  completed  BULK_INSERT"
    assert last == "10 instants"


def test_the_latest_instants_and_those_that_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-674."""
    root = rides_in(tmp_path)
    assert len(ran("timeline", root, "-n", "3", "--json").lines) == 3
    assert ran("timeline", root, "--limit", "3").out.splitlines()[-1] == "the last 3 of 10 instants"
    folder = root / ".hoodie/timeline"
    steps = iter(["20270101000000000.commit.requested", "20270101000000000.inflight", ""])

    def wait(_: float) -> None:
        name = next(steps)
        if not name:
            raise KeyboardInterrupt
        (folder / name).write_bytes(b"")

    monkeypatch.setattr(tables, "sleep", wait)
    followed = ran("timeline", root, "-n", "1", "--follow", "--every", "1s", "--json")
    assert [(line["requested_time"], line["state"]) for line in followed.lines[1:]] == [
        ("20270101000000000", "requested"),
        ("20270101000000000", "inflight"),
    ]
    assert (followed.status, followed.err) == (130, "interrupted\n")
    assert ran("timeline", root, "--follow", "--every", "soon").status == 2


def test_timeline_shows_archived_instants_on_request(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    root = rides_in(tmp_path)
    name = "20260101000000000_20260101000000000_0.parquet"
    history = root / ".hoodie" / "timeline" / "history"
    history.mkdir(exist_ok=True)
    row = {"instantTime": name[:17], "completionTime": "20260101000001000", "action": "commit", "metadata": b""}
    pq.write_table(pa.Table.from_pylist([row]), history / name)
    (history / "manifest_1").write_text(json.dumps({"files": [{"fileName": name, "fileLen": 1}]}))
    answer = ran("timeline", root, "--archived", "--json").lines
    assert [instant["archived"] for instant in answer] == [True] + [False] * 10
    assert answer[0]["requested_time"] == name[:17]
    assert "archived" not in ran("timeline", root).out
    assert len(ran("timeline", root, "--json").lines) == 10


def test_archived_instants_need_an_engine_that_reads_parquet() -> None:
    assert "an engine that reads Parquet" in ran("timeline", rides(), "--archived", "--engine", "plain").error


def test_inspect_shows_pending_actions(tmp_path: Path) -> None:
    root = rides_in(tmp_path)
    (root / ".hoodie" / "timeline" / "20270101000000000.compaction.requested").touch()
    (answer,) = ran("inspect", root, "--json").lines
    assert answer["pending"] == [
        {"requested_time": "20270101000000000", "action": "compaction", "state": "requested", "file_groups": 0}
    ]
    assert "pending                  compaction 20270101000000000 requested" in ran("inspect", root).out


def test_files_are_those_that_a_predicate_leaves() -> None:
    kept = ran("files", rides(), "--where", "fare BETWEEN 90 AND 95", "--json").lines
    every = ran("files", rides(), "--where", "fare BETWEEN 90 AND 95", "--all", "--json").lines
    assert (len(kept), len(every)) == (12, 287)
    assert [item for item in every if item["verdict"] != "skip"] == kept
    assert list(kept[0]) == ["partition", "file_id", "base_file", "log_files", "verdict", "by"]
    for item in kept:
        assert (rides() / item["partition"] / item["base_file"]).is_file()
        assert item["base_file"].startswith(item["file_id"])
        assert (item["verdict"], item["log_files"], item["by"]) == ("read", [], None)
    reasons = {item["by"] for item in every if item["verdict"] == "skip"}
    assert reasons == {"column_stats: fare BETWEEN 90 AND 95"}


def test_files_in_which_every_row_matches_are_reported() -> None:
    answer = ran("files", rides(), "--where", "city = 'oslo'", "--json").lines
    assert {(item["partition"], item["verdict"]) for item in answer} == {("city=oslo", "all_match")}
    assert all(item["by"].endswith("every row matches") for item in answer)


def test_files_without_a_predicate_are_all_to_read() -> None:
    answer = ran("files", rides(), "--json").lines
    assert len(answer) == 287
    assert {item["verdict"] for item in answer} == {"read"}


def test_files_at_an_earlier_instant_are_fewer() -> None:
    first = ran("timeline", rides(), "--json").lines[0]["requested_time"]
    answer = ran("files", rides(), "--as-of", first, "--json").lines
    assert {item["base_file"].rpartition("_")[2] for item in answer} == {f"{first}.parquet"}


def test_files_are_the_same_with_and_without_the_metadata_table() -> None:
    requested = ("files", rides(), "--where", "distance_km > 45", "--json")
    with_it, without = (ran(*requested, "--metadata", mode).lines for mode in ("require", "off"))
    ids = [{item["file_id"] for item in answer} for answer in (with_it, without)]
    assert ids[0] == ids[1]


def test_files_for_people_leave_empty_columns_out() -> None:
    shown = ran("files", rides(), "--where", "fare BETWEEN 90 AND 95").out.splitlines()
    assert shown[0].split() == ["verdict", "partition", "file", "id", "instant", "size"]
    assert len({line.find("city=") for line in shown[1:13]}) == 1
    assert shown[-1] == "12 of 287 file slices to read"


def test_names_of_columns_are_found_in_any_case_unless_case_sensitive() -> None:
    assert len(ran("files", rides(), "--where", "FARE > 110", "--json").lines) > 0
    strict = ran("files", rides(), "--where", "FARE > 110", "--case-sensitive")
    assert strict.status == 2
    assert "no column FARE; did you mean fare?" in strict.err


def test_every_command_explains_itself() -> None:
    assert "explain" in ran("--help").out
    for command in chain.from_iterable(COMMANDS.values()):
        shown = ran(command, "-h")
        assert (shown.status, shown.err) == (0, "")
        assert "--json" in shown.out


def test_inspect_of_a_table_without_commits_shows_its_properties(tmp_path: Path) -> None:
    folder = tmp_path / "new" / ".hoodie"
    (folder / "timeline").mkdir(parents=True)
    (folder / "hoodie.properties").write_text(
        "hoodie.table.name=new\nhoodie.table.type=MERGE_ON_READ\nhoodie.table.version=9\nhoodie.table.recordkey.fields=id\n"
    )
    done = ran("inspect", folder.parent, "--json")
    (known,) = done.lines
    assert done.status == 0
    assert (known["table_name"], known["record_key_fields"], known["table_type"]) == ("new", ["id"], "MERGE_ON_READ")
    assert (known["commits"], known["latest_instant"], known["file_slices"], known["columns"]) == (0, None, 0, None)
    assert known["warnings"] == [
        f"no schema: {folder.parent}: expected a schema in a commit, a base file or the properties, found none"
    ]
    assert "beware: no schema" in ran("inspect", folder.parent).out


@pytest.mark.parametrize("engine", ["arrow", "plain"])
@pytest.mark.parametrize("typed", ["rides", "./rides/", "file://"])
def test_a_place_has_one_form(engine: str, typed: str) -> None:
    """CLI-983."""
    with chdir(rides().parent):
        (answer,) = ran(
            "inspect", typed if typed != "file://" else rides().as_uri(), "--engine", engine, "--json"
        ).lines
    assert answer["uri"] == ("rides" if typed != "file://" else str(rides()))
