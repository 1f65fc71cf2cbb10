"""The use of the metadata table: whether it is read."""

from __future__ import annotations

from enum import StrEnum


class MetadataMode(StrEnum):
    """Whether the metadata table is used."""

    AUTO = "auto"
    """When it is there and readable; a warning when it is damaged."""
    REQUIRE = "require"
    OFF = "off"
