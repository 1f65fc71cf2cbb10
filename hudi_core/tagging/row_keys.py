"""The record keys of rows read from a snapshot's files: Hudi's own column or, with virtual keys, made again. Rule INDEX-2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hudi_core.columns.nodes import StringColumn, kind_name
from hudi_core.errors import CorruptFileError
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.choose import generator_of_table
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.schema.project import project
from hudi_core.schema.schema import Path, Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.types.nodes import String


@dataclass(frozen=True)
class RowKeys:
    """Record keys of rows that have the columns of `schema`. `others` are top-level columns that are read beside the keys."""

    snapshot: Snapshot
    others: Sequence[str] = ()

    def of_rows(self, root: Any, where: str) -> StringColumn:
        """The keys of the rows of an engine's struct. Raises `CorruptFileError` with `where` for keys that are no strings."""
        engine, generator = self.snapshot.engine, self.generator
        values = engine.values.field(root, 0) if generator is None else generator.keys(root).record_key
        keys = engine.rows.to_column(values, String(), where)
        if not isinstance(keys, StringColumn):
            raise CorruptFileError(where, expected="strings as record keys", found=kind_name(keys))
        return keys

    @cached_property
    def generator(self) -> KeyGenerator[Any, Any] | None:
        """The key generator for rows that do not hold their keys; None where they do."""
        if self.snapshot.stores_keys:
            return None
        return KeyGenerator(generator_of_table(self.snapshot.config), self.schema, self.snapshot.engine.values)

    @cached_property
    def schema(self) -> Schema:
        """The columns that hold record keys, or that these are made of, first; then the others."""
        config, schema = self.snapshot.config, self.snapshot.schema
        own: list[Path] = [(RECORD_KEY,)]
        if not self.snapshot.stores_keys:
            named = (*config.record_key_fields, *config.partition_fields)
            own = [schema.get(name.partition(".")[0], case_sensitive=False).path for name in named]
        return project(schema, dict.fromkeys((*own, *((name,) for name in self.others))), requested_order=True)
