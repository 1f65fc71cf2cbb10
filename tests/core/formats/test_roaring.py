"""LOG-13: positions are the members of the bitmap, whatever its containers are."""

from __future__ import annotations

import base64
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError
from hudi_core.formats.roaring import encode_positions, read_positions
from tests.support.drawing import cases


def bitmap(members: list[int], runs: bool) -> bytes:
    """The portable form. With `runs` every second container is one of runs."""
    high = sorted({member >> 32 for member in members})
    return struct.pack("<q", len(high)) + b"".join(
        struct.pack("<I", item) + _low([member & 0xFFFFFFFF for member in members if member >> 32 == item], runs)
        for item in high
    )


def _low(members: list[int], runs: bool) -> bytes:
    keys = sorted({member >> 16 for member in members})
    groups = [sorted({member & 0xFFFF for member in members if member >> 16 == key}) for key in keys]
    in_runs = [runs and number % 2 == 0 for number in range(len(keys))]
    bodies = [_container(group, item) for group, item in zip(groups, in_runs, strict=True)]
    headers = b"".join(struct.pack("<HH", key, len(group) - 1) for key, group in zip(keys, groups, strict=True))
    offsets = bytes(4 * len(keys)) if not runs or len(keys) >= 4 else b""
    if not runs:
        return struct.pack("<II", 12346, len(keys)) + headers + offsets + b"".join(bodies)
    flags = np.packbits(np.array(in_runs, np.bool_), bitorder="little").tobytes()
    return struct.pack("<I", 12347 | (len(keys) - 1) << 16) + flags + headers + offsets + b"".join(bodies)


def _container(group: list[int], in_runs: bool) -> bytes:
    if in_runs:
        values = np.array(group)
        starts = np.flatnonzero(np.concatenate([[True], np.diff(values) > 1]))
        ends = np.append(starts[1:], len(values)) - 1
        pairs = [(int(values[a]), int(values[b] - values[a])) for a, b in zip(starts, ends, strict=True)]
        return struct.pack("<H", len(pairs)) + b"".join(struct.pack("<HH", *pair) for pair in pairs)
    if len(group) <= 4096:
        return np.array(group, "<u2").tobytes()
    bits = np.zeros(65536, np.bool_)
    bits[group] = True
    return np.packbits(bits, bitorder="little").tobytes()


def read(data: bytes) -> list[int]:
    return read_positions(base64.b64encode(data).decode(), "here", max_count=1 << 20).tolist()


positions = st.sets(st.one_of(st.integers(0, 300), st.integers(0, 1 << 20), st.integers(0, 1 << 40)), max_size=40)


@settings(deadline=None)
@given(positions, st.booleans())
def test_members_come_in_order(members: set[int], runs: bool) -> None:
    assert read(bitmap(sorted(members), runs)) == sorted(members)


@pytest.mark.parametrize("runs", [False, True])
def test_full_containers_are_read(runs: bool) -> None:
    members = [*range(9000), *range(70_000, 75_000, 2), *range(200_000, 270_000), 300_000]
    assert read(bitmap(members, runs)) == members


@settings(deadline=None, max_examples=cases(200))
@given(positions, st.booleans(), st.data())
def test_damage_is_named_or_gives_positions(members: set[int], runs: bool, data: st.DataObject) -> None:
    whole = bytearray(bitmap(sorted(members), runs))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    for damaged in (bytes(whole), bytes(whole[:cut])):
        try:
            found = read(damaged)
        except CorruptFileError:
            continue
        assert found == sorted(set(found))


def test_invalid_base64_is_damage() -> None:
    with pytest.raises(CorruptFileError, match="here: expected positions in base64"):
        read_positions("?*", "here", max_count=9)


def test_positions_that_no_file_has_are_damage() -> None:
    with pytest.raises(CorruptFileError, match="here: expected positions of 63 bits"):
        read(bitmap([1 << 63, (1 << 63) + 1], runs=False))


@pytest.mark.parametrize("runs", [False, True])
def test_more_positions_than_records_are_damage(runs: bool) -> None:
    text = base64.b64encode(bitmap(list(range(9)), runs)).decode()
    assert len(read_positions(text, "here", max_count=9)) == 9
    with pytest.raises(CorruptFileError, match="here: expected at most as many positions as records"):
        read_positions(text, "here", max_count=8)


def test_claimed_runs_take_no_memory() -> None:
    container = struct.pack("<H", 65535) + struct.pack("<HH", 0, 65535) * 65535
    claimed = struct.pack("<qIIBHH", 1, 0, 12347, 1, 0, 65535) + container
    tracemalloc.start()
    with pytest.raises(CorruptFileError, match="here: expected at most as many"):
        read(claimed)
    assert tracemalloc.get_traced_memory()[1] < 1 << 23
    tracemalloc.stop()


@settings(max_examples=cases(30))
@given(
    st.sets(st.integers(0, 20) | st.integers(0, 1 << 17) | st.integers(0, (1 << 63) - 1)),
    st.integers(0, 1 << 33),
    st.integers(0, 70_000),
)
def test_positions_that_are_written_are_read_again(some: set[int], first: int, count: int) -> None:
    """LOG-13."""
    members = np.array(sorted(some | set(range(first, first + count))), np.int64)
    assert np.array_equal(read_positions(encode_positions(members), "here", len(members)), members)


def test_positions_are_written_in_the_portable_form() -> None:
    """LOG-13."""
    for members in ([], [0], [1, 5, 70_000], [3 << 32, (3 << 32) + 1], list(range(5000))):
        assert base64.b64decode(encode_positions(np.array(members, np.int64))) == portable(members)


def portable(members: list[int]) -> bytes:
    """The form of the specification, with the offsets of containers."""
    parts = struct.pack("<q", len({member >> 32 for member in members}))
    for high in sorted({member >> 32 for member in members}):
        groups: dict[int, list[int]] = {}
        for member in members:
            if member >> 32 == high:
                groups.setdefault(member >> 16 & 0xFFFF, []).append(member & 0xFFFF)
        offset = 8 + 8 * len(groups)
        headers, offsets, bodies = b"", b"", b""
        for key, group in groups.items():
            body = _container(group, False)
            headers += struct.pack("<HH", key, len(group) - 1)
            offsets += struct.pack("<I", offset)
            offset, bodies = offset + len(body), bodies + body
        parts += struct.pack("<III", high, 12346, len(groups)) + headers + offsets + bodies
    return parts
