"""STORE-7, contents kept between processes: by name and size, never damaged, never beyond the bound."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hudi_arrow.stores.file_cache import FileCache, local_cache
from hudi_core.errors import UsageError

PART = ("s3://lake/t", "a/b", 5, "whole")


def test_cached_entries_are_there_for_the_next_process(tmp_path: Path) -> None:
    path = str(tmp_path / "cache")
    FileCache(path).put(*PART, b"hello")
    cache = FileCache(path)
    assert cache.get(*PART) == b"hello"
    others = [
        ("s3://lake/u", *PART[1:]),
        (PART[0], "a/c", *PART[2:]),
        (*PART[:2], 6, PART[3]),
        (*PART[:3], "end"),
    ]
    assert [cache.get(*other) for other in others] == [None] * 4


def test_damage_is_no_content(tmp_path: Path) -> None:
    path = tmp_path / "cache"
    FileCache(str(path)).put(*PART, b"hello")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE parts SET content = ?", (b"jello",))
    cache = FileCache(str(path))
    assert cache.get(*PART) is None
    cache.put(*PART, b"hello")
    assert cache.get(*PART) == b"hello"


def test_it_stays_within_its_bound(tmp_path: Path) -> None:
    path, content = tmp_path / "cache", b"x" * 100_000
    cache = FileCache(str(path), 1 << 20)
    for number in range(40):
        cache.put("root", str(number), 1, "whole", content)
    with sqlite3.connect(path) as database:
        (held,) = database.execute("SELECT sum(length(content)) FROM parts").fetchone()
    assert 300_000 < held <= 1 << 20
    cache.put("root", "huge", 1, "whole", b"x" * (1 << 18))
    assert cache.get("root", "huge", 1, "whole") is None


def test_a_file_of_someone_else_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other") as database:
        database.execute("CREATE TABLE mine (a)")
    (tmp_path / "text").write_text("not a database at all " * 100)
    for path in (tmp_path / "other", tmp_path / "text", tmp_path, tmp_path / "no folder" / "cache"):
        with pytest.raises(UsageError):
            local_cache(str(path), 1 << 20)


def test_a_cache_that_fails_costs_a_warning(tmp_path: Path) -> None:
    cache = FileCache(str(tmp_path / "cache"))
    with sqlite3.connect(tmp_path / "cache") as database:
        database.execute("DROP TABLE parts")
    with pytest.warns(UserWarning, match="fetched from their store"):
        assert cache.get(*PART) is None
