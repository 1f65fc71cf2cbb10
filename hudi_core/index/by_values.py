"""Records located by values of a column that has a secondary index. Rule INDEX-23."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hudi_core.engine import InputRows
from hudi_core.errors import UnsupportedError
from hudi_core.expr.build import col
from hudi_core.index.key_reader import PARTITION_PATH, RECORD_KEY
from hudi_core.index.tag import Tagger, TagOptions
from hudi_core.planning.sources.indexes import SecondaryIndex
from hudi_core.schema import meta
from hudi_core.table.table import Table
from hudi_core.timeline.times import Time

DEFAULT = TagOptions()


def locate_values(
    table: Table, column: str, values: Iterable[object], options: TagOptions = DEFAULT, as_of: Time | None = None
) -> Any:
    """The records whose column has one of the values, each with its key and its location, as `tag` gives its rows.

    Rows have the column, the columns of the key, and `location`; a value that no record has has no row. See `tag_by_values`.
    """
    found = tag_by_values(Tagger(table, options, as_of), column, values)
    return table.engine.rows.stream(found.schema, found.batches)


def tag_by_values(tagger: Tagger, column: str, values: Iterable[object], *, with_keys: bool = False) -> InputRows[Any]:
    """The records whose column has one of the values, tagged; `with_keys` as in `Tagger.tag`.

    The secondary index tells which files are read; where it is behind or damaged, more of them are. Values are those of a
    predicate (`expr.build.lit`). Raises `UnknownColumnError`, and `UnsupportedError` for a column without a secondary index.
    """
    table, snapshot = tagger.table, tagger.sources.snapshot
    config, stored = table.config, table.config.populate_meta_fields
    of_key = (meta.RECORD_KEY, meta.PARTITION_PATH) if stored else (*config.record_key_fields, *config.partition_fields)
    asked = list(dict.fromkeys((column, *of_key)))
    scan = table.scan(col(*column.split(".")).is_in(list(values)), asked, tagger.as_of)
    place = snapshot.schema.find(column, case_sensitive=table.case_sensitive)
    assert place is not None  # the scan has found it
    indexes = [each for each in tagger.sources.indexes if isinstance(each, SecondaryIndex)]
    if place.field.id not in {each.column for each in indexes}:
        had = ", ".join(each.name for each in indexes) or "none"
        raise UnsupportedError(snapshot.storage.uri, expected=f"a secondary index of {column}", found=had)
    names = (meta.RECORD_KEY, meta.PARTITION_PATH) if stored else (RECORD_KEY, PARTITION_PATH)
    return tagger.tag(InputRows(scan.schema, scan.batches()), with_keys=with_keys, key_names=names)
