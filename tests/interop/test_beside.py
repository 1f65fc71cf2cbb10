"""`hudi_spark` beside Apache Hudi's bundle: one session, equal rows."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.conformance import ROOT, TableEntry, tables

pytestmark = pytest.mark.interop

SCRIPT = Path(__file__).parent / "beside.py"


def bundle() -> str:
    """Apache Hudi's bundle for Spark; skips the calling test where it is not wanted, or not there."""
    pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if not os.environ.get("HUDI_INTEROP"):
        pytest.skip("runs Apache Hudi: by `make interop` only")
    sys.path.insert(0, str(ROOT / "oracle"))
    try:
        return str(importlib.import_module("oracle").jar_path())
    except (ModuleNotFoundError, FileNotFoundError) as error:
        pytest.skip(f"no bundle: {error}")
    finally:
        sys.path.pop(0)


def chosen() -> list[TableEntry]:
    """One table of each type and version whose rows have a key, without columns that changed."""
    found: dict[tuple[str, str], TableEntry] = {}
    for entry in tables():
        reported, rows = entry.expected["table"], entry.expected["snapshot"]["rows"]
        changed = any("evol" in item or "schema" in item for item in entry.expected.get("features") or ())
        if rows and rows[0].get("_hoodie_record_key") and not changed and not entry.requires:
            found.setdefault((reported["table_type"], str(reported["table_version"])), entry)
    return list(found.values())


def test_both_readers_give_the_same_rows_in_one_session() -> None:
    jar = bundle()
    entries = chosen()
    if not entries:
        pytest.skip("corpus and golden tables not present")
    run = [sys.executable, str(SCRIPT), jar, *(str(entry.unpacked()) for entry in entries)]
    ended = subprocess.run(run, capture_output=True, text=True, check=False, timeout=300)
    reported = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    assert len(reported) == len(entries), ended.stderr[-2000:]
    for item, entry in zip(reported, entries, strict=True):
        assert item["equal"], item
        assert item["rows"][0] == len(entry.expected["snapshot"]["rows"])
        assert item["joined"] >= item["rows"][0]
