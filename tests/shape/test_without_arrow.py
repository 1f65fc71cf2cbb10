"""The core and the plain engine work where pyarrow and pyspark cannot be imported."""

from __future__ import annotations

import subprocess
import sys
import textwrap

PROGRAM = textwrap.dedent(
    """
    import importlib, pkgutil, sys

    class Refusing:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("pyarrow", "pyspark", "pandas"):
                raise ModuleNotFoundError(f"no module named {name!r}", name=name)

    sys.meta_path.insert(0, Refusing())
    import hudi_core, hudi_plain
    for package in (hudi_core, hudi_plain):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)

    from hudi_core.errors import UnsupportedError
    from hudi_core.expr.bind import bind
    from hudi_core.expr.parse import parse_predicate
    from hudi_core.rows.truth import is_true
    from hudi_core.schema.schema import Schema
    from hudi_core.table.engines import load_engine
    from hudi_core.types.nodes import Double, Field, Record, String
    from hudi_plain.engine import ENGINE

    schema = Schema(Record((Field(0, "name", String()), Field(1, "price", Double()))))
    predicate = bind(parse_predicate("price > 2 AND NOT upper(name) LIKE 'X%'"), schema)
    rows = [("a", 3.0), ("x1", 3.0), (None, 3.0), ("a", float("nan")), ("a", None)]
    print([is_true(predicate, ENGINE.values, row, schema) for row in rows])
    for asked in (lambda: ENGINE.reader("parquet"), lambda: load_engine("arrow")):
        try:
            asked()
        except UnsupportedError as refused:
            print(refused)
    """
)


def test_core_and_plain_engine_need_neither_arrow_nor_spark() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers, no_reader, no_engine = done.stdout.splitlines()
    assert answers == "[True, False, False, True, False]"
    assert "hudi-core[arrow]" in no_reader and "hudi-core[arrow]" in no_engine
