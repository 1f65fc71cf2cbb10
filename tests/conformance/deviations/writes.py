"""Deviations of writes. A question holds `ask`: what is written."""

from __future__ import annotations

from tests.conformance.deviations import Deviation, always

WRITES = (
    Deviation(
        "writes",
        "a write of nothing",
        lambda question: bool(question["ask"] == "a write of nothing"),
        always("no instant"),
        "A write that changes no file commits nothing, unless `allow_empty` or `hoodie.allow.empty.commit=true` asks for it.",
        "Hudi commits an instant without files. As in other table formats, history then shows changes alone; streams that record "
        "in a commit how far they are ask for it.",
    ),
    Deviation(
        "writes",
        "a row in another partition than the stored row of its key, under a record index",
        lambda question: bool(question["ask"] == "a row in another partition"),
        always("it moves"),
        "The row moves to its partition, and the stored one is deleted, unless `hoodie.record.index.update.partition.path=false` "
        "is stated for the table or the write: then the row stays in its old partition, as in Hudi.",
        "Hudi moves rows under its global bloom and simple indexes; under a record index it leaves them in their old partition "
        "by default, where the partition's path and its column then differ.",
    ),
    Deviation(
        "writes",
        "added rows that lack a column of the table",
        lambda question: bool(question["ask"] == "added rows without a column"),
        always("null"),
        "Null, or the column's default: no stored value is lost. A batch that also has a new column is refused, as are rows that "
        "take the place of others.",
        "Hudi refuses the batch, unless `hoodie.write.set.null.for.missing.columns=true`.",
    ),
)
