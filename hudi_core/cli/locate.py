"""`locate`: the records that have certain values, and the files that hold them, by a secondary index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

import typer

from hudi_core.cli.options import (
    AsOfOption,
    EngineOption,
    JsonOption,
    MetadataOption,
    TableArgument,
    open_from_options,
    warn,
)
from hudi_core.cli.output import Output
from hudi_core.cli.progress import tally_progress
from hudi_core.cli.words import format_count
from hudi_core.expr.build import lit
from hudi_core.schema.schema import ColumnPlace
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.engines import DEFAULT_ENGINE
from hudi_core.tagging.by_values import tag_by_values
from hudi_core.tagging.key_reader import PARTITION_PATH, RECORD_KEY
from hudi_core.tagging.tag import LOCATION, Tagger
from hudi_core.tagging.work import TaggingMetrics

SHOWN = 20
"""Records shown to people."""


def locate(
    table: TableArgument,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="A column that has a secondary index.")],
    values: Annotated[list[str], typer.Argument(metavar="VALUE...", help="Values of the column, as texts.")],
    as_of: AsOfOption = None,
    engine: EngineOption = DEFAULT_ENGINE,
    metadata: MetadataOption = MetadataMode.AUTO,
    as_json: JsonOption = False,
) -> None:
    """Find the records that have one of some values, with their keys and the files that hold them, by a secondary index.

    A value that no record has is in no row. People see the first 20 records.
    """
    opened_table = open_from_options(table, engine, metadata)
    place = opened_table.schema_at(as_of).get(column, case_sensitive=opened_table.case_sensitive)
    wanted = [lit(value, place.field.type) for value in values]
    rows, out = opened_table.engine.rows, Output(as_json)
    shown: list[dict[str, Any]] = []
    count = 0
    with tally_progress("files", prints_rows=as_json) as tally:
        tagger = Tagger(opened_table, as_of=as_of, work=TaggingMetrics(tally=tally))
        tagged = tag_by_values(tagger, column, wanted, with_keys=True)
        for batch in tagged.batches:
            if as_json:
                for record in _records(rows.to_json(batch, tagged.schema), place):
                    out.line(record)
                continue
            head = rows.slice(batch, 0, SHOWN - len(shown))
            shown += ({**record, **record[LOCATION]} for record in _records(rows.to_json(head, tagged.schema), place))
            count += rows.count(batch)
    if not as_json:
        out.rows(
            (place.name, RECORD_KEY, PARTITION_PATH, "file_id", "instant", "position"), shown, verbatim=(place.name,)
        )
        number = format_count(len(shown), "record")
        out.text(f"\n{f'the first {number} of {count:,}' if count > len(shown) else number}")
    warn(opened_table.warnings)


def _records(rows: Iterable[Mapping[str, Any]], place: ColumnPlace) -> Iterator[dict[str, Any]]:
    """The value, the key and the location of each row."""
    for row in rows:
        value: Any = row
        for name in place.path:
            value = value[name]
        shown = {name: row[name] for name in (RECORD_KEY, PARTITION_PATH, LOCATION)}
        yield {place.name: value, **shown}
