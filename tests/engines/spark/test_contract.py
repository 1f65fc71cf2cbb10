"""The Spark engine keeps the contracts, with ANSI mode as the version of Spark starts; off and on in a long run."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase

from hudi_core.errors import SchemaError, UnsupportedError
from hudi_core.types import nodes as t
from tests.contract.harness import with_settings
from tests.contract.keys import KeysContract
from tests.contract.rows import ProjectionContract, RowTruthContract
from tests.contract.texts import TextsContract
from tests.contract.values import OF_COLUMNS, PROMOTED, REFUSED, ValuesContract, attempt
from tests.support.drawing import SOAK
from tests.support.promotions import PAIRS, named, values_at_the_ends
from tests.support.vector_keys import generator_or_path, options_that_are_set

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
import pyspark

from tests.engines.spark import columns

EXAMPLES = int(os.environ.get("HUDI_SPARK_EXAMPLES", "20" if SOAK else "3"))
"""Cases a law; each question is a query of Spark."""
SETTINGS = {
    "max_examples": EXAMPLES,
    "phases": [Phase.explicit, Phase.reuse, Phase.generate],
    "calm": [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
}


OWN_MODE = not pyspark.__version__.startswith("3.")
"""Whether this version of Spark starts in ANSI mode."""
MODES = {"plain": False, "ansi": True} if SOAK else {"ansi" if OWN_MODE else "plain": OWN_MODE}


@pytest.fixture(scope="session", params=MODES.values(), ids=MODES)
def engine(spark: Any, request: pytest.FixtureRequest) -> Any:
    return columns.SparkColumns(spark, request.param)


AT_ONCE = 16
"""So many pairs of types are asked about in one query."""


@pytest.fixture(scope="session")
def promoted(engine: Any) -> dict[Any, list[Any]]:
    """What values at the ends of each stored type are read as in each other type: those that are taken, and null."""
    found = {}
    for some in (PROMOTED[at : at + AT_ONCE] for at in range(0, len(PROMOTED), AT_ONCE)):
        requested = [
            (partial(_converted, engine, pair), pair[1], ([*taken(engine, *pair), None], pair[0])) for pair in some
        ]
        found |= dict(zip(some, engine.together(requested), strict=True))
    return found


def _converted(engine: Any, pair: Any, column: Any) -> Any:
    return engine.values.convert(column, *pair)


def taken(engine: Any, source: t.Type, to: t.Type) -> list[Any]:
    """The values at the ends of a type that Spark holds, and that the other type has a counterpart for, which Spark holds."""
    kept = [value for value in values_at_the_ends(source) if held(value, source)]
    return [value for value in kept if (new := attempt(source, to, value)) is not REFUSED and held(new, to)]


YEARS_OF_SPARK = range(-62_135_596_800, 253_402_300_800)
"""The seconds since 1970 of Spark's timestamps, which are in the years from 1 to 9999."""


def held(value: Any, of: t.Type) -> bool:
    """Spark holds the value."""
    if isinstance(of, t.Timestamp) and value is not None and value // of.unit.value not in YEARS_OF_SPARK:
        return False
    return columns.fits(value, of)


REFUSING = list(PAIRS)[:: 1 if SOAK else 8]
"""Promotions of which a value that has no counterpart is read too: each is a query of its own."""

FUNCTIONS_STEP = 1 if SOAK or "HUDI_SPARK_EXAMPLES" in os.environ else 8
"""Of so many functions one is asked for in an ordinary run; `test_calls.py` holds calls of all of them against Spark itself."""

_SparkValues = with_settings(ValuesContract, **SETTINGS)
_SparkValues.test_functions_give_the_results_of_the_core.pytestmark = [
    pytest.mark.parametrize("known", OF_COLUMNS[::FUNCTIONS_STEP], ids=lambda known: known.name).mark
]


class TestValues(_SparkValues):
    pairs_of_a_promotion = 1
    test_every_cast_is_what_the_core_defines = test_patterns_of_every_form_match_whole_strings = None
    """The laws draw them: a query for each would take long."""

    @pytest.mark.parametrize("key", PAIRS, ids=named)
    def test_every_promotion_is_made_as_the_core_makes_it(self, engine: Any, promoted: Any, key: Any) -> None:
        for pair in PAIRS[key]:
            wanted = [attempt(*pair, value) for value in taken(engine, *pair)]
            assert list(map(repr, promoted[pair])) == [*map(repr, wanted), "None"], pair
        if key not in REFUSING:
            return
        source, to = PAIRS[key][0]
        refused = (value for value in values_at_the_ends(source) if attempt(source, to, value) is REFUSED)
        for value in [value for value in refused if held(value, source)][: self.pairs_of_a_promotion]:
            with pytest.raises(SchemaError):
                engine.column(lambda v: engine.values.convert(v, source, to), to, ([value, None], source))

    def holds(self, of: t.Type, value: object) -> bool:
        return held(value, of)


class TestRowTruth(with_settings(RowTruthContract, **SETTINGS)):
    pass


class TestProjection(with_settings(ProjectionContract, **SETTINGS)):
    pass


class TestTexts(with_settings(TextsContract, **SETTINGS)):
    pass


class TestKeys(KeysContract):
    kind = staticmethod(options_that_are_set if SOAK else generator_or_path)

    @pytest.mark.one_spark
    def test_keys_are_those_of_each_path_of_writing(self, engine: Any) -> None:
        super().test_keys_are_those_of_each_path_of_writing(engine)

    def test_generated_keys_count_rows(self, engine: Any) -> None:
        """Rows of a DataFrame have no order to count them by: such keys are refused."""
        with pytest.raises(UnsupportedError, match="no order"):
            engine.values.number_rows(None, 0, "")
