"""Advice is what then happens: predicted slices beside those that plans keep once the index is built. ADVICE-1 to ADVICE-9.

Also covers: `advice/costs.py`, `advice/proposals.py`, `advice/sample.py`, `cli/advice.py`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hudi_core.advice.advise import MAX_QUERIES, advise
from hudi_core.advice.proposals import FOOTER_BYTES, Advice, Measure, Proposal, Touched
from hudi_core.advice.sample import draw_sample, slice_sizes, spread
from hudi_core.cli.advice import show_advice
from hudi_core.cli.output import Output
from hudi_core.cluster.forecast import MAX_ERROR
from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.preview import preview
from hudi_core.errors import ExpressionError, UsageError
from hudi_core.expr.queries import Query
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_metadata_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from tests.support.commands import rides_in
from tests.support.faulty_tables import copied

FILES, ROWS = 10, 40
SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int64()), ("m", pa.int64())])
QUERIES = ["n BETWEEN 85 AND 125", "m = 200", "id = 'k042'"]


def written(folder: Path, numbers: Sequence[int]) -> Path:
    """A table of a file for each so many numbers: n as they come, m in no order."""
    table = create_table(folder, SCHEMA, "id")
    scattered = random.Random(1).sample(range(FILES * ROWS), FILES * ROWS)
    for start in range(0, FILES * ROWS, ROWS):
        part = list(numbers[start : start + ROWS])
        columns = {"id": [f"k{number:03}" for number in part], "n": part, "m": scattered[start : start + ROWS]}
        write(table, pa.table(columns, SCHEMA), "append")
        table = refreshed(table)
    return folder


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """n ascends from file to file."""
    return written(tmp_path_factory.mktemp("ordered") / "t", range(FILES * ROWS))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each file has numbers from everywhere."""
    numbers = random.Random(2).sample(range(FILES * ROWS), FILES * ROWS)
    return written(tmp_path_factory.mktemp("mixed") / "t", numbers)


def kept(table: Table, queries: Sequence[str] = QUERIES) -> list[int]:
    return [len(table.scan(query).plan.kept()) for query in queries]


def proposal(advice: Advice, measure: Measure, *columns: str) -> Proposal:
    (chosen,) = [item for item in advice.proposals if (item.measure, item.columns) == (measure, columns)]
    return chosen


def test_advice_states_the_costs_of_the_table_as_it_is(ordered: Path) -> None:
    advice = advise(open_table(ordered), QUERIES)
    table = open_table(ordered)
    assert [query.kept for query in advice.touched] == kept(table) == [2, 10, 1]
    assert [query.opened for query in advice.touched] == [FILES] * 3
    assert (advice.slices, advice.sampled) == (FILES, FILES)
    assert advice.slice_bytes == pytest.approx(sum(item.base.size for item in table.slices() if item.base) / FILES)


def test_column_stats_keep_the_predicted_slices(ordered: Path, tmp_path: Path) -> None:
    table = copied(ordered, tmp_path / "t")
    best = advise(table, QUERIES, {Measure.COLUMN_STATS}).proposals[0]
    assert (best.measure, best.columns) == (Measure.COLUMN_STATS, ("n", "m", "id"))
    built = build_metadata_table(table, ["column_stats"])
    assert [query.kept for query in best.touched] == kept(built)
    after = advise(built, QUERIES)
    assert [query.opened for query in after.touched[:2]] == [query.opened for query in best.touched[:2]] == [0, 0]
    assert Measure.COLUMN_STATS not in {item.measure for item in after.proposals}


def test_one_column_helps_the_queries_of_that_column_alone(ordered: Path) -> None:
    one = proposal(advise(open_table(ordered), QUERIES), Measure.COLUMN_STATS, "n")
    assert [query.opened for query in one.touched] == [0, FILES, FILES]


def test_a_record_index_keeps_the_predicted_slices_and_has_the_predicted_size(mixed: Path, tmp_path: Path) -> None:
    table = copied(mixed, tmp_path / "t")
    predicted = proposal(advise(table, QUERIES), Measure.RECORD_INDEX, "id")
    built = build_metadata_table(table, ["record_index"])
    assert predicted.touched[2].kept == kept(built)[2] == 1
    assert predicted.touched[2].opened == 0
    files = (tmp_path / "t/.hoodie/metadata/record_index").glob("*.hfile")
    raw = FILES * ROWS * 60
    assert raw / 2 < predicted.size < raw * 2
    assert sum(file.stat().st_size for file in files) > 0
    assert predicted.seconds > 0


def test_bloom_filters_are_proposed_where_footers_have_them(mixed: Path) -> None:
    predicted = proposal(advise(open_table(mixed), QUERIES), Measure.BLOOM_FILTERS, "id")
    assert predicted.touched[2] == Touched(0, 1, predicted.touched[2].size, 1)
    assert predicted.touched[0].kept == FILES


def test_clustering_keeps_and_reads_what_was_predicted(mixed: Path, tmp_path: Path) -> None:
    """ADVICE-4: by what `cluster` with these columns then makes of the table."""
    table = copied(mixed, tmp_path / "t")
    predicted = proposal(advise(table, QUERIES[:1]), Measure.CLUSTERING, "n")
    cluster(table, ClusterOptions(columns=("n",)))
    (touched,), plan = predicted.touched, refreshed(table).scan(QUERIES[0]).plan
    assert touched.kept == len(plan.kept()) == 1
    assert touched.files == len(plan.kept()[0].files) == 1
    assert touched.size == pytest.approx(sum(file.size for file in plan.kept()[0].files), rel=MAX_ERROR)
    assert predicted.size == pytest.approx(
        sum(file.size for one in refreshed(table).slices() for file in one.files), rel=0.1
    )
    assert predicted.seconds > 0


def test_clustering_that_was_done_is_not_proposed_again(mixed: Path, tmp_path: Path) -> None:
    """ADVICE-9."""
    table = copied(mixed, tmp_path / "t")
    assert advise(table, QUERIES[:1], {Measure.CLUSTERING}).proposals
    cluster(table, ClusterOptions(columns=("n",)))
    assert advise(refreshed(table), QUERIES[:1], {Measure.CLUSTERING}).proposals == ()


def test_clustering_that_reads_more_than_it_saves_is_not_proposed(tmp_path: Path) -> None:
    """ADVICE-9: many small files of a partition become one, which a query that skips nearly all of them would read whole."""
    table = open_table(rides_in(tmp_path))
    query = "fare > 95"
    before, gain = table.scan(query).plan, preview(table, ClusterOptions(columns=("fare",)), [query]).gains[0]
    assert (gain.kept_before, gain.kept_after) == (len(before.kept()), 4)
    assert gain.bytes_before == sum(file.size for one in before.kept() for file in one.files)
    assert gain.bytes_after > 8 * gain.bytes_before
    assert advise(table, [query]).proposals == ()


def test_nothing_is_proposed_where_nothing_helps(ordered: Path, tmp_path: Path) -> None:
    built = build_metadata_table(copied(ordered, tmp_path / "t"), ["column_stats"])
    assert advise(built, ["n < 40"]).proposals == ()
    empty = create_table(tmp_path / "empty", SCHEMA, "id")
    assert advise(empty, ["n < 40"]).proposals == ()


def test_the_same_queries_get_the_same_advice(mixed: Path) -> None:
    one, other = (advise(open_table(mixed), QUERIES) for _ in range(2))
    by_name = [{(item.measure, item.columns): (item.touched, item.size) for item in a.proposals} for a in (one, other)]
    assert by_name[0] == by_name[1]


def test_invalid_lists_of_predicates_are_refused(ordered: Path) -> None:
    table = open_table(ordered)
    with pytest.raises(UsageError, match="found one by itself"):
        table.advise("n > 1")
    with pytest.raises(UsageError, match="found none"):
        table.advise([])
    with pytest.raises(ExpressionError, match="n >"):
        table.advise(["n > "])


def test_reading_footers_is_timed_before_they_are_used(mixed: Path) -> None:
    """ADVICE-5: the first look at the seconds is not zero."""
    sample = draw_sample(open_table(mixed).scan().sources)
    assert sample.seconds_a_footer > 0
    assert (len(sample.footers), sample.rows_a_slice) == (FILES, ROWS)


def test_sizes_of_slices_are_those_of_their_files(mixed: Path) -> None:
    table = open_table(mixed)
    sizes, files = slice_sizes(table.scan().sources)
    assert sizes.tolist() == [sum(file.size for file in one.files) for one in table.slices()]
    assert files.tolist() == [len(one.files) for one in table.slices()]


def test_samples_are_spread_evenly() -> None:
    assert spread(np.arange(5), 10).tolist() == [0, 1, 2, 3, 4]
    assert spread(np.arange(9), 3).tolist() == [0, 4, 8]


def test_columns_are_chosen_by_how_often_queries_are_put(mixed: Path) -> None:
    """ADVICE-4, ADVICE-7, ADVICE-8: the same two queries, the one or the other often."""
    table = open_table(mixed)
    for often, seldom in (("n", "m"), ("m", "n")):
        queries = [Query(f"{seldom} < 40"), Query(f"{often} < 40", 50)]
        advice = advise(table, queries, {Measure.CLUSTERING}, FileSizes(6_000, 0))
        assert {entry.measure for entry in advice.proposals} == {Measure.CLUSTERING}
        assert advice.proposals[0].columns[0] == often
        assert advice.weights == (50, 1)
        first, second = advice.touched
        assert advice.bytes_read(advice.touched) == 51 * FILES * FOOTER_BYTES + 50 * first.size + second.size
        assert advice.requests(advice.touched) == 51 * FILES + 50 * first.kept + second.kept


def test_a_curve_is_proposed_of_the_columns_that_save_most(tmp_path: Path) -> None:
    """ADVICE-4: six columns, of which three are asked for often."""
    names = [f"c{number}" for number in range(6)]
    schema = pa.schema([("id", pa.int64()), *((name, pa.int64()) for name in names), ("load", pa.binary())])
    table, chance = create_table(tmp_path, schema, "id", indexes=["column_stats"]), np.random.default_rng(3)
    for part in range(4):
        columns = {name: chance.integers(0, 1_000, 4_000) for name in names}
        load = [chance.bytes(200) for _ in range(4_000)]
        rows = {"id": np.arange(4_000) + part * 4_000, **columns, "load": load}
        write(refreshed(table), pa.table(rows, schema), "append")
    queries = [Query(f"{name} < 100", 9 if name in ("c1", "c3", "c4") else 1) for name in names]
    sizes = FileSizes(150_000, 1 << 30)
    proposed = [entry.columns for entry in advise(refreshed(table), queries, {Measure.CLUSTERING}, sizes).proposals]
    assert {columns for columns in proposed if len(columns) == 3} == {("c1", "c3", "c4")}
    assert max(map(len, proposed)) == 4


def test_of_very_many_queries_the_frequent_ones_count(mixed: Path) -> None:
    """ADVICE-8."""
    queries = [Query(f"n = {number}", 1 + number % 2) for number in range(2 * MAX_QUERIES)]
    advice = advise(open_table(mixed), queries, {Measure.CLUSTERING})
    assert len(advice.queries) == MAX_QUERIES
    assert set(advice.weights) == {2}


def test_advice_for_people_and_programs(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_advice(Output(True), open_table(mixed), QUERIES)
    now, *records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (now["measure"], now["kept"]) == (None, [10, 10, 1])
    assert {record["measure"] for record in records} >= {"column_stats", "record_index", "clustering"}
    show_advice(Output(False), open_table(mixed), QUERIES)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == f"query 1: {QUERIES[0]}: 10 of 10 file slices read, 10 footers opened"
    assert any(line.startswith("as it is") for line in shown)
    many = [*(Query(f"n = {number}") for number in range(14)), Query("m < 7", 3)]
    show_advice(Output(False), open_table(mixed), many, {Measure.CLUSTERING})
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("query 1 (3 times): m < 7: ")
    assert shown[12] == "and 3 other queries"
    assert shown[-1].endswith("kept and opened by all queries")
