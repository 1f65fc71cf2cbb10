"""Tables that are only read: versions, and bootstraps. Rules TABLE-261, TABLE-710, TABLE-732."""

from __future__ import annotations

from typing import Final

from hudi_core.errors import UnsupportedError
from hudi_core.options import BOOTSTRAP_BASE_PATH, TableConfig

WRITABLE_VERSIONS: Final = (6, 8, 9)
_STATED_SINCE: Final = {
    "hoodie.table.recordkey.fields": 2,
    "hoodie.table.partition.fields": 2,
    "hoodie.table.keygenerator.class": 3,
    "hoodie.datasource.write.hive_style_partitioning": 3,
    "hoodie.datasource.write.partitionpath.urlencode": 3,
    "hoodie.table.checksum": 4,
}
"""Properties, and the table version from which on they are stated: an upgrade takes them from the writer's options."""


def refuse_read_only(config: TableConfig, where: str) -> None:
    """Raises `UnsupportedError` for a bootstrap, and for a table version that is only read, with what an upgrade needs."""
    if config.properties.get(BOOTSTRAP_BASE_PATH, "").strip():
        raise UnsupportedError(where, expected="a table that is no bootstrap", found="a bootstrap base path")
    if config.version in WRITABLE_VERSIONS:
        return
    versions = ", ".join(map(str, WRITABLE_VERSIONS))
    if config.version > WRITABLE_VERSIONS[-1]:
        expected = f"table version {versions} to write to (version {config.version} is only read)"
        raise UnsupportedError(where, expected=expected, found=f"version {config.version}")
    missing = [
        name for name, version in _STATED_SINCE.items() if config.version < version and name not in config.properties
    ]
    needs = f", which needs {', '.join(missing)}" if missing else ""
    expected = f"table version {versions} to write to (upgrade the table with Apache Hudi{needs})"
    raise UnsupportedError(where, expected=expected, found=f"version {config.version}")
