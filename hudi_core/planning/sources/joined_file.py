"""A base file of a bootstrap and the file that has the columns of its rows, read as one. Rule TABLE-730."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.engine import Engine, Footer, OpenedFile
from hudi_core.errors import CorruptFileError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.meta import META_COLUMNS
from hudi_core.schema.project import project
from hudi_core.schema.schema import Path, Schema
from hudi_core.types.nodes import Field, Record, String


@dataclass(frozen=True)
class JoinedFile:
    """The meta columns of a skeleton beside the columns of a source file: row by row, in the order of both."""

    engine: Engine[Any, Any, Any]
    skeleton: OpenedFile[Any]
    source: OpenedFile[Any]
    where: str

    @cached_property
    def footer(self) -> Footer:
        """The metadata of both, without row groups: those of the two do not meet. Raises `CorruptFileError` for files of
        different numbers of rows."""
        own, other = self.skeleton.footer, self.source.footer
        if own.rows != other.rows:
            expected = f"{other.rows} rows, as the file has that was bootstrapped"
            raise CorruptFileError(self.where, expected=expected, found=str(own.rows))
        meta = tuple(field for field in own.schema.fields if field.name in META_COLUMNS)
        rest = tuple(field for field in other.schema.fields if field.name not in META_COLUMNS)
        record = record_with_ids(Record((*meta, *rest), own.schema.record.name))
        statistics = {path: leaf for path, leaf in other.statistics.items() if path[0] not in META_COLUMNS}
        own_statistics = {path: leaf for path, leaf in own.statistics.items() if path[0] in META_COLUMNS}
        return Footer(own.rows, Schema(record), own.metadata, {**statistics, **own_statistics}, size=own.size)

    def batches(
        self,
        columns: Sequence[str | Path] | None = None,
        row_groups: Sequence[int] | None = None,
        keep: Bools | None = None,
    ) -> Iterator[Any]:
        """The rows of both; there are no row groups to choose from."""
        wanted: Sequence[str | Path] = (
            [field.name for field in self.footer.schema.fields] if columns is None else columns
        )
        own = [column for column in wanted if _top(column) in META_COLUMNS]
        other = [column for column in wanted if _top(column) not in META_COLUMNS]
        if not other:
            return self.skeleton.batches(own, None, keep)
        if not own:
            return self.source.batches(other, None, keep)
        return self._join(own, other, keep)

    def _join(self, own: Sequence[str | Path], other: Sequence[str | Path], keep: Bools | None) -> Iterator[Any]:
        fields = (*self._fields(self.skeleton, own), *self._fields(self.source, other))
        rows, values, first = self.engine.rows, self.engine.values, len(self._fields(self.skeleton, own))
        pairs = self._align(self.skeleton.batches(own, None, keep), self.source.batches(other, None, keep))
        for left, right in pairs:
            roots = rows.root(left), rows.root(right)
            columns = [
                (field, values.field(roots[number >= first], number - first if number >= first else number))
                for number, field in enumerate(fields)
            ]
            no_nulls = values.is_null(values.literal("", String(), roots[0]))
            yield rows.batch(values.struct(columns, no_nulls, roots[0]))

    def _align(self, left: Iterator[Any], right: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
        """Batches of as many rows each. Raises `CorruptFileError` where one side ends before the other."""
        rows = self.engine.rows
        one, other = next(left, None), next(right, None)
        while one is not None and other is not None:
            counts = rows.count(one), rows.count(other)
            count = min(counts)
            if count:
                yield rows.slice(one, 0, count), rows.slice(other, 0, count)
            one = self._rest(one, count) if counts[0] > count else next(left, None)
            other = self._rest(other, count) if counts[1] > count else next(right, None)
        if one is not None or other is not None:
            raise CorruptFileError(self.where, expected="as many rows as were bootstrapped", found="others")

    def _rest(self, batch: Any, first: int) -> Any:
        return self.engine.rows.keep(batch, np.arange(self.engine.rows.count(batch)) >= first)

    @staticmethod
    def _fields(file: OpenedFile[Any], columns: Sequence[str | Path]) -> tuple[Field, ...]:
        return project(file.footer.schema, columns).fields


def _top(column: str | Path) -> str:
    return column if isinstance(column, str) else column[0]
