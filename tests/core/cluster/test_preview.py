"""What a clustering is said to gain, beside what it gains.

Also covers: `cluster/planner.py`, `cluster/predictions.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import hudi_core
from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cluster, plan_only, run_requested
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.predictions import MAX_NOTED, PREDICTIONS, Gain, decode_gains, encode_gains, predictions
from hudi_core.cluster.preview import preview
from hudi_core.expr.queries import Query
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes

TYPES = pa.schema([("id", pa.int64()), ("at", pa.int64()), ("user", pa.string()), ("amount", pa.float64())])
ROWS = 24_000
FILES = 64


def made(path: Path, count: int = ROWS) -> Table:
    """Two files of rows in no order."""
    chance = np.random.default_rng(8)
    table = create_table(path, TYPES, "id", indexes=["column_stats"])
    data = {
        "id": chance.permutation(count),
        "at": chance.integers(0, 90 * 86_400, count),
        "user": [f"user {number:05}" for number in chance.integers(0, 3_000, count).tolist()],
        "amount": chance.lognormal(3, 1, count),
    }
    for part in range(2):
        write(table, pa.table({name: values[part::2] for name, values in data.items()}, schema=TYPES), "append")
    return refreshed(table)


@pytest.mark.parametrize("strategy", [Strategy.LINEAR, Strategy.HILBERT])
def test_the_prediction_is_close_to_the_truth(tmp_path: Path, strategy: Strategy) -> None:
    """CLUSTER-50, CLUSTER-51: 64 files, three columns, points and ranges; files and slices kept within 15 %."""
    table = made(tmp_path)
    size = sum(file.size for file_slice in table.slices() for file in file_slice.files)
    options = ClusterOptions(strategy, ("at", "user", "amount"), FileSizes(-(-size // FILES), 1))
    some = table.scan("id < 4", ["at", "user", "amount"]).to_json_rows()
    points = [f"{name} = {value!r}" for row in some for name, value in row.items()]
    ranges = ["at BETWEEN 86400 AND 172800", "amount > 80", "user LIKE 'user 001%' OR amount < 3"]
    predicted = preview(table, options, [*points, *ranges])
    assert [gain.kept_before for gain in predicted.gains] == [2] * 15
    assert [instant.requested_time for instant in refreshed(table).timeline.instants] == [
        instant.requested_time for instant in table.timeline.instants
    ]
    result = cluster(table, options)
    after = open_table(tmp_path)
    truth = [len(after.scan(gain.where).plan.kept()) for gain in predicted.gains]
    guess = [gain.kept_after for gain in predicted.gains]
    assert result.files_out == predicted.files_out == len(list(after.slices())) >= FILES
    assert np.abs(np.array(guess) - truth).sum() <= 0.15 * sum(truth)
    by_column = {name: truth[number:12:3] for number, name in enumerate(("at", "user", "amount"))}
    if strategy is Strategy.LINEAR:
        assert np.mean(by_column["at"]) <= 1.1
    else:
        assert max(np.mean(kept) for kept in by_column.values()) <= 24


def test_slices_outside_of_the_plan_count_too(tmp_path: Path) -> None:
    """CLUSTER-50."""
    table = made(tmp_path)
    joined = preview(table, ClusterOptions(), ["id >= 0", hudi_core.col("id") < 0])
    assert [(gain.kept_before, gain.kept_after) for gain in joined.gains] == [(2, 1), (0, 0)]
    constant = preview(table, ClusterOptions(), ["1 = 1", "1 = 2"])
    assert [gain.kept_after for gain in constant.gains] == [1, 0]
    assert joined.gains[1].where == "id < 0"
    nothing = preview(table, ClusterOptions(sizes=FileSizes(1 << 30, 1)), ["id >= 0"])
    assert (nothing.groups, nothing.gains[0].kept_after, nothing.gains[0].slices_after) == (0, 2, 2)


def test_a_clustering_notes_its_predictions_and_they_stand_beside_the_truth(tmp_path: Path) -> None:
    """CLUSTER-52, CLUSTER-53: planned, run later, and a write after it."""
    table = made(tmp_path, 8_000)
    size = sum(file.size for file_slice in table.slices() for file in file_slice.files)
    queries = (Query("at  BETWEEN 86400 AND 172800", 3), hudi_core.col("amount") > 80)
    options = ClusterOptions(Strategy.ZORDER, ("at", "amount"), FileSizes(-(-size // 16), 1), queries=queries)
    gains = preview(table, options, queries).gains
    assert [gain.weight for gain in gains] == [3, 1]
    waiting = plan_only(table, options)
    assert waiting.instant is not None
    assert predictions(refreshed(table).timeline, ["amount > 80"]) == [None]
    run_requested(table, waiting.instant, ClusterOptions())
    after = open_table(tmp_path)
    known = predictions(after.timeline, ["at BETWEEN 86400 AND 172800", "amount>80", "amount > 81"])
    for gain, prediction in zip(gains, known[:2], strict=True):
        assert prediction is not None
        assert (prediction.instant, prediction.commits_since) == (waiting.instant, 0)
        scan = after.scan(gain.where)
        beside = prediction.beside(len(scan.plan.kept()), len(scan.plan.slices))
        assert beside["kept_before"] == gain.kept_before
        assert abs(beside["kept_predicted"] - beside["kept"]) <= 0.15 * beside["kept"]
        assert beside["slices_predicted"] == beside["slices"]
    assert known[2] is None
    more = preview(after, ClusterOptions(columns=("user",)), ["amount > 80", "user = 'x'"]).as_dict()
    assert [gain["predicted_before"] for gain in more["gains"]] == [gains[1].kept_after, None]
    write(after, pa.table({name: [7] if name != "user" else ["u"] for name in TYPES.names}, schema=TYPES))
    (later,) = predictions(refreshed(after).timeline, ["amount > 80"])
    assert later is not None
    assert later.commits_since == 1


def test_frequent_queries_are_noted_and_other_notes_are_passed_over() -> None:
    """CLUSTER-52."""
    gains = [Gain(f"a = {number}", 9, 9, 1, 9, number) for number in range(2 * MAX_NOTED)]
    noted = decode_gains(encode_gains(gains))
    assert noted == tuple(reversed(gains[-MAX_NOTED:]))
    for other in ("", "nothing of ours", "{}", '[{"where": 1}]'):
        assert decode_gains(other) == ()
    assert PREDICTIONS.startswith("hudi_core.")
