"""Reports of parts: objects packed together, errors in the place of all."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from hudi_core.commit.statuses import ColumnRange, WriteStatus
from hudi_core.errors import StorageError, UsageError
from hudi_core.parallel.flow import TO_CALLER, Packet
from hudi_core.transactions.reports import (
    open_reports,
    pack_object,
    pack_objects,
    refusal,
    report,
    unpack_objects,
    write_report,
)

MEGABYTE = 1 << 20


def status(number: int) -> WriteStatus:
    ranges = {name: ColumnRange(number, number + 1, 0, 9) for name in ("id", "ts")}
    return WriteStatus(f"p{number}", f"f{number}", f"p{number}/f{number}.parquet", 1, 2, 3, 4, 5, columns=ranges)


def test_reports_of_many_files_are_few_packets() -> None:
    """ENGINE-1440."""
    packets = list(write_report(3, lambda: map(status, range(5_000))))
    assert 1 <= len(packets) < 5
    assert {(packet.part, packet.source) for packet in packets} == {(TO_CALLER, 3)}
    assert [packet.number for packet in packets] == list(range(len(packets)))
    statuses = open_reports(packets)
    assert [one.path for one in statuses] == [status(number).path for number in range(5_000)]
    assert statuses[-1].columns == status(4_999).columns


def test_packets_end_after_a_megabyte() -> None:
    """ENGINE-1440: objects of any size, each whole, in their order."""
    chance = random.Random(1)
    given = [chance.randbytes(chance.choice([1, 1_000, MEGABYTE // 3, 2 * MEGABYTE])) for _ in range(60)]
    packed = list(pack_objects(given))
    assert [one for content in packed for one in unpack_objects(Packet(0, 0, 0, 0, content))] == given
    assert all(len(content) >= MEGABYTE for content in packed[:-1])
    assert all(len(content) < MEGABYTE + 2 * MEGABYTE + 1_000 for content in packed)
    assert list(pack_objects([])) == []
    assert list(unpack_objects(Packet(0, 0, 0, 0, pack_object("alone")))) == ["alone"]


def test_an_error_takes_the_place_of_all_reports() -> None:
    """ENGINE-911: those of storage are raised, for another attempt may have more luck."""

    def contents(error: Exception) -> Iterator[WriteStatus]:
        yield status(1)
        raise error

    refused = UsageError("rows", expected="this", found="that")
    packets = list(write_report(0, lambda: contents(refused)))
    assert len(packets) == 1
    with pytest.raises(UsageError, match="expected this, found that"):
        open_reports([report(1, status(2)), *packets])
    with pytest.raises(StorageError):
        list(write_report(0, lambda: contents(StorageError("s3://b", message="slow down"))))
    assert next(iter(unpack_objects(refusal(4, 2, refused)))).args == refused.args
