"""Predicates of thousands of terms: bound, put to statistics and to rows in work that is in proportion to their terms.

Terms that are conditions on one column are one question to it, whatever their number.
"""

from __future__ import annotations

import pickle
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hudi_arrow.values import ArrowValues
from hudi_core.expr.bind import bind
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Predicate
from hudi_core.expr.text import to_sql
from hudi_core.pruning.program import Compiler
from hudi_core.pruning.statistics import from_values
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.rows.truth import RowQuestions
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t
from tests.support.drawing import SOAK

SCHEMA = Schema(
    record_with_ids(t.Record((t.Field(0, "a", t.Long()), t.Field(0, "x", t.Double()), t.Field(0, "s", t.String()))))
)
TERMS, FILES = 10_000 if SOAK else 2_500, 300
STEP = 100
"""Of the numbers from 0 on, each term lists one of so many."""
IN_ORDER = TERMS * STEP // 5_000
"""The files with numbers up to the last term's: one for each 5,000."""

ROWS = [(number, float(number), f"s{number}") for number in range(0, 2 * TERMS * STEP, 4_999)] + [(None, None, None)]
FILE_STATISTICS = {
    "a": from_values(
        t.Long(), [n * 5_000 for n in range(FILES)], [n * 5_000 + 49 for n in range(FILES)], [0] * FILES, [9] * FILES
    ),
    "x": from_values(
        t.Double(), [n * 5e3 for n in range(FILES)], [n * 5e3 + 49 for n in range(FILES)], [0] * FILES, [9] * FILES
    ),
    "s": from_values(
        t.String(), [f"s{n}" for n in range(FILES)], [f"s{n}z" for n in range(FILES)], [0] * FILES, [9] * FILES
    ),
}


def listed(number: int | None) -> bool:
    return number is not None and number % STEP == 0 and number < TERMS * STEP


@dataclass(frozen=True)
class Form:
    """A predicate as its terms and what joins them."""

    term: str
    joiner: str
    holds: Callable[[Any], bool]
    """Whether it is TRUE of a row."""
    files: int
    """The first so many files may match."""
    questions: int = 1
    """So often, at most, columns are asked something."""


FORMS = {
    "or of equals": Form("a = {}", " OR ", lambda row: listed(row[0]), IN_ORDER),
    "and of unequals": Form("a <> {}", " AND ", lambda row: row[0] is not None and not listed(row[0]), FILES),
    "or of ranges": Form(
        "x BETWEEN {} AND {}.5",
        " OR ",
        lambda row: row[1] is not None and row[1] % STEP <= 0.5 and row[1] < TERMS * STEP,
        IN_ORDER,
    ),
    "or of prefixes": Form(
        "s LIKE 's{}%'",
        " OR ",
        lambda row: row[2] is not None and any(listed(int(row[2][1:end])) for end in range(2, len(row[2]) + 1)),
        FILES,
    ),
    "or of parts": Form("s LIKE '%s{}'", " OR ", lambda row: listed(row[0]), FILES),
    "and of no parts": Form("s NOT LIKE '%s{}'", " AND ", lambda row: row[2] is not None and not listed(row[0]), FILES),
    "of all kinds": Form(
        "a = {0} OR x BETWEEN {0} AND {0}.5 OR s = 's{0}' OR s LIKE '%s{0}'",
        " OR ",
        lambda row: listed(row[0]),
        FILES,
        4,
    ),
    "or of pairs": Form("(a = {0} AND s = 's{0}')", " OR ", lambda row: listed(row[0]), 1, 2 * TERMS),
}


class Counted:
    """An object whose calls are counted by name."""

    def __init__(self, of: Any) -> None:
        self.of, self.calls = of, Counter[str]()

    def __getattr__(self, name: str) -> Any:
        self.calls[name] += 1
        return getattr(self.of, name)


def requested(questions: Counted) -> int:
    """How often something was asked of a column; joining answers is no question."""
    return sum(calls for name, calls in questions.calls.items() if name not in ("every", "some", "unknown"))


def rows() -> pa.Array:
    columns = [pa.array([row[place] for row in ROWS]) for place in range(3)]
    return pa.StructArray.from_arrays(columns, ["a", "x", "s"])


MOST_SECONDS = 60
"""Far more than any form takes where work is in proportion; with the square of the terms it takes hours."""


@pytest.fixture(scope="module", params=FORMS.values(), ids=[name.replace(" ", "_") for name in FORMS])
def long(request: pytest.FixtureRequest) -> tuple[Form, Predicate]:
    """A form, and the predicate of so many of its terms."""
    form = request.param
    begun = time.process_time()
    tree = parse_predicate(form.joiner.join(form.term.format(n * STEP, n * STEP) for n in range(TERMS)))
    predicate = bind(tree, SCHEMA)
    assert pickle.loads(pickle.dumps(predicate)) == predicate  # of our own making
    assert len(to_sql(tree)) > TERMS
    assert time.process_time() - begun < MOST_SECONDS
    return form, predicate


def test_work_on_rows_is_in_proportion_to_the_terms(long: tuple[Form, Predicate]) -> None:
    form, predicate = long
    begun = time.process_time()
    questions = Counted(RowQuestions(ArrowValues(), rows(), SCHEMA))
    mask: Any = can_be(TRUE, predicate, questions)
    assert mask.to_pylist() == [form.holds(row) for row in ROWS]
    assert requested(questions) <= form.questions
    assert time.process_time() - begun < MOST_SECONDS


def test_work_on_statistics_is_in_proportion_to_the_terms(long: tuple[Form, Predicate]) -> None:
    form, predicate = long
    begun = time.process_time()
    names = {place.field.id: place.field.name for place in SCHEMA.places.values()}
    numbers = np.arange(FILES)
    store = FileStatistics(FILES, lambda column: [StatisticsPart(numbers, FILE_STATISTICS[names[column.id]])])
    assert store.plan(predicate).possible().tolist() == list(range(form.files))
    questions = Counted(Compiler(lambda _: None))
    can_be(TRUE, predicate, questions)
    assert requested(questions) <= form.questions
    assert time.process_time() - begun < MOST_SECONDS
