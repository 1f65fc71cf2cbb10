"""Arrays have their names from one module."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("hudi_core/**/*.py"), *ROOT.glob("engines/**/*.py")])
OWN = re.compile(r"^(Numbers|Ints|Bools|Words|Octets)\b.*= NDArray\[(np\.int64|np\.bool_|np\.uint64|np\.uint8)\]", re.M)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_names_arrays_anew(source: Path) -> None:
    names = [match.group(1) for match in OWN.finditer(source.read_text("utf-8"))]
    is_home = source == ROOT / "hudi_core" / "arrays.py"
    assert names == (["Numbers", "Bools", "Words", "Octets"] if is_home else [])
