"""Writing `hoodie.properties`, so that a reader finds the old ones or the new ones at any moment. Rule COMMIT-9."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from hudi_core.commit.steps import Delete, Replace, run, sync_changes
from hudi_core.commit.times import Clock, system_clock
from hudi_core.engine import Storage
from hudi_core.errors import AlreadyExistsError, CorruptFileError, HudiError
from hudi_core.formats.last_writer import own_comment
from hudi_core.formats.properties import format_properties, parse_properties
from hudi_core.options import PROPERTIES_PATH

BACKUP_PATH: Final = f"{PROPERTIES_PATH}.backup"


def properties_content(properties: Mapping[str, str], clock: Clock = system_clock) -> bytes:
    """The file of these properties."""
    return format_properties(properties, own_comment(clock().isoformat()))


def change_properties(
    storage: Storage, changes: Mapping[str, str | None], clock: Clock = system_clock
) -> Mapping[str, str]:
    """Sets properties, removes those whose value is None, and gives all. To be done under the table's lock.

    A backup is beside the file while it is replaced, as Apache Hudi's readers expect; one that a writer left behind is put
    back first, where the file is gone.
    """
    where = f"{storage.uri}/{PROPERTIES_PATH}"
    before = _restore(storage)
    properties = {
        **parse_properties(before, where),
        **{key: value for key, value in changes.items() if value is not None},
    }
    for key, value in changes.items():
        if value is None:
            properties.pop(key, None)
    _replace(storage, before, properties_content(properties, clock))
    return properties


def replace_properties(storage: Storage, content: bytes) -> None:
    """Puts these properties in the place of those that stand, as `change_properties` does. To be done under the table's lock."""
    _replace(storage, _restore(storage), content)


def _replace(storage: Storage, before: bytes, content: bytes) -> None:
    steps = (Replace(BACKUP_PATH, before), Replace(PROPERTIES_PATH, content), Delete(BACKUP_PATH))
    try:
        run(storage, steps, durable=False)  # one after the other, and together: the backup may stay
    except BaseException:
        # Whatever ended it is the error that counts. The backup of properties that stand as they did is of no use.
        with suppress(HudiError):
            if storage.read(PROPERTIES_PATH) == before:
                storage.delete(BACKUP_PATH)
        raise
    sync_changes(storage)


def _restore(storage: Storage) -> bytes:
    """The properties as they stand; where a writer died while it replaced them, their backup."""
    if storage.exists(PROPERTIES_PATH):
        return storage.read(PROPERTIES_PATH)
    if not storage.exists(BACKUP_PATH):
        raise CorruptFileError(f"{storage.uri}/{PROPERTIES_PATH}", expected="properties, or their backup", found="none")
    content = storage.read(BACKUP_PATH)
    with suppress(AlreadyExistsError):
        storage.create(PROPERTIES_PATH, content)
    return content
