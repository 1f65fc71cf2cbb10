"""The forms `spark` and `ddl` of schema text."""

from __future__ import annotations

import pytest
from hypothesis import given

from hudi_core.schema.schema import Schema
from hudi_core.schema.text_forms import SchemaText
from hudi_spark.schema_text import DDL, SPARK
from tests.support.strategies import schemas


@pytest.mark.parametrize("form", [SPARK, DDL], ids=["spark", "ddl"])
@given(schema=schemas())
def test_a_schema_comes_back_unless_losses_are_reported(form: SchemaText, schema: Schema) -> None:
    written = form.write(schema)
    back = form.parse(written.value, "text")
    assert written.losses or back.value == schema
