"""How a table merges records: the merge mode that Hudi infers, the rules of payload classes, and what may come out of merging.
Rule MERGE-1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.merge.records import Precedence
from hudi_core.options import MergeMode, TableConfig
from hudi_core.schema.meta import COMMIT_SEQNO, COMMIT_TIME

EVENT_TIME_STRATEGY: Final = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"
COMMIT_TIME_STRATEGY: Final = "ce9acb64-bde0-424c-9b91-f6ebba25356d"
PAYLOAD_STRATEGY: Final = "00000000-0000-0000-0000-000000000000"

_PREFIX: Final = "hoodie.record.merge.property."
_DELETE_FIELD: Final = "hoodie.payload.delete.field"
_DELETE_MARKER: Final = "hoodie.payload.delete.marker"
_UNAVAILABLE: Final = "hoodie.write.partial.update.unavailable.value"
_EVENT_SEQUENCE: Final = "_event_seq"
_DEBEZIUM_UNAVAILABLE: Final = "__debezium_unavailable_value"


class PartialUpdates(Enum):
    """Which values of the winning record count as missing, so that the other record's values stay."""

    IGNORE_DEFAULTS = "IGNORE_DEFAULTS"
    """The default of the column; null where it has none, or null."""
    IGNORE_NULLS = "IGNORE_NULLS"
    """Null: what PartialUpdateAvroPayload does before table version 9."""
    FILL_UNAVAILABLE = "FILL_UNAVAILABLE"
    """Strings and bytes that are a marker."""


@dataclass(frozen=True, slots=True)
class MergeRules:
    """How records with one key are merged. Names are those of the table's columns, dotted when nested."""

    mode: MergeMode
    ordering_fields: tuple[str, ...] = ()
    partial: PartialUpdates | None = None
    unavailable: str | None = None
    delete_field: str | None = None
    delete_marker: str | None = None
    by_value: Precedence = Precedence.HIGHER
    """Which record wins by event time."""
    binlog: bool = False
    """The ordering value is a position in a binary log: rule MERGE-19."""

    @property
    def precedence(self) -> Precedence:
        """Which of two records wins."""
        return Precedence.NEWER if self.mode is MergeMode.COMMIT_TIME_ORDERING else self.by_value

    @property
    def newer_wins(self) -> bool:
        """The newer of two rows wins as a whole, whatever they hold."""
        return self.precedence is Precedence.NEWER and self.partial is None

    @property
    def keeps_stored_values(self) -> bool:
        """A row without a value in a column leaves the stored one there."""
        return self.partial in (PartialUpdates.IGNORE_DEFAULTS, PartialUpdates.IGNORE_NULLS)


_EVENT, _COMMIT, _CUSTOM = MergeMode.EVENT_TIME_ORDERING, MergeMode.COMMIT_TIME_ORDERING, MergeMode.CUSTOM


@dataclass(frozen=True, slots=True)
class Payload:
    """The merge rules of a payload class of Hudi."""

    rules: MergeRules
    mode_since: int | None = 0
    """The table version from which on the class is a merge mode; None where its mode is CUSTOM in every version."""
    before_9: MergeRules | None = None
    """The rules before table version 9, where they differ."""

    def in_version(self, version: int) -> MergeRules:
        """The rules in a table of this version."""
        return self.before_9 if self.before_9 is not None and version < PROPERTIES_SINCE else self.rules


PROPERTIES_SINCE: Final = 9
"""The table version from which on properties replace most payload classes."""
_MODEL: Final = "org.apache.hudi.common.model"
_PARTIAL: Final = MergeRules(_EVENT, partial=PartialUpdates.IGNORE_DEFAULTS)
_POSTGRES: Final = MergeRules(
    _EVENT, ("_event_lsn",), PartialUpdates.FILL_UNAVAILABLE, _DEBEZIUM_UNAVAILABLE, "_change_operation_type", "d"
)
_MYSQL: Final = MergeRules(
    _EVENT, ("_event_bin_file", "_event_pos"), delete_field="_change_operation_type", delete_marker="d"
)

PAYLOADS: Final = {
    f"{_MODEL}.OverwriteWithLatestAvroPayload": Payload(MergeRules(_COMMIT)),
    f"{_MODEL}.DefaultHoodieRecordPayload": Payload(MergeRules(_EVENT)),
    f"{_MODEL}.EventTimeAvroPayload": Payload(MergeRules(_EVENT)),
    f"{_MODEL}.PartialUpdateAvroPayload": Payload(
        _PARTIAL, PROPERTIES_SINCE, before_9=replace(_PARTIAL, partial=PartialUpdates.IGNORE_NULLS)
    ),
    f"{_MODEL}.OverwriteNonDefaultsWithLatestAvroPayload": Payload(
        MergeRules(_COMMIT, partial=PartialUpdates.IGNORE_DEFAULTS), PROPERTIES_SINCE
    ),
    f"{_MODEL}.AWSDmsAvroPayload": Payload(MergeRules(_COMMIT, delete_field="Op", delete_marker="D"), PROPERTIES_SINCE),
    f"{_MODEL}.debezium.PostgresDebeziumAvroPayload": Payload(_POSTGRES, PROPERTIES_SINCE),
    f"{_MODEL}.debezium.MySqlDebeziumAvroPayload": Payload(
        _MYSQL, PROPERTIES_SINCE, before_9=replace(_MYSQL, ordering_fields=(_EVENT_SEQUENCE,), binlog=True)
    ),
    f"{_MODEL}.HoodieAvroPayload": Payload(MergeRules(_COMMIT), None),
    f"{_MODEL}.ReverseOrderHoodieRecordPayload": Payload(MergeRules(_EVENT, by_value=Precedence.LOWER), None),
    f"{_MODEL}.FirstValueAvroPayload": Payload(MergeRules(_EVENT, by_value=Precedence.HIGHER_OR_OLDER), None),
}
"""The payload classes of Hudi's by which tables merge, by their full names. Any other is code of the user's. Rule MERGE-17."""

_COMMIT_ORDER: Final = frozenset({COMMIT_TIME, COMMIT_SEQNO})
_STRATEGIES: Final = {EVENT_TIME_STRATEGY: _EVENT, COMMIT_TIME_STRATEGY: _COMMIT}


def infer_mode(
    version: int, mode: MergeMode | None, payload: str | None, strategy: str | None, ordered: bool, where: str
) -> MergeMode:
    """The merge mode of a table with these properties; with `ordered` it has an ordering field.

    Source: `HoodieTableConfig.inferMergingConfigs`. The payload class outranks the strategy, since version 6 writes one
    strategy for all. Raises `CorruptFileError` for properties that contradict each other.
    """
    if not payload:
        inferred = mode or (_by_strategy(strategy, where) if strategy else _EVENT if ordered else _COMMIT)
        if inferred is _CUSTOM and not strategy:
            raise _contradiction(where, "a payload class or a strategy with the merge mode CUSTOM", "none")
        return inferred
    meaning = PAYLOADS.get(payload)
    is_mode = meaning is not None and meaning.mode_since is not None and version >= meaning.mode_since
    payload_mode = meaning.rules.mode if meaning is not None and is_mode else None
    if version >= PROPERTIES_SINCE and payload_mode is not None:
        return payload_mode
    inferred = payload_mode or _CUSTOM
    if mode is not None and mode is not inferred:
        raise _contradiction(where, f"the merge mode {inferred.value} with the payload class {payload}", mode.value)
    return inferred


def merge_rules(config: TableConfig, where: str) -> MergeRules:
    """How the records of a table are merged.

    Raises `UnsupportedError` for a custom merger or payload, by name; `CorruptFileError` for properties that contradict
    each other.
    """
    mode = infer_mode(
        config.version,
        config.merge_mode,
        config.payload_class,
        config.merge_strategy_id,
        bool(config.ordering_fields),
        where,
    )
    payload = PAYLOADS.get(config.payload_class or "")
    if payload is None and mode is _CUSTOM:
        name = config.payload_class or f"the merge strategy {config.merge_strategy_id}"
        raise UnsupportedError(where, expected="records merged by event time or commit time", found=name)
    rules = MergeRules(mode) if payload is None else payload.in_version(config.version)
    return _with_properties(rules, config, where)


def _with_properties(rules: MergeRules, config: TableConfig, where: str) -> MergeRules:
    """The rules, overridden by the table's properties."""
    stated = {key.removeprefix(_PREFIX): value for key, value in config.properties.items() if value}
    field, marker = stated.get(_DELETE_FIELD), stated.get(_DELETE_MARKER)
    if (field is None) is not (marker is None):
        raise _contradiction(
            where, f"{_DELETE_FIELD} and {_DELETE_MARKER} together", _DELETE_FIELD if field else _DELETE_MARKER
        )
    rules = _by_commit_time(replace(rules, ordering_fields=_ordering_fields(rules, config)))
    partial = rules.partial
    if config.partial_update_mode is not None:
        if config.partial_update_mode not in PartialUpdates.__members__:
            raise UnsupportedError(
                where, expected="a known hoodie.table.partial.update.mode", found=config.partial_update_mode
            )
        partial = PartialUpdates[config.partial_update_mode]
    return MergeRules(
        rules.mode,
        rules.ordering_fields,
        partial,
        stated.get(_UNAVAILABLE, rules.unavailable),
        field or rules.delete_field,
        marker or rules.delete_marker,
        rules.by_value,
        rules.binlog,
    )


def lists_marked_rows(config: TableConfig) -> bool:
    """Whether writers list rows with the delete marker of a table in delete blocks: readers of Apache Hudi know it in the rows of
    log files only where a payload class finds it, before version 9. Rule WRITE-1480."""
    payload = PAYLOADS.get(config.payload_class or "")
    return config.version >= PROPERTIES_SINCE or payload is None or payload.mode_since == 0


def _ordering_fields(rules: MergeRules, config: TableConfig) -> tuple[str, ...]:
    return rules.ordering_fields if rules.binlog else config.ordering_fields or rules.ordering_fields


def _by_commit_time(rules: MergeRules) -> MergeRules:
    """The rules without ordering fields from the first on that the commit orders: rows to write have none yet, and the newer row
    has the greater one. Rule MERGE-200."""
    place = next((place for place, name in enumerate(rules.ordering_fields) if name in _COMMIT_ORDER), None)
    if place is None or rules.by_value is Precedence.LOWER:
        return rules
    return replace(rules, ordering_fields=rules.ordering_fields[:place], mode=rules.mode if place else _COMMIT)


def _by_strategy(strategy: str, where: str) -> MergeMode:
    if strategy == PAYLOAD_STRATEGY:
        raise _contradiction(where, "a payload class with the strategy that merges by payload", "none")
    return _STRATEGIES.get(strategy, _CUSTOM)


def _contradiction(where: str, expected: str, found: str) -> CorruptFileError:
    return CorruptFileError(where, expected=expected, found=found)


class MergedColumns(Enum):
    """The possible results of merging the rows of a file group's files."""

    WHOLE_ROWS = "each row is one that a file holds"
    """Save for log blocks that hold some columns only, which are marked as such."""
    VALUES = "each value of a row is one that a file holds"
    ANYTHING = "code of the user's makes the rows"


def merges(config: TableConfig) -> MergedColumns:
    """The effect of merging in a table, by its merge rules. Where these are unknown anything is possible: no statistics are
    trusted beside log files, and an error in the rules is raised when records are merged. Rules MERGE-2, MERGE-17."""
    try:
        rules = merge_rules(config, config.name)
    except (CorruptFileError, UnsupportedError):
        return MergedColumns.ANYTHING
    return MergedColumns.WHOLE_ROWS if rules.partial is None else MergedColumns.VALUES
