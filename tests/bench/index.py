"""Indexes built on tables that are there, and HFiles written and read.

column_stats_and_bloom_1000_files  `files`, statistics of 4 columns and bloom filters of a table without a metadata table
record_index_4m_keys               the record index of 4 million keys in 200 files, beside other indexes

Every call works on a copy of the table, whose data files are links; making it is part of our time and not of Apache Hudi's. The
indexes of both sides are validated: every location, and that no bound and no filter leaves out a row of its file.

hfile_write_1m, hfile_read_1m      a million records as a record index has them; the peer compresses or inflates the same bytes
                                   with zlib and does nothing else
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hudi_core.columns.nodes import BinaryColumn, StringColumn
from hudi_core.formats.hfile.cells import keys_of
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.hfile.write import HFileWriter
from hudi_core.formats.inflate import LEVEL
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.front.opening import open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.metadata.table import FILES
from hudi_core.metadata_rows.rows import GroupKeys, location_rows
from hudi_core.metadata_writer.group_files import order_rows
from tests.bench import apache_hudi
from tests.bench.timing import Elsewhere, Pair, Unbuilt

WITHOUT_GOAL = (("hfile_write_1m", "zlib"), ("hfile_read_1m", "zlib"))

_STATISTICS = ("ts", "a", "b", "c")
_BUILT: Mapping[str, tuple[str, tuple[str, ...], IndexOptions]] = {
    "column_stats_and_bloom_1000_files": (
        "cow_tag_1000",
        ("column_stats", "bloom_filters"),
        IndexOptions(columns=_STATISTICS),
    ),
    "record_index_4m_keys": ("cow_tag", ("record_index",), IndexOptions()),
}
RECORDS = 1_000_000
_BLOCK = 1 << 20


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if peer == "zlib" and case in ("hfile_write_1m", "hfile_read_1m"):
        return _write_pair() if case == "hfile_write_1m" else _read_pair()
    if peer != "apache-hudi" or case not in _BUILT:
        raise Unbuilt("no measurement of this case")
    _, kinds, options = _BUILT[case]

    def built(folder: str) -> Path:
        copy = _copied(_tables()[case], Path(folder) / "t")
        build_indexes(open_table(copy), kinds, options)
        return copy

    def ours() -> None:
        with tempfile.TemporaryDirectory(prefix="bench-index-", dir=_tables()[case].parent) as folder:
            built(folder)

    def check(_: object, theirs: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="bench-index-", dir=_tables()[case].parent) as folder:
            _assert_valid(built(folder), kinds)
        _assert_valid(theirs, kinds)

    return Pair(ours, Elsewhere(lambda: _of_apache_hudi(case)), check, 0.0, burst=2)


def _assert_valid(path: Path, kinds: Sequence[str]) -> None:
    table = open_table(path)
    assert {"files", *kinds} <= set(table.config.metadata_partitions), f"{path}: {table.config.metadata_partitions}"
    findings = list(table.validate(kinds))
    assert not findings, f"{len(findings)} findings, the first of them {findings[0]}"


@cache
def _tables() -> Mapping[str, Path]:
    """The table that each case begins with."""
    whole = apache_hudi.table("cow_tag_1000")
    bare = whole.parent / "cow_tag_bare"
    if not bare.is_dir():
        drop_index(open_table(_copied(whole, whole.parent / "cow_tag_bare.new")), FILES)
        (whole.parent / "cow_tag_bare.new").rename(bare)
    return {"column_stats_and_bloom_1000_files": bare, "record_index_4m_keys": apache_hudi.table("cow_tag")}


def _copied(source: Path, target: Path) -> Path:
    shutil.copytree(source, target, copy_function=_linked)
    return target


def _linked(source: str, target: str) -> None:
    """A link to a data file, which nobody changes; a copy of what stands in the table's own folder."""
    if ".hoodie" in Path(source).parts:
        shutil.copy2(source, target)
    else:
        os.link(source, target)


def _of_apache_hudi(case: str) -> tuple[list[float], Path]:
    """The seconds of its builds, and the table that it left."""
    line = _peer_lines()[case]
    return line["seconds"], Path(_scratch().name) / f"peer-{case}"


@cache
def _peer_lines() -> Mapping[str, Any]:
    bare, indexed = _tables().values()
    script = Path(__file__).with_name("index_peer.py")
    lines = apache_hudi.script(script, str(bare), str(indexed), _scratch().name)
    return {line["case"]: line for line in lines}


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    """It is there until the process ends."""
    return tempfile.TemporaryDirectory(prefix="bench-index-", dir=next(iter(_tables().values())).parent)


@cache
def records() -> tuple[StringColumn, BinaryColumn]:
    """Keys and values of a million records of a record index, in order."""
    draw = np.random.default_rng(5)
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    keys = digits[draw.integers(0, 16, (RECORDS, 36))]
    strings = StringColumn(np.arange(RECORDS + 1, dtype=np.int64) * 36, keys.reshape(-1))
    rows = order_rows(
        location_rows([GroupKeys("p1", "7b3c2f04-98a1-4c6e-9f0d-2b1a5c8e7d60-0", strings)], 1_700_000_000_000)
    )
    return rows.keys, rows.values


@cache
def _hfile() -> bytes:
    sink = io.BytesIO()
    writer = HFileWriter(sink)
    writer.add(*records())
    writer.finish({"schema": b"bytes"})
    return sink.getvalue()


@cache
def _cells() -> bytes:
    """What the blocks of the file hold."""
    return HFile(InMemoryFile(_hfile(), "made")).cells().data.tobytes()


def _write_pair() -> Pair:
    records(), _cells()

    def peer() -> int:
        return sum(len(zlib.compress(_cells()[at : at + _BLOCK], LEVEL)) for at in range(0, len(_cells()), _BLOCK))

    def ours() -> int:
        _hfile.cache_clear()
        return len(_hfile())

    def check(size: int, compressed: int) -> None:
        assert compressed * 0.8 < size < compressed * 1.1  # by ISA-L fewer bytes than by zlib

    return Pair(ours, peer, check, 3.0)


def _read_pair() -> Pair:
    blocks = [zlib.compress(_cells()[at : at + _BLOCK], LEVEL) for at in range(0, len(_cells()), _BLOCK)]

    def ours() -> int:
        return len(keys_of(HFile(InMemoryFile(_hfile(), "made")).cells()).offsets) - 1

    def check(count: int, size: int) -> None:
        assert count == RECORDS
        assert size == len(_cells())

    return Pair(ours, lambda: sum(len(zlib.decompress(block)) for block in blocks), check, 3.0)
