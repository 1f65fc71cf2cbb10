"""The lowest versions that `pyproject.toml` admits, as constraints for pip: `make test-oldest` runs with them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
EXTRAS = ("arrow", "s3", "gcs")
"""Extras whose packages the tests of the core and the Arrow engine use."""
_LOWEST = re.compile(r"(?P<name>[A-Za-z0-9_.-]+)(\[[^\]]*\])?\s*>=\s*(?P<version>[0-9][0-9.]*)")


def constraints(project: dict[str, Any]) -> Iterator[str]:
    """A line for each direct dependency. Raises `ValueError` for one without a lowest version."""
    wanted = [*project["dependencies"], *(one for extra in EXTRAS for one in project["optional-dependencies"][extra])]
    for requirement in dict.fromkeys(wanted):
        if requirement.startswith(f"{project['name']}["):
            continue
        lowest = _LOWEST.match(requirement)
        if lowest is None:
            raise ValueError(f"pyproject.toml: expected a lowest version, found {requirement!r}")
        yield f"{lowest['name']}=={lowest['version']}"


def main() -> None:
    """Prints the constraints."""
    print("\n".join(constraints(tomllib.loads(PYPROJECT.read_text("utf-8"))["project"])))


if __name__ == "__main__":
    main()
