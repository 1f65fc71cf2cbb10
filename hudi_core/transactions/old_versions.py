"""Tables that are only read: versions, bootstraps, and those whose writers exclude each other in other ways than ours.

Rules TABLE-261, TABLE-710, TABLE-732, COMMIT-22, COMMIT-328.
"""

from __future__ import annotations

from typing import Final

from hudi_core.commit.storage_lock import LOCK_PROVIDER
from hudi_core.errors import UnsupportedError
from hudi_core.options import BOOTSTRAP_BASE_PATH, FOLDER, TableConfig

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
_LOCK_PACKAGE: Final = "org.apache.hudi.client.transaction.lock."
_LOCKS: Final = ("InProcessLockProvider", "FileSystemBasedLockProvider", "StorageBasedLockProvider")
"""Lock providers of Apache Hudi whose locks this library takes too, or that exclude nobody outside of their process."""
_LOCK_FOLDER: Final = "hoodie.write.lock.filesystem.path"
_CONCURRENCY: Final = "hoodie.write.concurrency.mode"
_NON_BLOCKING: Final = "NON_BLOCKING_CONCURRENCY_CONTROL"
"""Writers of this mode commit log files of one file group side by side, and check no conflicts."""


def refuse_read_only(config: TableConfig, where: str) -> None:
    """Raises `UnsupportedError` for a bootstrap, for a table version that is only read, with what an upgrade needs, and where the
    locks of other writers are not this library's. To be called by whatever changes a table."""
    _refuse_other_locks(config, where)
    if config.properties.get(BOOTSTRAP_BASE_PATH, "").strip():
        raise UnsupportedError(where, expected="a table that was not bootstrapped", found="a bootstrap base path")
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


def _refuse_other_locks(config: TableConfig, where: str) -> None:
    properties = config.properties
    provider = properties.get(LOCK_PROVIDER, "").strip()
    if provider and provider not in [_LOCK_PACKAGE + name for name in _LOCKS]:
        expected = f"a lock provider that uses files of the table ({', '.join(_LOCKS)} of {_LOCK_PACKAGE[:-1]})"
        raise UnsupportedError(where, expected=expected, found=provider)
    folder = properties.get(_LOCK_FOLDER, "").strip()
    if folder and not folder.rstrip("/").endswith(f"/{FOLDER}"):
        found = f"{_LOCK_FOLDER}={folder}"
        raise UnsupportedError(where, expected="the lock file in the table's own folder", found=found)
    if (mode := properties.get(_CONCURRENCY, "").strip().upper()) == _NON_BLOCKING:
        expected = "a concurrency mode whose writers exclude each other"
        raise UnsupportedError(where, expected=expected, found=f"{_CONCURRENCY}={mode}")
