"""How a write looks up the keys of its rows: by which index, in one partition or in all."""

from __future__ import annotations

from hudi_core.errors import UnsupportedError
from hudi_core.metadata.kinds import locates_keys
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import INDEX_TYPE, bucket_layout
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.key_columns import KeyColumns, Locations
from hudi_core.tagging.tag import Tagger, TagOptions
from hudi_core.writing.write_options import WriteOptions
from hudi_core.writing.write_properties import needs_record_index


def tag_options(table: Table, options: WriteOptions) -> TagOptions:
    """How a write locates keys. A record index has each key once in the whole table, so with one a key is looked for in all
    partitions; in a table of buckets in the file group that its hash names."""
    layout = bucket_layout(table, options.properties)
    if layout is None:
        has_record_index = locates_keys(table.config.kept_partitions)
        if needs_record_index(options.properties) and not has_record_index:
            found = f"{INDEX_TYPE}={options.properties[INDEX_TYPE]}"
            raise UnsupportedError(
                table.storage.uri, expected="a record index, which finds a key in any partition", found=found
            )
        return TagOptions(options.index, has_record_index)
    return TagOptions(IndexType.BUCKET, False, None if layout.consistent else layout.buckets, layout.hash_fields)


def locate(table: Table, keys: KeyColumns, options: WriteOptions) -> tuple[Tagger, Locations]:
    """For each key the number of the slice that holds it, and its place in the base file where it is known."""
    tagger = Tagger(table, tag_options(table, options))
    if len(keys) == 0 or len(tagger.sources.snapshot.slices) == 0:
        return tagger, Locations.nowhere(len(keys))
    return tagger, tagger.locate(keys)
