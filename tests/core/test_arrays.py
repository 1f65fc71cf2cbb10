"""Arrays have their names from one module."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("hudi_core/**/*.py"), *ROOT.glob("engines/**/*.py")])
OWN = re.compile(
    r"^(Numbers|Ints|Bools|Words|Octets)\b.*= (?:npt\.)?NDArray\[(np\.int64|np\.bool_|np\.uint64|np\.uint8)\]", re.M
)


def test_no_module_names_arrays_anew() -> None:
    names = {
        str(source.relative_to(ROOT)): found
        for source in SOURCES
        if (found := [match.group(1) for match in OWN.finditer(source.read_text("utf-8"))])
    }
    assert names == {"hudi_core/arrays.py": ["Numbers", "Bools", "Words", "Octets"]}
