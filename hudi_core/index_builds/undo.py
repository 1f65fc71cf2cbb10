"""What an index build that is refused puts back: the table's properties and the definitions of its indexes. Rule META-232.

The partitions of such a build and its instant are removed as those of one that died. What it set beside them would stay:
definitions without a partition, which writers of Apache Hudi try to build at each write.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from hudi_core.commit.properties import replace_properties
from hudi_core.commit.steps import Delete, DeleteFolder, Replace, run
from hudi_core.commit.times import Clock
from hudi_core.formats.properties import parse_properties
from hudi_core.index_builds.removal import end_dead_builds, remove_partitions
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.kinds import beside_listing, has_listing
from hudi_core.metadata.table import FILES, METADATA_FOLDER
from hudi_core.metadata_writer.initial import (
    INDEX_DEFINITIONS_PROPERTY,
    INFLIGHT_PROPERTY,
    PARTITIONS_PROPERTY,
    definitions_step,
)
from hudi_core.options import FOLDER, NEW_TIMELINE_FOLDER, PROPERTIES_PATH, TableConfig
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.files import read_if_there
from hudi_core.timeline.instants import parse_instant

_OF_BUILDS = (PARTITIONS_PROPERTY, INFLIGHT_PROPERTY, INDEX_DEFINITIONS_PROPERTY)
"""The properties that a build sets."""


@dataclass(frozen=True, slots=True)
class StateBefore:
    """A table's properties and index definitions, as they stood when a build began."""

    config: TableConfig
    properties: bytes
    definitions: bytes | None
    known: Mapping[str, IndexDefinition]
    """The definitions, by metadata partition."""


def state_before(table: Table) -> StateBefore:
    """The state of a table that a build is about to change. To be called under the table's lock."""
    storage, config = table.storage, table.config
    content = read_if_there(storage, config.index_definitions_path)
    return StateBefore(config, storage.read(PROPERTIES_PATH), content, index_definitions(storage, config))


def undo_build(
    table: Table, before: StateBefore, partitions: Collection[str], clock: Clock, groups_time: str | None = None
) -> None:
    """Ends a build of these metadata partitions, whose heartbeat is over, and puts back what was there before it: byte by byte
    where nobody changed the table meanwhile. An index that was to be built again, and is gone, has no definition any more.
    `groups_time` is that of the commit of the metadata table that made the file groups of these partitions.

    To be called under the table's lock. Raises `ConflictError` where another build goes on.
    """
    latest, _ = end_dead_builds(table, clock)
    if set(partitions) <= set(latest.config.metadata_partitions):
        return  # it was published before the lock was lost, and is complete now
    left, before_left = latest.config.kept_partitions, before.config.kept_partitions
    if left and not beside_listing(left) and not has_listing(before_left):
        remove_partitions(latest, [FILES])
        latest = refreshed(latest)
    elif groups_time is not None:
        _forget_commit(latest, groups_time)
    _put_definitions_back(latest, before, partitions)
    _put_properties_back(latest, before)


def _forget_commit(table: Table, instant_time: str) -> None:
    """Removes an instant of the metadata table whose files are gone, the end of it first."""
    folder = f"{METADATA_FOLDER}/{NEW_TIMELINE_FOLDER if table.config.layout > 1 else FOLDER}"
    states = {
        info.path: instant.state
        for info in table.storage.list(folder)
        if (instant := parse_instant(info.name)) is not None and instant.requested_time == instant_time
    }
    run(table.storage, map(Delete, sorted(states, key=lambda path: states[path], reverse=True)), durable=False)


def _put_definitions_back(table: Table, before: StateBefore, partitions: Collection[str]) -> None:
    storage, path, kept = table.storage, before.config.index_definitions_path, table.config.kept_partitions
    there = index_definitions(storage, table.config)
    gone = (set(partitions) | (there.keys() - before.known.keys())) - kept
    left = {name: definition for name, definition in there.items() if name not in gone}
    if left != before.known:
        run(storage, [definitions_step(left, path)] if left != there else [])
    elif before.definitions is None:
        run(storage, [Delete(path)], durable=False)
        folder = path.rpartition("/")[0]
        if folder != FOLDER and not storage.list(folder, recursive=True):
            run(storage, [DeleteFolder(folder)], durable=False)
    elif storage.read(path) != before.definitions:
        run(storage, [Replace(path, before.definitions)], durable=False)


def _put_properties_back(table: Table, before: StateBefore) -> None:
    """The properties as they were, where they say the same but for what a build sets."""
    own, earlier = table.config, before.config
    same_partitions = (own.metadata_partitions, own.metadata_partitions_inflight) == (
        earlier.metadata_partitions,
        earlier.metadata_partitions_inflight,
    )
    where = f"{table.storage.uri}/{PROPERTIES_PATH}"
    content = table.storage.read(PROPERTIES_PATH)
    if content == before.properties or not same_partitions:
        return
    stated = [
        {key: value for key, value in parse_properties(text, where).items() if key not in _OF_BUILDS}
        for text in (content, before.properties)
    ]
    if stated[0] == stated[1]:
        replace_properties(table.storage, before.properties)
