"""Properties of a table changed by hand."""

from __future__ import annotations

from pathlib import Path


def restated(folder: Path, properties: dict[str, str]) -> None:
    """Sets properties of the table in a folder."""
    path = folder / ".hoodie" / "hoodie.properties"
    lines = [line for line in path.read_text().splitlines() if line.partition("=")[0] not in properties]
    path.write_text("\n".join([*lines, *(f"{key}={value}" for key, value in properties.items())]) + "\n")
