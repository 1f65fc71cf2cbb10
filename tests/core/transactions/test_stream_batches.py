"""Batches of streams that come again, in any order, after writes that died anywhere: each is committed once."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.creating.create import create_table
from hudi_core.errors import CorruptFileError, UsageError
from hudi_core.index_builds.removal import drop_index
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.restoring.undoing import rollback
from hudi_core.table.open import open_table, refreshed
from hudi_core.transactions import transaction
from hudi_core.transactions.stream_batches import StreamBatch, read_committed_batches
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.spread.operations import spread_write
from tests.support.drawing import cases
from tests.support.local_flow import local_rows

TYPES = pa.schema([("id", pa.string()), ("n", pa.int64())])
SENT = st.tuples(
    st.sampled_from("ab"), st.booleans(), st.sampled_from([None, "before", "after", "plain"]), st.booleans()
)


def rows_of(stream: str, number: int) -> pa.Table:
    return pa.table({"id": [f"{stream}{number}", f"{stream}{number}x"], "n": [number, number]}, schema=TYPES)


class DiedError(Exception):
    """A process that dies."""


@given(st.lists(SENT, min_size=1, max_size=12))
@settings(max_examples=cases(25), deadline=None)
def test_each_batch_is_committed_once(sent: list[tuple[str, bool, str | None, bool]]) -> None:
    """WRITE-430, WRITE-431: a stream sends a batch again until it has the answer, and sometimes once more; writers die before and
    after the commit; other writes come in between."""
    with tempfile.TemporaryDirectory() as folder:
        table = create_table(f"{folder}/t", TYPES, "id", type="mor")
        numbers, extra = {"a": 0, "b": 0}, 0
        for stream, again, death, spread in sent:
            number = numbers[stream] - again
            if number < 0:
                continue
            if death == "plain":
                write(table, rows_of("other", extra), "append")
                extra += 1
            with pytest.MonkeyPatch.context() as dying:
                if death in ("before", "after"):
                    _dies(dying, death)
                try:
                    _send(table, stream, number, spread)
                except DiedError:
                    dying.undo()
                    _send(table, stream, number, spread)
            numbers[stream] = max(numbers[stream], number + 1)
        held = sorted(row["id"] for row in open_table(table.storage.uri).scan(columns=["id"]).to_json_rows())
        expected = [rows_of(stream, number) for stream in "ab" for number in range(numbers[stream])]
        expected += [rows_of("other", number) for number in range(extra)]
        assert held == sorted(key for rows in expected for key in rows.column("id").to_pylist())
        last = {stream: number - 1 for stream, number in numbers.items() if number}
        assert read_committed_batches(refreshed(table)) == last


def _send(table: Any, stream: str, number: int, spread: bool) -> None:
    options, rows = WriteOptions(batch=StreamBatch(number, stream)), rows_of(stream, number)
    if spread:
        spread_write(table, local_rows(table.engine, [rows.slice(0, 1), rows.slice(1)]), "append", options)
    else:
        write(table, rows, "append", options)


def _dies(dying: pytest.MonkeyPatch, death: str) -> None:
    commit = transaction.Transaction.commit

    def dead(self: Any, *arguments: Any) -> Any:
        if death == "after":
            commit(self, *arguments)
        raise DiedError

    dying.setattr(transaction.Transaction, "commit", dead)
    dying.setattr(transaction, "_undo", lambda *_, **__: None)


def test_a_batch_without_rows_is_committed(tmp_path: Path) -> None:
    """WRITE-430: so that the stream does not send it again."""
    table = create_table(tmp_path / "t", TYPES, "id")
    write(table, TYPES.empty_table(), options=WriteOptions(batch=StreamBatch(4)))
    assert read_committed_batches(refreshed(table)) == {"default_single_writer": 4}
    assert write(table, rows_of("a", 1), options=WriteOptions(batch=StreamBatch(4))).instant is None
    assert list(refreshed(table).scan().to_json_rows()) == []


def test_a_batch_that_was_rolled_back_is_written_again(tmp_path: Path) -> None:
    """WRITE-431."""
    table = create_table(tmp_path / "t", TYPES, "id")
    options = WriteOptions(batch=StreamBatch(0, "s"))
    write(table, rows_of("a", 0), options=WriteOptions(batch=StreamBatch(7, "other")))
    written = write(table, rows_of("b", 0), options=options)
    rollback(refreshed(table), written.instant)
    assert read_committed_batches(refreshed(table)) == {"other": 7}
    assert write(table, rows_of("b", 0), options=options).instant is not None
    assert read_committed_batches(refreshed(table)) == {"other": 7, "s": 0}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 9])
def test_a_batch_whose_commit_was_archived_is_not_written_again(tmp_path: Path, version: int) -> None:
    """WRITE-1435: the stream paused while others wrote."""
    table = create_table(tmp_path / "t", TYPES, "id", version=version)
    if table.config.kept_partitions:
        drop_index(table, "files")  # its compactions would hold back archives
    for stream, number in (("s", 3), ("other", 8)):
        write(table, rows_of(stream, number), "append", WriteOptions(batch=StreamBatch(number, stream)))
    for number in range(6):
        write(table, rows_of("plain", number), "append")
    properties = {"hoodie.clean.commits.retained": "1"}
    assert archive(refreshed(table), ArchiveOptions(2, properties=properties)).instants >= 2
    assert read_committed_batches(refreshed(table)) == {"s": 3, "other": 8}
    assert write(table, rows_of("s", 3), "append", WriteOptions(batch=StreamBatch(3, "s"))).instant is None
    write(table, rows_of("s", 4), "append", WriteOptions(batch=StreamBatch(4, "s")))
    assert read_committed_batches(refreshed(table)) == {"s": 4, "other": 8}
    assert refreshed(table).scan().count() == 2 * (2 + 6 + 1)


def test_entries_of_apache_hudi_are_read_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-430: an object of strings by stream; one that cannot be read stops the stream."""
    table = create_table(tmp_path / "t", TYPES, "id")
    entry = {"_hudi_streaming_sink_checkpoint": '{"s": "3"}'}
    assert StreamBatch(3, "s").entry(table) == entry
    monkeypatch.setattr("hudi_core.timeline.timeline.Timeline.extras", lambda _: [entry])
    assert read_committed_batches(table) == {"s": 3}
    monkeypatch.setattr(
        "hudi_core.timeline.timeline.Timeline.extras", lambda _: [{"_hudi_streaming_sink_checkpoint": "[3]"}]
    )
    with pytest.raises(CorruptFileError, match="expected an object of batch numbers"):
        read_committed_batches(table)


@pytest.mark.parametrize("wrong", [-1, True, "3"])
def test_batches_have_numbers(wrong: Any) -> None:
    """WRITE-430."""
    with pytest.raises(UsageError, match="expected a number of 0 or more"):
        StreamBatch(wrong)
    with pytest.raises(UsageError, match="expected a name"):
        StreamBatch(1, "")


@pytest.mark.parametrize("spread", [False, True])
def test_a_batch_that_another_query_has_committed_is_refused(tmp_path: Path, spread: bool) -> None:
    """WRITE-1501: two queries under one name, or one that counts from 0 again, would lose the rows of their batches."""
    table = create_table(tmp_path / "t", TYPES, "id")
    _send_of(table, 3, "a", "first", spread)
    _send_of(table, 8, "b", None, spread)
    for number in (0, 3):
        with pytest.raises(UsageError, match=r"stream a: .* batch .* of query second, .* query first .* up to batch 3"):
            _send_of(table, number, "a", "second", spread)
        assert _send_of(table, number, "a", "first", spread).instant is None
        assert _send_of(table, number, "a", None, spread).instant is None
        assert _send_of(table, number, "b", "second", spread).instant is None
    assert read_committed_batches(refreshed(table)) == {"a": 3, "b": 8}
    assert refreshed(table).scan().count() == 4


def test_the_query_of_a_batch_is_that_of_its_last_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-1501: a commit without a query, as Apache Hudi's are, leaves it unknown; other streams keep theirs."""
    table = create_table(tmp_path / "t", TYPES, "id")
    _send_of(table, 0, "a", "first")
    _send_of(table, 0, "b", "other")
    _send_of(table, 1, "a", None)
    assert _send_of(table, 1, "a", "second").instant is None
    with pytest.raises(UsageError, match="stream b"):
        _send_of(table, 0, "b", "second")
    _send_of(table, 2, "a", "second")
    with pytest.raises(UsageError, match="query second"):
        _send_of(table, 2, "a", "first")
    monkeypatch.setattr("hudi_core.timeline.timeline.Timeline.extras", lambda _: [{**ENTRY, QUERIES: "[1]"}])
    with pytest.raises(CorruptFileError, match="expected an object of queries"):
        StreamBatch(1, "a", "first").is_committed(table)


def test_the_query_of_an_archived_batch_is_known(tmp_path: Path) -> None:
    """WRITE-1501, WRITE-1435."""
    table = create_table(tmp_path / "t", TYPES, "id", version=6)
    if table.config.kept_partitions:
        drop_index(table, "files")
    _send_of(table, 3, "a", "first")
    for number in range(6):
        write(table, rows_of("plain", number), "append")
    archive(refreshed(table), ArchiveOptions(2, properties={"hoodie.clean.commits.retained": "1"}))
    assert _send_of(table, 3, "a", "first").instant is None
    with pytest.raises(UsageError, match="query first"):
        _send_of(table, 3, "a", "second")


ENTRY = {"_hudi_streaming_sink_checkpoint": '{"a": "3"}'}
QUERIES = "hudi_core.streaming_sink_queries"


def _send_of(table: Any, number: int, stream: str, query: str | None, spread: bool = False) -> Any:
    options, rows = WriteOptions(batch=StreamBatch(number, stream, query)), rows_of(stream, number)
    if spread:
        return spread_write(table, local_rows(table.engine, [rows]), "append", options)
    return write(table, rows, "append", options)
