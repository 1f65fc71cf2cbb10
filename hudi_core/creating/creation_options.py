"""Options of `create`: those that a table's properties keep, those that have the meaning of an argument, those of single writes.

Rules: CREATE-6, CREATE-570.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hudi_core.commit.storage_lock import LOCK_PROVIDER
from hudi_core.errors import UsageError
from hudi_core.keys.options import GENERATOR_CLASS, GENERATOR_TYPE, RECORD_KEY
from hudi_core.service_properties import is_of_service
from hudi_core.tagging.bucket_layout import (
    BUCKET,
    BUCKET_PROPERTIES,
    BUCKETS,
    CONSISTENT,
    INDEX_TYPE,
    read_stated_layout,
)

_TABLE: Final = "hoodie.table."
MERGE_MODE: Final = "hoodie.record.merge.mode"

_PERSISTED: Final = re.compile(
    r"hoodie\.(keygen\.timebased\..*|keygen\.datetime\.parser\.class|record\.merge\.property\..*|table\..*"
    r"|database\.name|populate\.meta\.fields|datasource\.write\.(hive_style_partitioning|partitionpath\.urlencode"
    r"|drop\.partition\.columns|slash\.separated\.date\.partitioning))"
)
"""The options that are in a table's properties; others are those of one write."""
_MERGING: Final = re.compile(r".*\.payload\.class|hoodie\.(datasource\.)?write\.record\.merge\..*")
"""Options by which Apache Hudi chooses a merge mode, which users state as `hoodie.record.merge.mode`."""
_OF_ARGUMENTS: Final = {
    RECORD_KEY: "key",
    "hoodie.table.recordkey.fields": "key",
    "hoodie.datasource.write.partitionpath.field": "partition_by",
    "hoodie.table.partition.fields": "partition_by",
    "hoodie.datasource.write.precombine.field": "ordering",
    "hoodie.table.precombine.field": "ordering",
    "hoodie.table.ordering.fields": "ordering",
    "hoodie.datasource.write.table.type": "type",
    "hoodie.table.type": "type",
    "hoodie.write.table.version": "version",
    "hoodie.table.version": "version",
    "hoodie.table.create.schema": "schema",
    "hoodie.table.metadata.partitions": "indexes",
}
"""Options with the meaning of an argument, from which other properties follow too."""


_KNOWN: Final = frozenset(
    {
        *(name for name in _OF_ARGUMENTS if name.startswith("hoodie.table.")),
        "hoodie.table.base.file.format",
        "hoodie.table.cdc.enabled",
        "hoodie.table.cdc.supplemental.logging.mode",
        "hoodie.table.checksum",
        "hoodie.table.complex.keygenerator.encoding",
        "hoodie.table.format",
        "hoodie.table.index.defs.path",
        "hoodie.table.initial.version",
        "hoodie.table.keygenerator.class",
        "hoodie.table.keygenerator.type",
        "hoodie.table.legacy.payload.class",
        "hoodie.table.log.file.format",
        "hoodie.table.metadata.partitions.inflight",
        "hoodie.table.multiple.base.file.formats.enable",
        "hoodie.table.name",
        "hoodie.table.partial.update.mode",
        "hoodie.table.partition_extractor_class",
        "hoodie.table.storage.layout",
        "hoodie.table.timeline.timezone",
    }
)
"""Properties of tables that Apache Hudi has. A table keeps others too, which users invent."""
_ALIKE: Final = 0.85
"""How much alike a name and a known one are, behind the begin that all have, where it is that name misspelled."""


def is_other_index(option: str, value: str) -> bool:
    """Whether an option chooses an index other than buckets: that is one of single writes."""
    return option == INDEX_TYPE and value.strip().upper() != BUCKET


def select_persisted_options(options: Mapping[str, str]) -> dict[str, str]:
    """The options that are properties of the table as they stand: its own, and those that it states for services."""
    return {option: value for option, value in options.items() if _is_kept(option)}


def options_of_writes(options: Iterable[str]) -> list[str]:
    """The options that are of single writes, and so have no effect on a new table."""
    kept = {*_OF_ARGUMENTS, GENERATOR_TYPE, GENERATOR_CLASS, MERGE_MODE, LOCK_PROVIDER}
    return [option for option in options if option not in kept and not _is_kept(option)]


def refuse_other_index(options: Mapping[str, str], key_fields: Sequence[str], *, merges_on_read: bool) -> None:
    """Raises `UsageError` for options of a bucket index that make none."""
    stated = [option for option in options if option in BUCKET_PROPERTIES]
    if not stated:
        return
    layout = read_stated_layout(options, key_fields)
    if layout is None:
        found = ", ".join(f"{option}={options[option]}" for option in stated)
        raise UsageError(
            "options", expected=f"{INDEX_TYPE}={BUCKET}: other indexes are chosen by each write", found=found
        )
    if layout.consistent and (layout.buckets is None or not merges_on_read):
        expected = f"a merge-on-read table for {CONSISTENT}, and {BUCKETS}"
        raise UsageError("options", expected=expected, found="neither" if layout.buckets is None else "copy on write")


def _is_kept(option: str) -> bool:
    return _PERSISTED.fullmatch(option) is not None or is_of_service(option) or option in BUCKET_PROPERTIES


def refuse_options(options: Mapping[str, str], arguments: Mapping[str, str]) -> None:
    """Raises `UsageError` for an option that differs from the argument with its meaning, or that is no property of a table.

    `arguments` are the values of the arguments of `create` as options have them; beside one that is missing there its options
    are refused whatever they say.
    """
    for option, value in options.items():
        if option in _OF_ARGUMENTS and "".join(value.split()) != arguments.get(_OF_ARGUMENTS[option]):
            raise UsageError(
                "options", expected=f"the argument {_OF_ARGUMENTS[option]}= instead", found=f"{option}={value}"
            )
        if _MERGING.fullmatch(option):
            expected = f"{MERGE_MODE}=EVENT_TIME_ORDERING or =COMMIT_TIME_ORDERING, which stands for payload classes and mergers"
            raise UsageError("options", expected=expected, found=f"{option}={value}")
        if not option.startswith("hoodie."):
            raise UsageError("options", expected="a property of a table", found=option)
        if meant := _find_meant(option):
            raise UsageError("options", expected=meant, found=option)


def _find_meant(option: str) -> str:
    """The property of tables whose name is misspelled, or in other letters' case; nothing for one that Apache Hudi has, and for
    one that is like none."""
    begin, name = option[: len(_TABLE)], option[len(_TABLE) :]
    if option in _KNOWN or begin.lower() != _TABLE or is_of_service(option):
        return ""
    known = [one.removeprefix(_TABLE) for one in sorted(_KNOWN)]
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=_ALIKE)
    return f"{_TABLE}{near[0]}" if near else ""
