"""Opening the conformance tables without the table layer: local storage, properties, timeline."""

from __future__ import annotations

from pathlib import Path

from hudi_core.engine import Storage
from hudi_core.formats.properties import parse_properties
from hudi_core.metadata.table import MetadataTable, open_metadata_table
from hudi_core.options import PROPERTIES_PATH, TableConfig, table_config
from hudi_core.timeline.timeline import Timeline, load_timeline
from hudi_plain.storage import PlainStorage
from tests.support.conformance import TableEntry


def opened(root: Path) -> tuple[Storage, TableConfig, Timeline]:
    """A table's storage, configuration and timeline."""
    storage = PlainStorage(str(root))
    where = f"{storage.uri}/{PROPERTIES_PATH}"
    config = table_config(parse_properties(storage.read(PROPERTIES_PATH), where), where)
    return storage, config, load_timeline(storage, config)


def written(root: Path, files: dict[str, bytes]) -> Storage:
    """A storage of these files, by path."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return PlainStorage(str(root))


def metadata_of(entry: TableEntry) -> tuple[Storage, TableConfig, Timeline, MetadataTable | None]:
    """A recorded table, opened with its metadata table."""
    storage, config, timeline = opened(entry.unpacked())
    return storage, config, timeline, open_metadata_table(storage, config, timeline)
