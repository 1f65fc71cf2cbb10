"""Opening a table: its properties and its timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hudi_core.arguments import take_flag
from hudi_core.by_need import ModuleByNeed
from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError, NotATableError, StorageError, UsageError, describe
from hudi_core.formats.properties import parse_properties
from hudi_core.local_uris import local_path, refuse_no_path
from hudi_core.options import NEW_TIMELINE_FOLDER, PROPERTIES_PATH, TableConfig, table_config
from hudi_core.rows.outside_files import is_there
from hudi_core.snapshot.footer_cache import DEFAULT_MAX_BYTES, FooterCache
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.storage_parts import StorageWithAnswersAhead
from hudi_core.table.engines import DEFAULT_ENGINE, load_engine
from hudi_core.table.table import Table
from hudi_core.timeline.files import read_if_there
from hudi_core.timeline.history import history_of
from hudi_core.timeline.timeline import load_timeline

if TYPE_CHECKING:
    from hudi_core.snapshot import snapshot as snapshots
else:
    snapshots = ModuleByNeed("hudi_core.snapshot.snapshot")  # opening a table needs none

T = TypeVar("T", bound=Table)

_BACKUP = f"{PROPERTIES_PATH}.backup"


def open_table(
    uri: str | PathLike[str],
    engine: str = DEFAULT_ENGINE,
    *,
    metadata: MetadataMode | str = MetadataMode.AUTO,
    case_sensitive: bool = False,
    footer_cache: str | None = None,
    footer_cache_bytes: int = DEFAULT_MAX_BYTES,
    storage_options: Mapping[str, str] | None = None,
) -> Table:
    """The Hudi table whose root folder is at a local path or URL.

    `footer_cache` is a local file that keeps footers of base files, for planning where the metadata table has no
    statistics; it is created if missing, may serve many tables and processes, and grows to `footer_cache_bytes`.

    `storage_options` go to the library that opens the URL: `pyarrow.fs` for s3, gs, abfs and hdfs, where they may also stand
    after a `?` in the URL, and fsspec for others.

    Reads its properties and lists its timeline, nothing else. Raises `NotATableError`, `UnsupportedError` for an unknown
    version, `CorruptFileError` for damaged properties, `UsageError` for an unknown engine or metadata mode.
    """
    location, exact = location_of(uri), take_flag("case_sensitive", case_sensitive)
    if metadata not in list(MetadataMode):
        raise UsageError("metadata", expected=f"one of {', '.join(MetadataMode)}", found=repr(metadata))
    loaded_engine = load_engine(engine)
    storage = loaded_engine.storage(location, storage_options)
    _expect(storage)
    config = _properties(storage)
    timeline = load_timeline(storage, config, history_of(loaded_engine, storage, config))
    cache = None if footer_cache is None else FooterCache(footer_cache, footer_cache_bytes)
    return Table(loaded_engine, storage, config, timeline, MetadataMode(metadata), exact, cache)


def location_of(uri: object) -> str:
    """The path or URL of a table. Raises `UsageError` for what is neither, and for an empty string, which would be the current
    folder."""
    if not isinstance(uri, str | PathLike) or isinstance(location := fspath(uri), bytes):
        raise UsageError("table", expected="a path or URL", found=describe(uri))
    if not location.strip():
        raise UsageError("table", expected="a path or URL", found="an empty string")
    refuse_no_path(location)
    return location


def refreshed(table: T) -> T:
    """The table with its latest commits, opened again without a second read of files that have not changed.

    These are the contents of instants, the files of the metadata table, and the statistics of columns of earlier
    predicates, which only read what was written since. `table` does not change; it is returned when nothing has changed.
    Raises what `open_table` does.
    """
    _forget_expected(table.storage)
    if table.metadata_read is not None:
        table.storage.expect(folders=[table.metadata_read.timeline.folder])
    return _look_again(table, is_locked=False)


def look_to_plan(table: T, *, statistics: bool = False) -> T:
    """As `refreshed`, for whoever looks at the table's slices next. Remote storage is asked for what these are made of, and with
    `statistics` for those of files, beside the timeline. Rule STORE-1556."""
    return _look_beside(table, statistics=statistics, commits=False)


def look_to_commit(table: T, *, files: Sequence[str] = ()) -> T:
    """As `look_to_plan`, under the table's lock, for whoever commits next: also for what the metadata table's part of the
    commit is made of, and for `files` that are read next, but not for the data files of a table without a metadata table."""
    return _look_beside(table, files, statistics=False, commits=True)


def _look_beside(table: T, files: Sequence[str] = (), *, statistics: bool, commits: bool) -> T:
    storage, config, mode = table.storage, table.config, table.metadata_mode
    _forget_expected(storage)
    announced = snapshots.announce_snapshot(storage, config, mode, statistics=statistics, commits=commits)
    storage.expect(files=files)
    latest = _look_again(table, is_locked=commits)
    if not commits and latest is not table:
        announced = frozenset()
    latest.snapshot().expect(statistics=statistics, announced=announced, is_listed=not commits)
    return latest


def _look_again(table: T, *, is_locked: bool) -> T:
    storage = table.storage
    _expect(storage)
    config = _properties(storage)
    timeline = load_timeline(storage, config, history_of(table.engine, storage, config))
    is_unchanged = config == table.config and timeline.files == table.timeline.files
    if is_unchanged and _is_up_to_date(table):
        return table
    if not is_locked:
        # A commit may have come between the listing of the metadata table and that of the timeline, which has to be the first
        # then: a commit of the timeline is in the metadata table, and a pending write is known to be pending. Rule STORE-1556.
        _forget_expected(storage)
    return type(table)(
        table.engine,
        storage,
        config,
        timeline.with_contents_of(table.timeline),
        table.metadata_mode,
        table.case_sensitive,
        table.footer_cache,
        table.metadata_read,
        table.key_options,
    )


def _forget_expected(storage: Storage) -> None:
    """Has storage asked anew for what may have changed since it was fetched ahead: it is of an earlier state. Rule STORE-1555."""
    if isinstance(storage, StorageWithAnswersAhead):
        storage.forget_expected()


def _is_up_to_date(table: Table) -> bool:
    """Whether a table with an unchanged timeline needs no second read. Its metadata table may have been compacted or have a
    new index; what could not be used may be usable."""
    metadata = table.metadata_read
    return not table.warnings and (metadata is None or metadata.has_not_changed())


def _expect(storage: Storage) -> None:
    """Lists the timeline beside the properties, which give its folder: in new tables, this one."""
    storage.expect(files=[PROPERTIES_PATH], folders=[NEW_TIMELINE_FOLDER])


def _properties(storage: Storage) -> TableConfig:
    """The properties; while a writer replaces them, their backup."""
    where, content = f"{storage.uri}/{PROPERTIES_PATH}", read_if_there(storage, PROPERTIES_PATH)
    damage: CorruptFileError | None = None
    if content is not None:
        try:
            return table_config(parse_properties(content, where), where)
        except CorruptFileError as error:
            damage = error
    backup, content = f"{storage.uri}/{_BACKUP}", read_if_there(storage, _BACKUP)
    if content is None:
        raise damage or NotATableError(
            storage.uri, expected=f"a Hudi table, with {PROPERTIES_PATH}", found=_description_of(storage)
        )
    config = table_config(parse_properties(content, backup), backup)
    finding = f"{PROPERTIES_PATH} is {'damaged' if damage else 'not there'}: its backup is used"
    return config.model_copy(update={"findings": (*config.findings, finding)})


def _description_of(storage: Storage) -> str:
    try:
        if storage.list("", recursive=False):
            return "a folder without it"
    except StorageError as error:
        return error.found or "a path that cannot be listed"
    if storage.is_remote:
        return "no such folder, or an empty one"
    place = Path(local_path(storage.uri))
    if not is_there(place):
        return "no such folder"
    if place.is_file():
        return "a file"
    return "a folder without it" if any(place.iterdir()) else "an empty folder"
