"""SOURCE-19: footers kept in a local file: the same plans, and nothing believed that is not of this very file."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.engine import FileInfo, Footer
from hudi_core.errors import CorruptFileError, StorageError, UsageError
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.front.opening import open_table
from hudi_core.schema.schema import Schema
from hudi_core.snapshot import footer_cache as module
from hudi_core.snapshot.footer_cache import FooterCache, _footer, _text
from hudi_core.types import nodes as t
from tests.core.planning.sources.test_file_headers import group
from tests.support.commands import ran, rides, rides_in
from tests.support.conformance import TableEntry, each_table_where
from tests.support.made_tables import MadeTable

FILE = FileInfo("p/a.parquet", 100)
LEAVES: list[tuple[t.Type, object, object]] = [
    (t.Boolean(), False, True),
    (t.Int(), -5, 7),
    (t.Long(), -(1 << 63), (1 << 63) - 1),
    (t.Float(), -0.0, 1.5),
    (t.Double(), 5e-324, float("inf")),
    (t.Date(), -1, None),
    (t.Time(t.Unit.MILLIS), 0, 86_399_999),
    (t.Timestamp(t.Unit.NANOS, zoned=False), -1, 1_700_000_000_000_000_001),
    (t.String(), "", "\N{GRINNING FACE}\x00"),
    (t.Binary(), b"", b"\xff\x00"),
    (t.Fixed(3, "ns.f", ("old",)), b"abc", b"abd"),
    (t.Uuid(t.Fixed(16)), "00000000-0000-0000-0000-000000000000", None),
    (
        t.Decimal(38, 10, t.Fixed(16), implied=True),
        Decimal("-1.0000000000"),
        Decimal("12345678901234567890.0123456789"),
    ),
    (t.Enumeration(("A", "B"), "e"), "A", "B"),
    (t.Vector(2, t.VectorElement.INT8), b"\x00\x01", b"\x02\x03"),
]


def footer(value: int = 0) -> Footer:
    """A footer with a leaf of every primitive type, two of them below a record, and lists, maps and unions beside them."""
    flat = [t.Field(number, f"c{number}", of, number % 2 == 0) for number, (of, _, _) in enumerate(LEAVES)]
    inner = t.Record((t.Field(101, "a.b", t.Int()), t.Field(102, "v", t.String(), optional=False)), "ns.r")
    nested = [
        t.Field(100, "r", inner),
        t.Field(110, "l", t.Array(t.Field(111, "element", t.Int()))),
        t.Field(120, "m", t.Map(t.Field(121, "key", t.String(), optional=False), t.Field(122, "value", inner_of(123)))),
        t.Field(130, "u", t.Union((t.Field(131, "member0", t.Int()), t.Field(132, "member1", t.String())))),
    ]
    schema = Schema(t.Record((*flat, *nested), "ns.row"), max_column_id=500)
    statistics: dict[tuple[str, ...], LeafStatistics] = {
        (f"c{number}",): LeafStatistics(of, low, high, number, 100, nans=number % 2 == 0)
        for number, (of, low, high) in enumerate(LEAVES)
    }
    statistics["r", "a.b"] = LeafStatistics(t.Int(), value, value + 1, None, None)
    return Footer(100 + value, schema, statistics=statistics)


def inner_of(number: int) -> t.Record:
    return t.Record((t.Field(number, "x", t.Double()),), kind=t.RecordKind.BLOB)


def shape(of: t.Type) -> Any:
    """What statistics need of a schema's type: everything but names of types, docs, aliases and properties of nested ones."""
    if isinstance(of, t.Nested):
        kind = of.kind if isinstance(of, t.Record) else None
        return type(of), kind, [(item.id, item.name, item.optional, shape(item.type)) for item in t.children(of)]
    return of


@pytest.fixture
def cache(tmp_path: Path) -> FooterCache:
    return FooterCache(str(tmp_path / "footers"))


def test_the_footer_comes_back_as_written(cache: FooterCache) -> None:
    written = footer()
    cache.put("root", {FILE: written})
    (found,) = FooterCache(cache.path).get("root", [FILE]).values()
    assert (found.rows, found.statistics) == (written.rows, written.statistics)
    assert shape(found.schema.record) == shape(written.schema.record)
    assert found.schema.max_column_id == 500
    assert str(found.statistics["c3",].lower) == "-0.0"


def test_another_size_path_or_table_is_another_file(cache: FooterCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.put("root", {FILE: footer()})
    assert cache.get("root", [replace(FILE, size=101), FileInfo("p/b.parquet", 100)]) == {}
    assert cache.get("other", [FILE]) == {}
    monkeypatch.chdir("/")
    assert cache.get("root", [FILE]) == {}


def test_a_file_of_another_size_than_recorded_is_not_cached(cache: FooterCache) -> None:
    cache.put("root", {FILE: replace(footer(), size=101)})
    assert cache.get("root", [FILE]) == {}
    cache.put("root", {FILE: replace(footer(), size=FILE.size)})
    assert list(cache.get("root", [FILE])) == [FILE.path]


def test_a_new_size_takes_the_place_of_the_old_one(cache: FooterCache) -> None:
    larger = replace(FILE, size=101)
    cache.put("root", {FILE: footer()})
    cache.put("root", {larger: footer(9)})
    assert cache.get("root", [FILE]) == {}
    assert cache.get("root", [larger])[FILE.path].rows == 109


def test_a_leaf_whose_type_is_not_the_schemas_is_left_out(cache: FooterCache) -> None:
    written = footer()
    cache.put("root", {FILE: replace(written, statistics={("c1",): LeafStatistics(t.Long(), 1, 2)})})
    assert cache.get("root", [FILE])[FILE.path].statistics == {}


def test_many_files_are_looked_up_in_parts(cache: FooterCache, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [FileInfo(f"f{number}.parquet", number) for number in range(63)]
    monkeypatch.setattr(module, "_FILES_PER_QUERY", 10)
    cache.put("root", {file: footer(file.size) for file in files[1:]})
    found = cache.get("root", files)
    assert {path: item.rows - 100 for path, item in found.items()} == {file.path: file.size for file in files[1:]}


@pytest.mark.parametrize("column", ["path", "size", "content", "digest"])
def test_a_changed_row_is_damage(cache: FooterCache, column: str) -> None:
    cache.put("root", {FILE: footer()})
    with sqlite3.connect(cache.path) as database:
        value = {"path": "p/b.parquet", "size": 7, "content": b"x", "digest": bytes(16)}[column]
        database.execute(f"UPDATE footers SET {column} = ?", (value,))
    database.close()
    requested = FileInfo("p/b.parquet" if column == "path" else FILE.path, 7 if column == "size" else FILE.size)
    with pytest.raises(CorruptFileError, match=r"the footer of .* in the cache"):
        cache.get("root", [requested])


class TestBound:
    """What was not asked for longest is dropped where the file would grow beyond its bound."""

    MOST = 64 * 1024

    def files(self, first: int, count: int) -> dict[FileInfo, Footer]:
        return {FileInfo(f"f{number:05d}.parquet", number): footer(number) for number in range(first, first + count)}

    @pytest.fixture
    def clock(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
        now = [1_000_000.0]
        monkeypatch.setattr(module.time, "time", lambda: now[0])
        return now

    def test_the_file_stays_under_its_bound(self, tmp_path: Path, clock: list[float]) -> None:
        path = tmp_path / "footers"
        cache = FooterCache(str(path), self.MOST)
        for first in range(0, 400, 20):
            clock[0] += 10
            cache.put("root", self.files(first, 20))
        assert path.stat().st_size < 2 * self.MOST
        assert len(cache.get("root", list(self.files(380, 20)))) == 20
        assert cache.get("root", list(self.files(0, 20))) == {}

    def test_requested_options_are_kept(self, tmp_path: Path, clock: list[float]) -> None:
        cache = FooterCache(str(tmp_path / "footers"), self.MOST)
        used = list(self.files(0, 5))
        cache.put("root", self.files(0, 5))
        for first in range(100, 500, 20):
            clock[0] += 4_000
            assert len(cache.get("root", used)) == 5
            cache.put("root", self.files(first, 20))

    def test_reading_writes_once_an_hour(self, tmp_path: Path, clock: list[float]) -> None:
        path = tmp_path / "footers"
        cache = FooterCache(str(path))
        cache.put("root", {FILE: footer()})
        before = path.read_bytes()
        clock[0] += 3_000
        assert cache.get("root", [FILE]) and path.read_bytes() == before
        clock[0] += 1_000
        assert cache.get("root", [FILE]) and path.read_bytes() != before

    def test_a_file_that_may_not_be_written_is_read(
        self, tmp_path: Path, clock: list[float], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "footers"
        cache = FooterCache(str(path))
        cache.put("root", {FILE: footer()})
        before = path.read_bytes()
        clock[0] += 10_000
        monkeypatch.setattr(module.os, "access", lambda *_: False)
        assert cache.get("root", [FILE]) and path.read_bytes() == before

    def test_more_than_the_bound_at_once_is_no_error(self, tmp_path: Path) -> None:
        cache = FooterCache(str(tmp_path / "footers"), self.MOST)
        files = self.files(0, 300)
        cache.put("root", files)
        assert 0 < len(cache.get("root", list(files))) < 300


def test_a_cache_of_an_earlier_version_is_emptied(cache: FooterCache) -> None:
    cache.put("root", {FILE: footer()})
    with sqlite3.connect(cache.path) as database:
        database.execute("ALTER TABLE footers DROP COLUMN used")
        database.execute("PRAGMA user_version = 1")
    database.close()
    again = FooterCache(cache.path)
    assert again.get("root", [FILE]) == {}
    again.put("root", {FILE: footer()})
    assert FooterCache(cache.path).get("root", [FILE])


@pytest.mark.parametrize("at", [0.2, 0.5, 0.8])
def test_a_damaged_file_is_never_trusted(tmp_path: Path, at: float) -> None:
    path = tmp_path / "footers"
    cache = FooterCache(str(path))
    files = [FileInfo(f"f{number}.parquet", number) for number in range(40)]
    cache.put("root", {file: footer(file.size) for file in files})
    content = bytearray(path.read_bytes())
    start = int(at * len(content))
    content[start : start + 200] = bytes(byte ^ 0x55 for byte in content[start : start + 200])
    path.write_bytes(bytes(content))
    try:
        found = cache.get("root", files)
    except CorruptFileError as error:
        assert "\n" not in str(error)
    else:
        assert all(found[file.path].rows == file.size + 100 for file in files if file.path in found)


@pytest.mark.parametrize("content", [b"id,name\n1,a\n", b"PAR1" * 300])
def test_a_file_of_someone_else_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="expected a footer cache"):
        FooterCache(str(path))
    assert path.read_bytes() == content


def test_a_database_of_someone_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE footers (path TEXT)")
    database.close()
    content = path.read_bytes()
    with pytest.raises(UsageError, match="found another database"):
        FooterCache(str(path))
    assert path.read_bytes() == content


def test_a_cache_of_another_version_is_refused(cache: FooterCache) -> None:
    with sqlite3.connect(cache.path) as database:
        database.execute("PRAGMA user_version = 9")
    database.close()
    with pytest.raises(UsageError, match="found version 9"):
        FooterCache(cache.path)


def test_folders_are_listed_with_a_warning(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="found a folder"):
        FooterCache(str(tmp_path))
    with pytest.raises(StorageError, match="unable to open"):
        FooterCache(str(tmp_path / "no" / "footers"))


def test_many_threads_make_and_use_one_cache(tmp_path: Path) -> None:
    path, failed = str(tmp_path / "footers"), []

    def work(number: int) -> None:
        try:
            own = FooterCache(path)
            for step in range(5):
                file = FileInfo(f"{number}-{step}", step)
                own.put("root", {file: footer(number)})
                assert own.get("root", [file])[file.path].rows == 100 + number
        except Exception as error:  # noqa: BLE001 - told by the main thread
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


@given(st.floats(), st.binary(max_size=9), st.text(st.characters(exclude_categories=["Cs"]), max_size=9))
def test_any_bound_comes_back(number: float, data: bytes, text: str) -> None:
    types = {"x": t.Double(), "b": t.Binary(), "s": t.String()}
    schema = Schema(t.Record(tuple(t.Field(place, name, of) for place, (name, of) in enumerate(types.items()))))
    bounds: dict[str, object] = {"x": number, "b": data, "s": text}
    written = Footer(1, schema, statistics={(name,): LeafStatistics(types[name], bounds[name]) for name in types})
    found = _footer(json.loads(_text(written))).statistics
    assert [repr(found[name,].lower) for name in types] == [repr(bounds[name]) for name in types]


def test_plans_are_the_same_and_files_are_left_alone(cache: FooterCache) -> None:
    made = MadeTable([group(0), group(10), group(20)], [])
    wanted = [item.file_id for item in made.open().scan(where="n between 11 and 14").plan.kept()]
    assert len(made.footers_read) == 3
    for read in (6, 6):
        table = replace(made.open(), footer_cache=cache)
        assert [item.file_id for item in table.scan(where="n between 11 and 14").plan.kept()] == wanted
        assert len(made.footers_read) == read
        assert table.warnings == []


def test_a_damaged_cache_costs_reading_and_a_warning(cache: FooterCache) -> None:
    made = MadeTable([group(0), group(10)], [])
    table = replace(made.open(), footer_cache=cache)
    wanted = [item.file_id for item in table.scan(where="n = 11").plan.kept()]
    with sqlite3.connect(cache.path) as database:
        database.execute("UPDATE footers SET digest = x'00'")
    database.close()
    again = replace(made.open(), footer_cache=cache)
    plan = again.scan(where="n = 11").plan
    assert [item.file_id for item in plan.kept()] == wanted
    assert any("footers are read from their files" in warning for warning in again.warnings)


def test_tables_from_disk_are_planned_alike(tmp_path: Path) -> None:
    table, where = str(rides_in(tmp_path)), "_hoodie_commit_seqno > '2'"
    plain = open_table(table, metadata="off").scan(where=where).plan
    for _ in range(2):
        plan = open_table(table, metadata="off", footer_cache=str(tmp_path / "cache")).scan(where=where).plan
        assert plan.codes.tolist() == plain.codes.tolist()


@each_table_where(lambda entry: entry.has("*.parquet"), "Parquet files", every=3)
def test_every_recorded_footer_comes_back(entry: TableEntry, cache: FooterCache) -> None:
    table = open_table(str(entry.unpacked()), metadata="off")
    bases = [item.base for item in table.slices() if item.base is not None and item.base.name.endswith(".parquet")][:1]
    if not bases:
        pytest.skip("no file slice has a Parquet base file")
    for base in bases:
        written = table.engine.reader("parquet").open(table.storage, base).footer
        cache.put("root", {base: written})
        found = cache.get("root", [base])[base.path]
        assert found.rows == written.rows
        assert shape(found.schema.record) == shape(written.schema.record)
        assert dict(found.statistics) == dict(written.statistics)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("command", ["files", "read", "explain"])
def test_commands_take_a_cache(command: str, tmp_path: Path) -> None:
    requested = (command, rides(), "--where", "fare > 110", "--metadata", "off", "--json")
    plain, path = ran(*requested), tmp_path / "footers"
    first, again = (ran(*requested, "--footer-cache", path) for _ in range(2))
    if command != "explain":  # which tells times
        assert plain.lines == first.lines == again.lines
    assert path.stat().st_size > 0
    (tmp_path / "notes").write_text("a,b\n")
    assert ran(*requested, "--footer-cache", tmp_path / "notes").status == 2
