"""From SQL text: parsed and bound, and to file numbers; the peer is PyIceberg's own parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pyiceberg.expressions import BooleanExpression, parser
from pyiceberg.expressions.visitors import _InclusiveMetricsEvaluator
from pyiceberg.expressions.visitors import bind as bind_theirs

from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Predicate
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.bench.files import COLUMNS, files
from tests.bench.prune_pyiceberg import SCHEMA as THEIR_SCHEMA
from tests.bench.prune_pyiceberg import data_files
from tests.bench.timing import Pair

SCHEMA = Schema(t.Record(tuple(t.Field(column.id, name, column.type) for name, column in COLUMNS.items())))

TEXTS = (
    "id = 50000500",
    "id >= 50000000 AND id <= 50100000 AND user < 980000000",
    "key LIKE 'mq%'",
    "id IN (1, 20, 300, 4000, 50000, 600000, 7000000)",
    "NOT (price > 20.5 AND user < 980000000) OR score >= 1.5",
    "user IS NULL",
)
"""One of each kind of predicate that both languages have."""


def pair(case: str, sizes: Mapping[str, int]) -> Pair:
    """The measurement of one goal."""
    return _to_bound() if case == "sql_text_to_bound" else _to_files(sizes[case.rpartition("_")[2]])


def _to_bound() -> Pair:
    """All of the predicates, one after the other; compared is which of a thousand files each keeps."""

    def ours() -> Sequence[Predicate]:
        return [bind(parse_predicate(text), SCHEMA) for text in TEXTS]

    def theirs() -> Sequence[BooleanExpression]:
        return [bind_theirs(THEIR_SCHEMA, parser.parse(text), case_sensitive=True) for text in TEXTS]

    def check(bound: Sequence[Predicate], peers: Sequence[BooleanExpression]) -> None:
        some = files(1_000)
        described = data_files(some, frozenset(COLUMNS))
        nan = np.flatnonzero(some.bounds["price"].nan)
        for predicate, peer, text in zip(bound, [parser.parse(text) for text in TEXTS], TEXTS, strict=True):
            evaluate = _InclusiveMetricsEvaluator(THEIR_SCHEMA, peer).eval
            kept = [number for number, file in enumerate(described) if evaluate(file)]
            # NaN is in no comparison of PyIceberg's, and greatest in ours.
            left_out = nan if "price" in text else nan[:0]
            ours_kept = some.store.plan(predicate).possible()
            assert np.array_equal(np.setdiff1d(ours_kept, left_out), np.setdiff1d(kept, left_out)), text
        assert len(peers) == len(bound)

    return Pair(ours, theirs, check)


def _to_files(count: int) -> Pair:
    """The numbers of the files that a text leaves."""
    of = files(count)
    text = f"id >= {count * 500} AND id <= {count * 510} AND user < 980000000"
    theirs = data_files(of, frozenset({"id", "user"}))

    def peer() -> object:
        evaluate = _InclusiveMetricsEvaluator(THEIR_SCHEMA, parser.parse(text)).eval
        return [number for number, file in enumerate(theirs) if evaluate(file)]

    def check(mine: object, their: object) -> None:
        assert list(mine) == list(their)  # type: ignore[call-overload]

    return Pair(lambda: of.store.plan(bind(parse_predicate(text), SCHEMA)).possible(), peer, check)
