"""What is advised and previewed is then read: twenty layouts, clustered, beside their forecasts. CLUSTER-670, ADVICE-9."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from hudi_core.advice.advise import advise
from hudi_core.advice.proposals import LEAST_SAVING, Advice, Measure, Proposal, Touched
from hudi_core.cluster.forecast import MAX_ERROR
from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.preview import preview
from hudi_core.expr.queries import Query
from hudi_core.front.opening import create_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes

pa = pytest.importorskip("pyarrow", reason="tables are written with the arrow engine")

QUERIES = ["n BETWEEN 100 AND 160", "m < 40", "n > 900 AND m > 500", "v IS NULL", "city = 'oslo' AND n < 250"]
_ORDERS = ("ascending", "random", "overlapping", "constant")
_SLACK = 1
"""Files beside the forecast's share that a query may keep or not: those of rows between two of a sample."""


@dataclass(frozen=True)
class Layout:
    """How rows stand in files before, and by what they are clustered."""

    order: str
    partitioned: bool
    files: int
    rows: int
    columns: tuple[str, ...]
    strategy: Strategy
    target: int

    def __str__(self) -> str:
        where = "partitioned" if self.partitioned else "one"
        return f"{self.order}-{where}-{self.files}x{self.rows}-{self.strategy}-{'_'.join(self.columns)}-{self.target}"


def layouts() -> list[Layout]:
    """Twenty of them, the same ones each time."""
    chance = random.Random(39)
    made = []
    for number in range(20):
        strategy, columns = (
            (Strategy.LINEAR, ("n",)),
            (Strategy.LINEAR, ("m", "n")),
            (Strategy.ZORDER, ("n", "m")),
            (Strategy.HILBERT, ("m", "n")),
        )[number % 4]
        target = (20_000, 60_000, 1 << 27)[number % 3]
        order = _ORDERS[number // 5]
        made.append(
            Layout(order, number % 2 == 1, chance.randint(4, 9), chance.randint(300, 900), columns, strategy, target)
        )
    return made


ORDINARY = 5
"""Layouts of an ordinary run; the others are soak."""


def each_layout() -> pytest.MarkDecorator:
    marked = [
        pytest.param(one, id=str(one), marks=[pytest.mark.soak] if number % (20 // ORDINARY) else [])
        for number, one in enumerate(layouts())
    ]
    return pytest.mark.parametrize("made", marked)


def written(folder: Path, made: Layout) -> Table:
    chance = np.random.default_rng(7)
    schema = pa.schema(
        [("id", pa.string()), ("n", pa.int64()), ("m", pa.float64()), ("v", pa.string()), ("city", pa.string())]
    )
    table = create_table(
        folder, schema, "id", partition_by=["city"] if made.partitioned else [], indexes=["column_stats"]
    )
    total = made.files * made.rows
    numbers = {
        "ascending": np.arange(total) * 1_000 // total,
        "random": chance.integers(0, 1_000, total),
        "overlapping": np.arange(total) * 1_000 // total + chance.integers(0, 300, total),
        "constant": np.full(total, 140),
    }[made.order]
    for part in range(made.files):
        rows = slice(part * made.rows, (part + 1) * made.rows)
        columns = {
            "id": [f"key-{number:07}" for number in range(rows.start, rows.stop)],
            "n": numbers[rows],
            "m": chance.random(made.rows) * 1_000,
            "v": [None if part == 0 else f"value {number}" for number in chance.integers(0, 10**6, made.rows)],
            "city": ["oslo" if number < 2 else "rome" for number in chance.integers(0, 3, made.rows)],
        }
        write(refreshed(table), pa.table(columns, schema), "append")
    return refreshed(table)


def read_by(table: Table) -> list[tuple[int, int, int]]:
    """The slices, bytes and files that each query reads."""
    plans = [table.scan(query).plan.kept() for query in QUERIES]
    return [
        (len(kept), sum(file.size for one in kept for file in one.files), sum(len(one.files) for one in kept))
        for kept in plans
    ]


@pytest.mark.one_of(2)
@each_layout()
def test_what_is_read_is_within_a_tenth_of_what_was_forecast(made: Layout, tmp_path: Path) -> None:
    """CLUSTER-670: slices, bytes and requests of each query, and of all together."""
    table = written(tmp_path / "t", made)
    options = ClusterOptions(made.strategy, made.columns, FileSizes(made.target, made.target))
    before = read_by(table)
    forecast = preview(table, options, QUERIES)
    assert [(gain.kept_before, gain.bytes_before, gain.requests_before) for gain in forecast.gains] == before
    cluster(table, options)
    after = read_by(refreshed(table))
    predicted = [(gain.kept_after, gain.bytes_after, gain.requests_after) for gain in forecast.gains]
    size = forecast.bytes_out / max(forecast.files_out, 1)
    for query, one, other in zip(QUERIES, predicted, after, strict=True):
        assert one[0] == pytest.approx(other[0], rel=MAX_ERROR, abs=_SLACK), query
        assert one[1] == pytest.approx(other[1], rel=MAX_ERROR, abs=_SLACK * size * 1.2), query
        assert one[2] == pytest.approx(other[2], rel=MAX_ERROR, abs=_SLACK), query
    assert sum(one[1] for one in predicted) == pytest.approx(sum(one[1] for one in after), rel=MAX_ERROR)


def _best_of(table: Table, queries: list[Query], sizes: FileSizes) -> int:
    """The least cost that a clustering by one column promises."""
    gains = [preview(table, ClusterOptions(columns=(name,), sizes=sizes), queries).gains for name in ("n", "m")]
    return min(
        sum(Touched(0, gain.kept_after, gain.bytes_after, gain.requests_after).cost for gain in of_column)
        for of_column in gains
    )


@pytest.mark.one_of(2)
@each_layout()
def test_advice_is_kept_once_it_is_followed(made: Layout, tmp_path: Path) -> None:
    """ADVICE-9: the best clustering saves what it promised, and is not advised again, but for files that its groups had no room
    for: then it keeps its promise once more."""
    table = written(tmp_path / "t", made)
    sizes, queries = FileSizes(made.target, made.target), [Query(query) for query in QUERIES]
    advice = advise(table, queries, {Measure.CLUSTERING}, sizes)
    if not advice.proposals:
        assert advice.cost(advice.touched) <= _best_of(table, queries, sizes) / (1 - LEAST_SAVING)
        return
    table, left = _follow(table, advice, advice.proposals[0], sizes)
    columns = advice.proposals[0].columns
    again = advise(table, queries, {Measure.CLUSTERING}, sizes)
    proposals = {proposal.columns: proposal for proposal in again.proposals}
    if left and columns in proposals:
        table, left = _follow(table, again, proposals[columns], sizes)
        proposals = {one.columns: one for one in advise(table, queries, {Measure.CLUSTERING}, sizes).proposals}
    assert columns not in proposals


def _follow(table: Table, advice: Advice, proposal: Proposal, sizes: FileSizes) -> tuple[Table, int]:
    """The table clustered as it is proposed, which saves what was promised, and how many of its files were left as they were."""
    before = {file_slice.file_id for file_slice in table.snapshot().slices}
    strategy = Strategy.LINEAR if len(proposal.columns) == 1 else Strategy.ZORDER
    cluster(table, ClusterOptions(strategy, proposal.columns, sizes))
    table = refreshed(table)
    done = [Touched(0, *counts) for counts in read_by(table)]
    assert advice.cost(done) < advice.cost(advice.touched)
    assert advice.cost(proposal.touched) == pytest.approx(advice.cost(done), rel=MAX_ERROR)
    return table, len(before & {file_slice.file_id for file_slice in table.snapshot().slices})
