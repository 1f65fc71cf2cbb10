"""Records located by values of a column that has a secondary index. Rule INDEX-23."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hudi_core.engine import InputRows
from hudi_core.errors import UnsupportedError
from hudi_core.expr.build import col
from hudi_core.planning.sources.indexes import SecondaryIndex
from hudi_core.schema import meta
from hudi_core.table.table import Table
from hudi_core.tagging.key_reader import PARTITION_PATH, RECORD_KEY
from hudi_core.tagging.tag import Tagger, TagOptions
from hudi_core.timeline.times import Time

DEFAULT = TagOptions()


def locate_values(
    table: Table, column: str, values: Iterable[object], options: TagOptions = DEFAULT, as_of: Time | None = None
) -> Any:
    """The records whose column has one of the values, each with its key and its location, as `tag` gives its rows.

    Rows have the column, the columns of the key, and `location`; a value that no record has has no row. See `tag_by_values`.
    """
    tagged = tag_by_values(Tagger(table, options, as_of), column, values)
    return table.engine.rows.stream(tagged.schema, tagged.batches)


def tag_by_values(tagger: Tagger, column: str, values: Iterable[object], *, with_keys: bool = False) -> InputRows[Any]:
    """The records whose column has one of the values, tagged; `with_keys` as in `Tagger.tag`.

    The secondary index decides which files are read; where it is behind or damaged, more of them are. Values are those of a
    predicate (`expr.build.lit`). Raises `UnknownColumnError`, and `UnsupportedError` for a column without a secondary index.
    """
    table, snapshot = tagger.table, tagger.sources.snapshot
    config, stored = table.config, table.config.populate_meta_fields
    key_names = (
        (meta.RECORD_KEY, meta.PARTITION_PATH) if stored else (*config.record_key_fields, *config.partition_fields)
    )
    wanted = list(dict.fromkeys((column, *key_names)))
    scan = table.scan(col(*column.split(".")).is_in(list(values)), wanted, tagger.as_of)
    place = snapshot.schema.find(column, case_sensitive=table.case_sensitive)
    assert place is not None  # the scan has found it
    indexes = [index for index in tagger.sources.indexes if isinstance(index, SecondaryIndex)]
    if place.field.id not in {index.column for index in indexes}:
        shown = ", ".join(index.name for index in indexes) or "none"
        built = f"hudi-core index build {snapshot.storage.uri} secondary_index --columns {column}"
        raise UnsupportedError(
            snapshot.storage.uri, expected=f"a secondary index of {column}, as {built} makes", found=shown
        )
    names = (meta.RECORD_KEY, meta.PARTITION_PATH) if stored else (RECORD_KEY, PARTITION_PATH)
    return tagger.tag(InputRows(scan.schema, scan.batches()), with_keys=with_keys, key_names=names)
