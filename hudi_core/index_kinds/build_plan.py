"""The partitions of the metadata table that an index build makes, and the options of builds. Rule META-90."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from hudi_core.arguments import take_fields
from hudi_core.commit.name_limits import longest_file_name, name_limits
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.metadata.expressions import IDENTITY
from hudi_core.metadata.kinds import (
    KINDS,
    build_order,
    group_prefix,
    has_listing,
    has_statistics,
    kinds_of,
    locates_keys,
    of_kind,
)
from hudi_core.metadata.table import COLUMN_STATS, FILES
from hudi_core.metadata_rows.rows_of_change import is_kept
from hudi_core.metadata_writer.initial import possible_partitions
from hudi_core.notebook import show_briefly
from hudi_core.options import TableConfig
from hudi_core.schema.names import name_list
from hudi_core.schema.schema import Path
from hudi_core.stated_properties import property_texts
from hudi_core.table.table import Table
from hudi_core.timeline.schemas import LATEST_SCHEMA
from hudi_core.types import nodes as t

STATISTICS: Final = COLUMN_STATS
"""What an expression index records of the values in a file, unless it is asked for `bloom_filters`."""
PARTITIONED_SINCE: Final = 9
"""The table version from which a record index may be partitioned."""
_EXPRESSION: Final = "expr"
"""The argument by which Apache Hudi's SQL names the function."""
_NAME: Final = re.compile("[A-Za-z0-9_]+")


@show_briefly
@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How indexes are built.

    `columns` are the columns of `column_stats`, or the one column of a secondary or an expression index; None means those that
    it had, or the first columns that can have statistics. `partitioned` says whether a record index is partitioned; None means
    as it was, or not. `name` is the name of a secondary or an expression index; None names it after its function and its
    column.
    """

    columns: Sequence[str] | None = None
    partitioned: bool | None = None
    rebuild: bool = False
    """Existing indexes are dropped and built again."""
    name: str | None = None
    function: str | None = None
    """The function of an expression index, by Apache Hudi's name. None: the one it had, else `identity`."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Further arguments of the function, by Apache Hudi's option, as `pos` and `len`."""
    using: str = STATISTICS
    """What an expression index records of the values in a file: `column_stats` or `bloom_filters`."""

    def __post_init__(self) -> None:
        take_fields(self)
        if self.columns is not None:
            object.__setattr__(self, "columns", name_list(self.columns, "columns"))
        object.__setattr__(self, "arguments", property_texts(self.arguments, "arguments"))
        if _EXPRESSION in self.arguments:
            raise UsageError("arguments", expected="the function in `function`", found=_EXPRESSION)

    @property
    def has_function(self) -> bool:
        """Whether they say of which function of a column an index is, or what it records of the values."""
        return self.function is not None or bool(self.arguments) or self.using != STATISTICS


def choose_partitions(
    table: Table, kinds: Iterable[str], resumed: Iterable[str], options: IndexOptions
) -> tuple[str, ...]:
    """The metadata partitions to make, in their order: the requested ones, those of builds that died, and those that these
    depend on.

    To make `files` again is to make all again. Raises `UsageError` for kinds that cannot be, or that are there already.
    """
    config, wanted = table.config, name_partitions(kinds, options)
    if not wanted:
        raise UsageError("index", expected=f"a kind of index, as {COLUMN_STATS}", found="none")
    there = set(config.metadata_partitions)
    _refuse_impossible(config, wanted)
    repeated = sorted(wanted & there)
    if repeated and not options.rebuild:
        expected = "an index that the table does not have, or `rebuild`"
        raise UsageError("index", expected=expected, found=", ".join(repeated))
    if has_listing(wanted):
        wanted |= there
        there = set()
    if not has_listing(there):
        wanted.add(FILES)
    wanted |= set(resumed) - there
    for kind in KINDS:
        if kind.needs is None:
            continue
        if kind.follows_need and kind.needs in wanted:
            wanted.update(of_kind(kind, there))
        if of_kind(kind, wanted) and kind.needs not in wanted | there:
            if not kind.is_built_with_need:
                raise UsageError("index", expected=f"{kind.needs} as well, which {kind.name} needs", found="none")
            wanted.add(kind.needs)
    strange = [partition for partition in sorted(wanted) if not is_kept(partition)]
    if strange:
        expected = "indexes that can be built here"
        raise UnsupportedError(table.storage.uri, expected=expected, found=", ".join(strange))
    _refuse_options(table, wanted, options)
    _refuse_long_names(table, wanted)
    return tuple(sorted(wanted, key=build_order))


def read_kinds(kinds: Sequence[str], options: IndexOptions) -> tuple[tuple[str, ...], IndexOptions]:
    """The kinds to build as metadata partitions, and the options with what the name of a kind states. Rule META-1561."""
    plain = {kind.partitioned_name: kind.name for kind in KINDS if kind.can_be_partitioned}
    for name in plain.keys() & set(kinds):
        if plain[name] in kinds or options.partitioned is False:
            found = f"{plain[name]} as well" if plain[name] in kinds else "partitioned: False"
            raise UsageError("index", expected=f"{name} alone", found=found)
        options = replace(options, partitioned=True)
    return tuple(plain.get(kind, kind) for kind in kinds), options


def _refuse_long_names(table: Table, partitions: Collection[str]) -> None:
    """Raises `UsageError` for an index whose name the names of its files have no room for."""
    limits = name_limits(table.storage)
    if limits is None:
        return
    for partition in sorted(partitions):
        room = limits.step - longest_file_name(group_prefix(partition))
        if room < 0:
            expected = f"at most {len(partition) + room} bytes for {partition[:20]}..., as this storage has room for"
            raise UsageError("name", expected=expected, found=f"{len(partition)}")


def name_partitions(kinds: Iterable[str], options: IndexOptions) -> set[str]:
    """The metadata partitions of kinds. An index with a name of its own has it in that of its partition."""
    wanted = set(kinds)
    named = [kind for kind in KINDS.named if kind.name in wanted]
    if not any(kind.has_function for kind in named):
        _refuse_function(wanted, options)
    if not named:
        if options.name is not None:
            possible = sorted(kind.name for kind in KINDS.named)
            expected = f"{' or '.join(possible)}, the indexes that take a name"
            raise UsageError("name", expected=expected, found=", ".join(sorted(wanted)))
        return wanted
    kind, columns = named[0], options.columns or ()
    others = [other for other in KINDS if other.has_columns and other is not kind and other.name in wanted]
    if len(columns) != 1 or others:
        apart = " or ".join(other.name for other in others) or COLUMN_STATS
        expected = f"one column for {kind.name}, and {apart} in a build of its own"
        raise UsageError("columns", expected=expected, found=", ".join(columns) or "none")
    default = f"{options.function or IDENTITY}_{columns[0]}" if kind.has_function else columns[0]
    name = default if options.name is None else options.name
    if not _NAME.fullmatch(name):
        raise UsageError("name", expected="letters, digits and underscores", found=repr(name))
    return wanted - {kind.name} | {kind.partition(name)}


def _refuse_function(wanted: set[str], options: IndexOptions) -> None:
    if options.has_function:
        functions = " or ".join(kind.name for kind in KINDS if kind.has_function)
        expected = f"{functions}, the index that takes a function"
        raise UsageError("function", expected=expected, found=", ".join(sorted(wanted)))


def _refuse_impossible(config: TableConfig, wanted: set[str]) -> None:
    named = [kind for kind in KINDS.named if config.version >= kind.since]
    possible = [*possible_partitions(config.version), *sorted(kind.name for kind in named)]
    strange = sorted(name for name in wanted.difference(possible) if not any(kind.is_of(name) for kind in named))
    if strange:
        raise UsageError("index", expected=f"one of {', '.join(possible)}", found=", ".join(strange))


def _refuse_options(table: Table, wanted: set[str], options: IndexOptions) -> None:
    config = table.config
    if options.columns is not None and not any(kind.has_columns for kind in kinds_of(wanted)):
        raise UsageError(
            "index", expected=f"{COLUMN_STATS}, or another index that takes columns", found=", ".join(sorted(wanted))
        )
    if options.partitioned is not None and not locates_keys(wanted):
        raise UsageError("partitioned", expected="a record index, which may be so", found=", ".join(sorted(wanted)))
    if options.partitioned and config.version < PARTITIONED_SINCE:
        expected = f"table version {PARTITIONED_SINCE} for a partitioned record index"
        raise UsageError("index", expected=expected, found=str(config.version))
    refuse_renamed(table, wanted)


def refuse_renamed(table: Table, partitions: Collection[str]) -> None:
    """Raises `UnsupportedError` for statistics of files in a table whose columns have changed their names or types. Rule
    META-1021."""
    if not has_statistics(partitions) or not any(LATEST_SCHEMA in extra for extra in table.timeline.extras()):
        return
    # Statistics of a file are recorded under its column names at that time, and its footer identifies columns by position alone.
    by_id: dict[int, tuple[Path, object]] = {}
    by_path: dict[Path, int] = {}
    for schema in table.history():
        for column, place in schema.places.items():
            kind = place.field.type
            form = place.path, type(kind) if isinstance(kind, t.Nested) else kind
            if by_id.setdefault(column, form) != form or by_path.setdefault(place.path, column) != column:
                expected = f"{COLUMN_STATS} of a table whose columns kept their names and types"
                found = f"a schema history in which {place.name} changed"
                raise UnsupportedError(table.storage.uri, expected=expected, found=found)
