"""Expression indexes that this library builds and keeps, judged by Apache Hudi, which queries by them.

Rules META-114 to META-118, WRITE-60.
"""

from __future__ import annotations

import datetime
import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.validation.validate import validate
from hudi_core.writing.create import create_table
from hudi_core.writing.index_build import build_indexes
from hudi_core.writing.index_plan import IndexOptions
from hudi_core.writing.operations import write

pytestmark = pytest.mark.interop

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("p", pa.string()),
        ("s", pa.string()),
        ("x", pa.float64()),
        ("day", pa.date32()),
        ("ts", pa.int64()),
    ]
)
LONG = "Z" * 300
