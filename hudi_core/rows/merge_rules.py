"""How a table merges records: the mode Hudi infers from its properties, and what old payload classes mean. Rule MERGE-1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.options import MergeMode, TableConfig
from hudi_core.rows.merge import Precedence

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
    """Which values of the record that wins count as not given, so that the other record's stay."""

    IGNORE_DEFAULTS = "IGNORE_DEFAULTS"
    """The default of the column; null where it has none, or null."""
    IGNORE_NULLS = "IGNORE_NULLS"
    """Null: what PartialUpdateAvroPayload does before table version 9."""
    FILL_UNAVAILABLE = "FILL_UNAVAILABLE"
    """Texts and bytes that are a marker."""


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
    """The ordering value is a place in a binary log: rule MERGE-19."""

    @property
    def precedence(self) -> Precedence:
        """Which of two records wins."""
        return Precedence.NEWER if self.mode is MergeMode.COMMIT_TIME_ORDERING else self.by_value


_EVENT, _COMMIT, _CUSTOM = MergeMode.EVENT_TIME_ORDERING, MergeMode.COMMIT_TIME_ORDERING, MergeMode.CUSTOM

_MODES: Final = {
    "OverwriteWithLatestAvroPayload": _COMMIT,
    "DefaultHoodieRecordPayload": _EVENT,
    "EventTimeAvroPayload": _EVENT,
}
"""Payload classes that are a mode in every table version."""

_MEANINGS: Final = {
    "PartialUpdateAvroPayload": MergeRules(_EVENT, partial=PartialUpdates.IGNORE_DEFAULTS),
    "OverwriteNonDefaultsWithLatestAvroPayload": MergeRules(_COMMIT, partial=PartialUpdates.IGNORE_DEFAULTS),
    "AWSDmsAvroPayload": MergeRules(_COMMIT, delete_field="Op", delete_marker="D"),
    "PostgresDebeziumAvroPayload": MergeRules(
        _EVENT,
        ("_event_lsn",),
        PartialUpdates.FILL_UNAVAILABLE,
        _DEBEZIUM_UNAVAILABLE,
        "_change_operation_type",
        "d",
    ),
    "MySqlDebeziumAvroPayload": MergeRules(
        _EVENT, ("_event_bin_file", "_event_pos"), delete_field="_change_operation_type", delete_marker="d"
    ),
}
"""Payload classes that table version 9 spells as properties."""

_BY_CLASS_ALONE: Final = {
    "HoodieAvroPayload": MergeRules(_COMMIT),
    "ReverseOrderHoodieRecordPayload": MergeRules(_EVENT, by_value=Precedence.LOWER),
    "FirstValueAvroPayload": MergeRules(_EVENT, by_value=Precedence.HIGHER_OR_OLDER),
}
"""Payload classes whose meaning no property spells: their mode is CUSTOM in every table version."""

_STRATEGIES: Final = {EVENT_TIME_STRATEGY: _EVENT, COMMIT_TIME_STRATEGY: _COMMIT}


def infer_mode(
    version: int, mode: MergeMode | None, payload: str | None, strategy: str | None, ordered: bool, where: str
) -> MergeMode:
    """The merge mode of a table with these properties; `ordered` says that it has an ordering field.

    Source: `HoodieTableConfig.inferMergingConfigs`. The payload class outranks the strategy, since version 6 writes one
    strategy for all. Raises `CorruptFileError` for properties that contradict each other.
    """
    name = (payload or "").rpartition(".")[2]
    if not name:
        found = mode or (_by_strategy(strategy, where) if strategy else _EVENT if ordered else _COMMIT)
        if found is _CUSTOM and not strategy:
            raise _contradiction(where, "a payload class or a strategy with the merge mode CUSTOM", "none")
        return found
    known = _MODES.get(name) or (_MEANINGS[name].mode if name in _MEANINGS and version >= 9 else None)
    if version >= 9 and known is not None:
        return known
    found = known or _CUSTOM
    if mode is not None and mode is not found:
        raise _contradiction(where, f"the merge mode {found.value} with the payload class {name}", mode.value)
    return found


def merge_rules(config: TableConfig, where: str) -> MergeRules:
    """How the records of a table are merged.

    Raises `UnsupportedError` for a custom merger or payload, by name; `CorruptFileError` for properties that contradict
    each other.
    """
    name = (config.payload_class or "").rpartition(".")[2]
    mode = infer_mode(
        config.version,
        config.merge_mode,
        config.payload_class,
        config.merge_strategy_id,
        bool(config.ordering_fields),
        where,
    )
    rules = MergeRules(mode)
    if name in _MEANINGS:
        rules = _MEANINGS[name]
        if name == "PartialUpdateAvroPayload" and config.version < 9:
            rules = replace(rules, partial=PartialUpdates.IGNORE_NULLS)
        if name == "MySqlDebeziumAvroPayload" and config.version < 9:
            rules = replace(rules, ordering_fields=(_EVENT_SEQUENCE,), binlog=True)
    elif name in _BY_CLASS_ALONE:
        rules = _BY_CLASS_ALONE[name]
    elif mode is _CUSTOM:
        found = config.payload_class or f"the merge strategy {config.merge_strategy_id}"
        raise UnsupportedError(where, expected="records merged by event time or commit time", found=found)
    return _as_stated(rules, config, where)


def _as_stated(rules: MergeRules, config: TableConfig, where: str) -> MergeRules:
    """The rules with what the properties say themselves."""
    stated = {key.removeprefix(_PREFIX): value for key, value in config.properties.items() if value}
    field, marker = stated.get(_DELETE_FIELD), stated.get(_DELETE_MARKER)
    if (field is None) is not (marker is None):
        raise _contradiction(
            where, f"{_DELETE_FIELD} and {_DELETE_MARKER} together", _DELETE_FIELD if field else _DELETE_MARKER
        )
    partial = rules.partial
    if config.partial_update_mode is not None:
        if config.partial_update_mode not in PartialUpdates.__members__:
            raise UnsupportedError(
                where, expected="a known hoodie.table.partial.update.mode", found=config.partial_update_mode
            )
        partial = PartialUpdates[config.partial_update_mode]
    return MergeRules(
        rules.mode,
        rules.ordering_fields if rules.binlog else config.ordering_fields or rules.ordering_fields,
        partial,
        stated.get(_UNAVAILABLE, rules.unavailable),
        field or rules.delete_field,
        marker or rules.delete_marker,
        rules.by_value,
        rules.binlog,
    )


def _by_strategy(strategy: str, where: str) -> MergeMode:
    if strategy == PAYLOAD_STRATEGY:
        raise _contradiction(where, "a payload class with the strategy that merges by payload", "none")
    return _STRATEGIES.get(strategy, _CUSTOM)


def _contradiction(where: str, expected: str, found: str) -> CorruptFileError:
    return CorruptFileError(where, expected=expected, found=found)
