"""Writers that die at each call of the storage: Apache Hudi reads the table before or after their write, and heals it.

WRITE-30.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hudi_core.commit import markers
from hudi_core.data_files.log_file import OWN_TIME_SINCE
from hudi_core.front.opening import create_table, open_table
from hudi_core.writing.operations import write
from tests.support.crash_operations import BEFORE, OPERATIONS, Rows
from tests.support.crashes import crashes
from tests.support.written_tables import TYPES, read, rows

pytestmark = pytest.mark.interop

INDEXES = {6: ("column_stats", "record_index"), 8: ("column_stats",), 9: ("column_stats", "record_index")}
IN_EACH_RUN = [("cow", 9, "upsert"), ("mor", 9, "upsert"), ("mor", 6, "upsert"), ("cow", 8, "insert_overwrite")]
BROADER = [
    (kind, version, op) for kind, version in (("cow", 9), ("mor", 9), ("cow", 8), ("mor", 6)) for op in OPERATIONS
]


def read_by_hudi(judge: Any, path: Path, **options: bool) -> Rows:
    answers = path.parent / "rows.jsonl"
    answer = judge.ask("rows", path, out=str(answers), options=options)
    assert answer["ok"], judge.explain(answer)
    listed = map(json.loads, answers.read_text("utf-8").splitlines())
    return sorted((row["id"], row["p"], row["n"]) for row in listed)


@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 9), ("mor", 6)])
def test_apache_hudi_rolls_back_what_one_file_of_markers_names(
    judge: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, version: int
) -> None:
    """COMMIT-961."""
    monkeypatch.setattr(markers, "MOST_FILES", 0)
    made = create_table(tmp_path / "made", TYPES, "id", partition_by="p", type=kind, version=version)
    write(made, rows(*BEFORE))
    left = [
        path
        for _, path in crashes(tmp_path / "made", OPERATIONS["upsert"][0])
        if list(path.glob(".hoodie/.temp/*/MARKERS.type")) and read(path) == BEFORE
    ]
    last = left[-1]
    listed = {line for file in last.glob(".hoodie/.temp/*/MARKERS0") for line in file.read_text("utf-8").splitlines()}
    begun = {line.partition(".marker.")[0] for line in listed}
    assert any((last / path).exists() for path in begun)
    went_on = judge.ask("continue", last, ops=["upsert"], rows=4)
    assert went_on["ok"], judge.explain(went_on)
    if version >= OWN_TIME_SINCE:  # before, a block at the end of a log file takes back what was appended to it
        assert not any((last / path).exists() for path in begun)
    assert [finding for finding in open_table(last).validate() if finding.severity == "error"] == []
    assert read_by_hudi(judge, last) == read(last)


@pytest.mark.parametrize(
    ("kind", "version", "op"),
    [*IN_EACH_RUN, *(pytest.param(*case, marks=pytest.mark.soak) for case in BROADER if case not in IN_EACH_RUN)],
)
def test_apache_hudi_reads_what_a_dead_writer_left_and_goes_on(
    judge: Any, tmp_path: Path, kind: str, version: int, op: str
) -> None:
    made = create_table(
        tmp_path / "made", TYPES, "id", partition_by="p", type=kind, version=version, indexes=INDEXES[version]
    )
    write(made, rows(*BEFORE))
    change, then = OPERATIONS[op]
    left: dict[bool, Path] = {}
    for at, path in crashes(tmp_path / "made", change):
        result = read_by_hudi(judge, path)
        assert result in (BEFORE, sorted(then)), at
        assert read_by_hudi(judge, path, metadata=True) == result, at
        assert read(path) == result, at
        left[result == BEFORE] = path
    assert set(left) == {False, True}
    for path in left.values():  # the last state before the commit, and the last one after it
        went_on = judge.ask("continue", path, ops=["upsert"], rows=4)
        assert went_on["ok"], judge.explain(went_on)
        assert [finding for finding in open_table(path).validate() if finding.severity == "error"] == []
        assert read_by_hudi(judge, path) == read(path)
