"""The schema of a table and the schemas its files were written under, with stable column ids. Rules TIME-30 to TIME-36.

With schema evolution on read a table has a history of schemas with ids. Without one a column is identified by its name, and
ids are assigned along the commits of the active timeline.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.engine import FileInfo
from hudi_core.errors import SchemaError, StorageError, UnsupportedError
from hudi_core.evolve.identity import identify
from hudi_core.formats.names import parse_base_file
from hudi_core.options import TableConfig
from hudi_core.schema.ids import GREATEST_ID, NO_ID, column_ids, record_with_missing_ids, record_with_other_ids
from hudi_core.schema.json import history_from_json, schema_from_json
from hudi_core.schema.meta import is_meta, with_meta_columns
from hudi_core.schema.schema import Path, Schema
from hudi_core.timeline.instants import time_order
from hudi_core.timeline.timeline import Timeline
from hudi_core.types.nodes import Field, Record, String, Type, children
from hudi_core.types.walk import with_children

_AVRO, LATEST_SCHEMA = "schema", "latest_schema"
"""Entries of a commit's `extraMetadata`: the schema of its rows, and the table's schema with ids."""

FooterSchema = Callable[[FileInfo], Schema]
"""Reads the schema in a base file's footer."""

Written = list[tuple[str, Mapping[str, str]]]
"""Extra metadata of commits by requested time, oldest first."""


@dataclass(frozen=True)
class SchemaHistory:
    """The schemas that files of a table were written under, oldest first, and the one it has.

    `times` are requested times of commits in ascending order, and `numbers` the schema each wrote under. Before the first of
    them there may have been schemas that are not recorded any more.
    """

    schemas: tuple[Schema, ...]
    times: tuple[str, ...]
    numbers: tuple[int, ...]
    latest: Schema

    def number_at(self, instant: str) -> int:
        """The number in `schemas` of the schema that files of an instant were written under: that of the commit, else of the
        last one before it, else the first."""
        position = bisect_right(self._order, time_order(instant)) - 1
        return self.numbers[position] if position >= 0 else 0

    def certain(self, instant: str) -> bool:
        """The schema of an instant is known, and not taken from the first commit after it."""
        return not self._order or time_order(instant) >= self._order[0]

    def identify(self, schema: Schema, number: int) -> Schema:
        """A schema as a file or a block of a log file has it, with the column ids of the version of this number. Columns that the
        version lacks get ids that no column of the table has, nor gets from a write that is under way. A column whose name is the
        version's in other letters' case is that one: some writers spell names as their source does. Rules TIME-230, TIME-1569."""
        greatest = max(self.latest.max_column_id, GREATEST_ID)
        return with_ids_of(schema, self.schemas[number], greatest, any_case=True)

    def after(self, instant: str, schema: Schema) -> SchemaHistory:
        """The history with a write of this instant, whose schema the table's becomes."""
        place, number = bisect_right(self._order, time_order(instant)), len(self.schemas)
        times = (*self.times[:place], instant, *self.times[place:])
        numbers = (*self.numbers[:place], number, *self.numbers[place:])
        return SchemaHistory((*self.schemas, schema), times, numbers, schema)

    @cached_property
    def _order(self) -> list[str]:
        return [time_order(time) for time in self.times]


def schema_history(timeline: Timeline, config: TableConfig, footer_schema: FooterSchema) -> SchemaHistory:
    """The schemas of a table up to the timeline's instant. The meta columns come first where rows have them.

    The table's schema is that of the last commit that records one, else that of a file it wrote, else the one the table was
    created with. Raises `SchemaError` when none is recorded.
    """
    written = [(i.requested_time, extra) for i, extra in zip(timeline.commits, timeline.extras(), strict=True)]
    history = _history(timeline, config, written, footer_schema)
    return replace(history, latest=_with_keys(_with_partition_columns(history.latest, config), config))


def _with_keys(schema: Schema, config: TableConfig) -> Schema:
    """The schema with the table's keys, as far as it has their columns."""
    present = [
        [name for name in names if schema.find(name) is not None]
        for names in (config.record_key_fields, config.partition_fields)
    ]
    return schema.with_keys(*present)


def _history(timeline: Timeline, config: TableConfig, written: Written, footer_schema: FooterSchema) -> SchemaHistory:
    stored = _read_stored_schemas(timeline, written)
    if stored:
        return _by_id(written, stored, config)
    texts = [(time, text) for time, extra in written if (text := extra.get(_AVRO))]
    if not texts:
        only = _schema_without_commits(timeline, config, footer_schema)
        return SchemaHistory((only,), (), (), only)
    distinct = list(dict.fromkeys(text for _, text in texts))
    schemas = identify(_from_avro(text, config) for text in distinct)
    numbers = {text: number for number, text in enumerate(distinct)}
    latest = schemas[numbers[texts[-1][1]]]
    latest = replace(latest, max_column_id=max(schema.max_column_id for schema in schemas))
    return SchemaHistory(schemas, tuple(time for time, _ in texts), tuple(numbers[text] for _, text in texts), latest)


def _by_id(written: Written, stored: Mapping[int, Schema], config: TableConfig) -> SchemaHistory:
    """With a history: a commit's own schema with ids, else the last one of the history before it, else its Avro schema with
    the ids that its names have in the first schema of the history. Archived commits wrote under the history's versions."""
    others = _find_reused_ids(stored)
    stored = {version: _with_other_ids(schema, others) for version, schema in stored.items()}
    versions = sorted(stored)
    greatest = max(schema.max_column_id for schema in stored.values())
    schemas: list[Schema] = []
    known: dict[object, int] = {}
    earlier = [version for version in versions if not written or version < int(written[0][0])]
    times = [str(version) for version in earlier if version]
    if times or (written and _is_changed(*written[0], versions)):
        # Files of archived commits were written under versions that no commit of the timeline records.
        schemas += [stored[version] for version in earlier]
        known = {version: number for number, version in enumerate(earlier)}
    numbers = [known[int(time)] for time in times]
    for time, extra in written:
        internal, avro = extra.get(LATEST_SCHEMA), extra.get(_AVRO)
        position = bisect_right(versions, int(time)) - 1
        key: object = internal or (
            versions[position] if position >= 0 and versions[position] > 0 else avro or versions[0]
        )
        if key not in known:
            known[key] = len(schemas)
            if isinstance(key, int):
                schemas.append(stored[key])
            elif internal:
                schemas.append(_with_other_ids(schema_from_json(internal, f"{LATEST_SCHEMA} of commit {time}"), others))
            else:
                schemas.append(with_ids_of(_from_avro(str(key), config), stored[versions[0]], greatest))
        numbers.append(known[key])
    if not schemas:
        schemas.append(stored[versions[-1]])
    last = schemas[numbers[-1]] if numbers else schemas[0]
    latest = replace(last, max_column_id=max(extra.max_column_id for extra in (*schemas, *stored.values())))
    latest = _restore_names(latest, written, config)
    return SchemaHistory(tuple(schemas), (*times, *(time for time, _ in written)), tuple(numbers), latest)


def _is_changed(time: str, extra: Mapping[str, str], versions: Sequence[int]) -> bool:
    """Whether a commit wrote under a later version than the one from before the first change."""
    internal = extra.get(LATEST_SCHEMA)
    if internal:
        return schema_from_json(internal, f"{LATEST_SCHEMA} of commit {time}").version > 0
    return any(0 < version <= int(time) for version in versions)


def _restore_names(latest: Schema, written: Written, config: TableConfig) -> Schema:
    """The latest schema with the type names and defaults of its Avro text, where both have the same columns."""
    avro = next((text for _, extra in reversed(written) if (text := extra.get(_AVRO))), None)
    if avro is None:
        return latest
    schema = _from_avro(avro, config)
    # Of tables with virtual keys the Avro text has no meta columns, a history may have them.
    lacking = [field for field in latest.fields if is_meta(field.name) and (field.name,) not in schema.ids]
    if {*schema.ids, *((field.name,) for field in lacking)} != set(latest.ids):
        return latest
    record = with_ids_of(schema, latest, latest.max_column_id).record
    in_front = lacking and latest.fields[0] is lacking[0]
    fields = (*lacking, *record.fields) if in_front else (*record.fields, *lacking)
    return replace(latest, record=replace(record, fields=fields))


def with_ids_of(stored: Schema, version: Schema, greatest: int, *, any_case: bool = False) -> Schema:
    """A schema without ids (of a file, or Avro text) with the column ids that its names have in `version`; columns that the
    version lacks get ids above `greatest`. With `any_case` a name that it lacks counts for the only one that differs in its
    letters' case, which the schema has not itself."""

    def number(parent: Type, path: Path) -> Type:
        fields = children(parent)
        paths = [(*path, field.name) for field in fields]
        if any_case and any(one not in version.ids for one in paths):
            paths = _find_in_any_case(paths, version)
        return with_children(parent, tuple(map(renumber, fields, paths)))

    def renumber(field: Field, path: Path) -> Field:
        return replace(field, id=version.ids.get(path, NO_ID), type=number(field.type, path))

    record = number(stored.record, ())
    assert isinstance(record, Record)
    return Schema(record_with_missing_ids(record, greatest))


def _find_in_any_case(paths: Sequence[Path], version: Schema) -> list[Path]:
    """The paths of sibling columns as a version has them: those that it lacks in any letters' case, where one column is meant."""
    spelled = [path if path in version.ids else _only(version.list_spellings(path), path) for path in paths]
    meant = Counter(spelled)
    return [named if meant[named] == 1 else path for path, named in zip(paths, spelled, strict=True)]


def _only(named: Sequence[Path], path: Path) -> Path:
    return named[0] if len(named) == 1 else path


def _with_partition_columns(latest: Schema, config: TableConfig) -> Schema:
    """Partition columns that files, and so the schemas of commits, leave out: as the table was created with, else as strings.
    Where they are to be left out they come last, whether or not the last commit has them."""
    if last := [column for column in latest.fields if column.name in config.left_out_columns]:
        first = (column for column in latest.fields if column not in last)
        latest = replace(latest, record=replace(latest.record, fields=(*first, *last)))
    missing = [name for name in config.partition_fields if latest.find(name, case_sensitive=False) is None]
    if not missing:
        return latest
    created = schema_from_avro(config.create_schema, "hoodie.table.create.schema") if config.create_schema else None
    known = {field.name: field for field in created.fields} if created else {}
    fields = [replace(known.get(name, Field(NO_ID, name, String())), id=NO_ID) for name in missing]
    record = replace(latest.record, fields=(*latest.record.fields, *fields))
    return Schema(record_with_missing_ids(record, latest.max_column_id), latest.version)


def _from_avro(text: str, config: TableConfig) -> Schema:
    schema = schema_from_avro(text, "schema of a commit")
    return replace(schema, record=with_meta_columns(schema.record)) if config.has_meta_columns else schema


def _read_stored_schemas(timeline: Timeline, written: Written) -> dict[int, Schema]:
    """The newest history document of a commit that counts, by version; with it the schemas that commits carry themselves."""
    stored: dict[int, Schema] = {}
    document = timeline.schema_file
    if document is not None:
        where, text = document
        stored = {schema.version: schema for schema in history_from_json(text, where)}
    for time, extra in written:
        internal = extra.get(LATEST_SCHEMA)
        if internal:
            schema = schema_from_json(internal, f"{LATEST_SCHEMA} of commit {time}")
            stored.setdefault(schema.version, schema)
    return stored


def _find_reused_ids(stored: Mapping[int, Schema]) -> dict[int, Mapping[int, int]]:
    """By version, the ids to replace: an id that returns after a version without it belongs to another column.

    Hudi computes the greatest id again when columns were dropped, and then reuses ids.
    """
    fresh = count(max(schema.max_column_id for schema in stored.values()) + 1)
    seen: set[int] = set()
    current: dict[int, int] = {}
    others: dict[int, Mapping[int, int]] = {}
    for version in sorted(stored):
        columns = [column for column in column_ids(stored[version].record) if column >= 0]
        current = {
            column: current[column] if column in current else next(fresh) if column in seen else column
            for column in columns
        }
        seen.update(columns)
        others[version] = {column: new_id for column, new_id in current.items() if column != new_id}
    return others


def _with_other_ids(schema: Schema, others: Mapping[int, Mapping[int, int]]) -> Schema:
    new_ids = others.get(schema.version)
    if not new_ids:
        return schema
    greatest = max(schema.max_column_id, *new_ids.values())
    return replace(schema, record=record_with_other_ids(schema.record, new_ids), max_column_id=greatest)


def read_recorded_history(timeline: Timeline) -> tuple[str, Schema] | None:
    """The newest history document, empty where there is none, and the schema with ids that was recorded last, as it is there.
    None for a table without schema evolution on read. Raises `SchemaError` and `CorruptFileError` for damage."""
    document = timeline.schema_file
    if document is not None:
        where, text = document
        return text, max(history_from_json(text, where), key=lambda schema: schema.version)
    internal = [extra[LATEST_SCHEMA] for extra in timeline.extras() if extra.get(LATEST_SCHEMA)]
    return ("", schema_from_json(internal[-1], LATEST_SCHEMA)) if internal else None


def _schema_without_commits(timeline: Timeline, config: TableConfig, footer_schema: FooterSchema) -> Schema:
    for _, metadata in timeline.newest_first():
        for stats in metadata.stats.values():
            for stat in stats:
                if stat.path and parse_base_file(stat.path.rpartition("/")[2]) is not None:
                    try:
                        return footer_schema(FileInfo(stat.path, stat.file_size or 0))
                    except StorageError:
                        if timeline.storage.exists(stat.path):  # a clean removes files that commits name
                            raise
                    except UnsupportedError:
                        continue
    if config.create_schema:
        return _from_avro(config.create_schema, config)
    raise SchemaError(
        timeline.storage.uri, expected="a schema in a commit, a base file or the properties", found="none"
    )
