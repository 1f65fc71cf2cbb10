"""What tasks of a flow send: contents of packets as bytes, and reports for the process that runs the flow."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Final

from hudi_core.commit.statuses import WriteStatus
from hudi_core.errors import HudiError, StorageError
from hudi_core.metadata.kinds import locates_keys, stores_filters
from hudi_core.parallel.flow import TO_CALLER, Packet

_REFUSAL: Final = -1
"""In place of the group of a packet, before all others."""
_BYTES_TOGETHER: Final = 1 << 20
"""Bytes of a packet after which another object goes into the next one."""


def pack_object(content: object) -> bytes:
    """An object as bytes."""
    return pickle.dumps(content, protocol=5)


def unpack(packet: Packet) -> Any:
    """What a packet holds."""
    return pickle.loads(packet.content)


def pack_objects(contents: Iterable[object]) -> Iterator[bytes]:
    """Objects as bytes, as many together as make a packet: a packet costs its journey whatever it holds. Rule ENGINE-1440."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=5)
    for content in contents:
        pickler.dump(content)
        if buffer.tell() >= _BYTES_TOGETHER:
            yield buffer.getvalue()
            buffer = io.BytesIO()
            pickler = pickle.Pickler(buffer, protocol=5)
    if buffer.tell():
        yield buffer.getvalue()


def unpack_objects(packet: Packet) -> Iterator[Any]:
    """What a packet holds, one object or many."""
    buffer = io.BytesIO(packet.content)
    unpickler = pickle.Unpickler(buffer)
    while buffer.tell() < len(packet.content):
        yield unpickler.load()


def report(part: int, content: object) -> Packet:
    """A packet for the process that runs the flow."""
    return Packet(TO_CALLER, 0, part, 0, pack_object(content))


def open_reports(reports: Sequence[Packet]) -> list[Any]:
    """What reports hold. Raises the first that is an error: a rule refused a row, and trying again would not help."""
    contents = [content for packet in reports for content in unpack_objects(packet)]
    for content in contents:
        if isinstance(content, HudiError):
            raise content
    return contents


def keep_needed(status: WriteStatus, kept: Collection[str]) -> WriteStatus:
    """What the commit takes of a status, in a table whose writers keep these metadata partitions: keys and filters of all files
    would be as many as their rows."""
    has_records, has_filters = locates_keys(kept), stores_filters(kept)
    return replace(
        status,
        added_keys=status.added_keys if has_records else None,
        removed_keys=status.removed_keys if has_records else None,
        bloom_filter=status.bloom_filter if has_filters else None,
        bloom_filter_type=status.bloom_filter_type if has_filters else None,
    )


def refusal(source: int, number: int, error: HudiError) -> Packet:
    """A packet with the error of a task, for the first part of the next step: that part reports it before it does anything."""
    return Packet(0, _REFUSAL, source, number, pack_object(error))


def by_group(packets: Iterator[Packet]) -> Iterator[tuple[int, Iterator[Packet]]]:
    """The packets of a part by their group. Raises the error of a refusal."""
    yield from groupby(_unless_refused(packets), key=lambda packet: packet.group)


def _unless_refused(packets: Iterator[Packet]) -> Iterator[Packet]:
    for packet in packets:
        if packet.group == _REFUSAL:
            raise unpack(packet)
        yield packet


def write_report(part: int, contents: Callable[[], Iterator[Any]]) -> Iterator[Packet]:
    """Reports of contents, as `write_packed`."""
    return write_packed(part, lambda: pack_objects(contents()))


def write_packed(part: int, packed: Callable[[], Iterator[bytes]]) -> Iterator[Packet]:
    """Reports of contents that are packed, all of them or none: of a part that a rule refuses its error alone. Raises errors of
    storage: another attempt may have more luck."""
    try:
        reports = [Packet(TO_CALLER, 0, part, number, content) for number, content in enumerate(packed())]
    except HudiError as error:
        if isinstance(error, StorageError):
            raise
        yield report(part, error)
    else:
        yield from reports
