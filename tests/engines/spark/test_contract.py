"""The Spark engine keeps the contracts, with ANSI mode as the version of Spark starts; off and on in a long run."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase
from hypothesis.errors import UnsatisfiedAssumption

from hudi_core.errors import UnsupportedError
from hudi_core.types import nodes as t
from hudi_core.types.promote import CastLoss
from tests.contract.harness import with_settings
from tests.contract.keys import KeysContract
from tests.contract.rows import ProjectionContract, RowTruthContract
from tests.contract.texts import TextsContract
from tests.contract.values import OF_COLUMNS, ValuesContract
from tests.support.drawing import SOAK
from tests.support.promotions import PAIRS, named

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


def asked(key: Any) -> bool:
    """The promotion is asked about at the ends of types: not times that Spark's own range cuts, nor decimals that lose digits."""
    source, to, way = key
    return t.Timestamp not in (source, to) and (source is not t.Decimal or way.loss is not CastLoss.VALUE_DEPENDENT)


FUNCTIONS_STEP = 1 if SOAK or "HUDI_SPARK_EXAMPLES" in os.environ else 8
"""Of so many functions one is asked for in an ordinary run; `test_calls.py` holds calls of all of them against Spark itself."""

_SparkValues = with_settings(ValuesContract, **SETTINGS)
_SparkValues.test_functions_give_what_the_core_defines.pytestmark = [
    pytest.mark.parametrize("known", OF_COLUMNS[::FUNCTIONS_STEP], ids=lambda known: known.name).mark
]


class TestValues(_SparkValues):
    pairs_of_a_promotion = 1
    test_every_cast_is_what_the_core_defines = test_patterns_of_every_form_match_whole_texts = None
    """The laws draw them: a query for each would take long."""

    @pytest.mark.parametrize("key", list(filter(asked, PAIRS)), ids=named)
    def test_every_promotion_is_made_as_the_core_makes_it(self, engine: Any, key: Any) -> None:
        super().test_every_promotion_is_made_as_the_core_makes_it(engine, key)

    def holds(self, of: t.Type, value: object) -> bool:
        try:
            columns.held([value], of)
        except UnsatisfiedAssumption:
            return False
        return True


class TestRowTruth(with_settings(RowTruthContract, **SETTINGS)):
    pass


class TestProjection(with_settings(ProjectionContract, **SETTINGS)):
    pass


class TestTexts(with_settings(TextsContract, **SETTINGS)):
    pass


class TestKeys(KeysContract):
    every = max(300 // EXAMPLES, 1)

    def test_keys_that_are_made_up_count_rows(self, engine: Any) -> None:
        """Rows of a DataFrame have no order to count them by: such keys are refused."""
        with pytest.raises(UnsupportedError, match="no order"):
            engine.values.numbered(None, 0)
