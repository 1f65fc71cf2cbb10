"""`bloom_filters`: the bloom filters of base files. Rules META-30 to META-33."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hudi_core.columns.nodes import select_nested_column, to_list
from hudi_core.errors import CorruptFileError
from hudi_core.metadata.lookup import LookupResult
from hudi_core.metadata.records import decode_values

_PAYLOAD = "BloomFilterMetadata"
_WANTED = frozenset({f"{_PAYLOAD}.bloomFilter", f"{_PAYLOAD}.isDeleted"})


def filter_texts(results: Iterable[LookupResult]) -> Iterator[tuple[int, bytes]]:
    """The texts of the filters that were found, each with the number of its key. Deleted and empty ones are left out."""
    for result in results:
        column = decode_values([result.batch], _WANTED)
        try:
            texts = to_list(select_nested_column(column, _PAYLOAD, "bloomFilter"))
            deleted = to_list(select_nested_column(column, _PAYLOAD, "isDeleted"))
        except KeyError:
            raise CorruptFileError(result.batch.where, expected="a schema of bloom filters", found="another") from None
        for number, text, gone in zip(result.keys.tolist(), texts, deleted, strict=True):
            if text and not gone:
                yield number, bytes(text)
