"""Arrays have their names from one module."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("hudi_core/**/*.py"), *ROOT.glob("engines/**/*.py")])
OWN = re.compile(r"^(\w+)\b.*= (?:npt\.)?NDArray\[np\.(?!bytes_)\w+\]", re.M)
NAMES = ["Numbers", "Offsets", "Numbers32", "Floats", "Bools", "Words64", "Words32", "Octets"]


def test_no_module_names_arrays_anew() -> None:
    names = {
        str(source.relative_to(ROOT)): found
        for source in SOURCES
        if (found := [match.group(1) for match in OWN.finditer(source.read_text("utf-8"))])
    }
    assert names == {"hudi_core/arrays.py": NAMES}
