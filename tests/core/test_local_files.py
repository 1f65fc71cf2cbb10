"""Local files are listed without following links, so no row comes twice, and none from elsewhere. Rules STORE-260,
STORE-1684, VALID-260.

Also covers: `local_storage.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow import fs

from hudi_arrow.stores.file_systems import FileSystemClient
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core import local_files
from hudi_core.engine import FileInfo
from hudi_core.errors import ConflictError, RowError, StorageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.local_files import delete_unfinished, walk
from hudi_core.storage_parts import StorageWithFolders
from hudi_core.table.engines import load_engine
from tests.support.written_tables import TYPES, rows, rows_of


@pytest.mark.parametrize("engine", ["arrow", "plain"])
def test_what_killed_processes_leave_of_a_file_goes_with_it(tmp_path: Path, engine: str) -> None:
    """STORE-942: with its deletion, and when another writes it."""
    storage = load_engine(engine).storage(str(tmp_path))

    def kill_while_writing(path: str) -> None:
        child = os.fork()
        if child == 0:
            with storage.output(path) as stream:
                stream.write(b"half")
                os._exit(0)
        os.waitpid(child, 0)

    for path in ("p/a.parquet", "p/b.parquet") * 2:
        kill_while_writing(path)
    assert len(list((tmp_path / "p").iterdir())) == 4
    storage.delete("p/a.parquet")
    with storage.output("p/b.parquet") as stream:
        stream.write(b"whole")
    assert [(path.name, path.read_bytes()) for path in (tmp_path / "p").iterdir()] == [("b.parquet", b"whole")]
    with storage.output("p/b.parquet") as stream:
        stream.write(b"again")
        delete_unfinished(tmp_path / "p/a.parquet")  # another file
    assert (tmp_path / "p/b.parquet").read_bytes() == b"again"


@pytest.mark.parametrize("version", [6, 9])
def test_links_multiply_no_rows_and_are_reported(tmp_path: Path, version: int) -> None:
    """STORE-260, VALID-260."""
    for name in ("t", "other"):
        create_table(tmp_path / name, rows(), key="id", partition_by="p", version=version).insert(rows((name, "x", 1)))
    root = tmp_path / "t"
    base = next((root / "x").glob("*.parquet"))
    links = {"x/loop": "..", "y": "x", "z": "../other/x", f"x/0{base.name}": base.name, "x/up": "../.."}
    for link, target in links.items():
        (root / link).symlink_to(target)
    table = open_table(root)
    assert rows_of(table) == [("t", "x", 1)]
    assert {warning for warning in table.warnings if "a link, which is not followed" in warning} == {
        f"{root}/{link}: a link, which is not followed" for link in links
    }
    assert {(item.where, item.severity) for item in table.validate(["orphans"])} == {
        (link, "warning") for link in links
    }
    table.upsert(rows(("t", "x", 2)))
    assert rows_of(open_table(root)) == [("t", "x", 2)]


def test_links_that_fsspec_lists_are_not_followed_either(tmp_path: Path) -> None:
    """STORE-260."""
    fsspec = pytest.importorskip("fsspec")
    (tmp_path / "t" / "x").mkdir(parents=True)
    (tmp_path / "t" / "x" / "f").write_bytes(b"1")
    for link, target in {"x/loop": "..", "y": "x"}.items():
        (tmp_path / "t" / link).symlink_to(target)
    local = fs.PyFileSystem(fs.FSSpecHandler(fsspec.filesystem("local")))
    client = FileSystemClient("local://", local, str(tmp_path / "t"))
    assert client.list("", recursive=True) == [FileInfo("x/f", 1)]
    assert set(client.links) == {"x/loop", "y"}


def test_what_vanishes_while_it_is_listed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-2: another process deletes files and folders meanwhile."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f").write_bytes(b"1")
    scanned = os.scandir

    def scandir(path: Path) -> object:
        if Path(path).name == "b":
            (tmp_path / "b" / "f").unlink()
            (tmp_path / "b").rmdir()
        return scanned(path)

    monkeypatch.setattr(local_files.os, "scandir", scandir)
    assert walk(tmp_path, "", recursive=True) == ([("a/f", 1)], [])


@pytest.mark.parametrize("engine", ["arrow", "plain"])
def test_nothing_is_changed_by_way_of_a_link(tmp_path: Path, engine: str) -> None:
    """STORE-800."""
    (tmp_path / "other/x").mkdir(parents=True)
    (tmp_path / "other/x/a").write_bytes(b"mine")
    (tmp_path / "t").mkdir()
    (tmp_path / "t/y").symlink_to("../other")
    (tmp_path / "t/file").symlink_to("../other/x/a")
    storage = load_engine(engine).storage(str(tmp_path / "t"))
    changes: list[Callable[[str], object]] = [
        lambda path: storage.create(path, b"new"),
        lambda path: storage.replace(path, b"new"),
        lambda path: storage.delete(path),
        lambda path: storage.delete_folder(path),
        lambda path: storage.output(path).__enter__(),
    ]
    for change in changes:
        for path in ("y/x/a", "y/x"):
            with pytest.raises(
                StorageError, match=r"t/y, on the way to it, is a link, and changes do not follow links"
            ):
                change(path)
    storage.delete("y/x/never written")  # as a rollback does
    storage.replace("file", b"its own")
    assert [path.read_bytes() for path in (tmp_path / "other").rglob("*") if path.is_file()] == [b"mine"]


@pytest.mark.parametrize("engine", ["arrow", "plain"])
def test_many_files_go_with_what_belongs_to_them_and_never_by_way_of_a_link(tmp_path: Path, engine: str) -> None:
    """STORE-1150, STORE-800, STORE-942: checksums and unfinished files go too; those of other files stay."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a").write_bytes(b"mine")
    (tmp_path / "t/x").mkdir(parents=True)
    (tmp_path / "t/y").symlink_to("../other")
    storage = load_engine(engine).storage(str(tmp_path / "t"))
    for name in ("a", "b", "c"):
        (tmp_path / "t/x" / name).write_bytes(b"1")
        (tmp_path / f"t/x/.{name}.crc").write_bytes(b"1")
        local_files._open(tmp_path / "t/x" / name)[1].close()
    with pytest.raises(StorageError, match=r"t/y/a: .*t/y, on the way to it, is a link"):
        storage.delete_files(["x/a", "y/never written", "y/a", "x/b"])
    assert (tmp_path / "other/a").read_bytes() == b"mine"
    left = {part for name in ("b", "c") for part in (name, f".{name}.crc", local_files._name_temporaries(name)[0])}
    assert {path.name for path in (tmp_path / "t/x").iterdir()} == left
    storage.delete_files(["x/c", "x/b", "y/never written"])
    assert list((tmp_path / "t/x").iterdir()) == []


@pytest.mark.parametrize("engine", ["arrow", "plain"])
def test_what_a_killed_process_left_of_a_new_file_goes_with_the_file(tmp_path: Path, engine: str) -> None:
    """STORE-942: also of one that was to appear at once, as log files do, under a name that others do not know."""
    storage = load_engine(engine).storage(str(tmp_path))
    for name in ("a", "b"):
        child = os.fork()
        if child == 0:
            os.link = lambda *_: os._exit(0)  # type: ignore[assignment]
            storage.create(f"x/{name}", b"1")
        os.waitpid(child, 0)
    assert len(list((tmp_path / "x").iterdir())) == 2
    storage.delete_files(["x/a"])
    (left,) = (tmp_path / "x").iterdir()
    assert left.name.startswith(local_files._temporary_prefix("b"))


@pytest.mark.parametrize("engine", ["arrow", "plain"])
def test_folders_are_listed_also_where_they_are_empty(tmp_path: Path, engine: str) -> None:
    """STORE-1148."""
    storage = load_engine(engine).storage(str(tmp_path))
    assert isinstance(storage, StorageWithFolders)
    assert storage.list_folders("none") == []
    for folder in ("x/b", "x/a/c"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "x/file").touch()
    (tmp_path / "x/link").symlink_to("a")
    assert storage.list_folders("x") == ["a", "b"]


@pytest.mark.parametrize("linked", ["y", ".hoodie/.temp"])
@pytest.mark.parametrize("version", [6, 9])
def test_a_write_through_a_linked_folder_is_refused_and_leaves_every_byte(
    tmp_path: Path, version: int, linked: str
) -> None:
    """STORE-800, META-232: listings would not give its files back."""
    for name in ("t", "other"):
        create_table(tmp_path / name, rows(), key="id", partition_by="p", version=version).insert(rows((name, "x", 1)))
    if linked == ".hoodie/.temp":
        (tmp_path / "t" / linked).rename(tmp_path / "t/.hoodie/temp")
    (tmp_path / "t" / linked).symlink_to(tmp_path / "other/x")

    def contents() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    before = contents()
    for operation in ("insert", "upsert", "insert_overwrite"):
        with pytest.raises(StorageError, match="is a link"):
            open_table(tmp_path / "t").write(rows(("new", "y", 2)), operation)
        assert contents() == before


@pytest.mark.parametrize("engine", ["arrow", "plain"])
def test_a_run_whose_file_another_run_writes_or_deletes_meets_a_conflict(tmp_path: Path, engine: str) -> None:
    """STORE-890: both are alive, and took the same work."""
    storage = load_engine(engine).storage(str(tmp_path))
    other = load_engine(engine).storage(str(tmp_path))

    def write_again() -> None:
        with other.output("p/a.parquet") as stream:
            stream.write(b"other")

    for meanwhile in (write_again, lambda: other.delete("p/a.parquet")):
        with (
            pytest.raises(ConflictError, match="a file that only one process writes"),
            storage.output("p/a.parquet") as stream,
        ):
            stream.write(b"mine")
            meanwhile()
    assert [path.name for path in (tmp_path / "p").iterdir()] == []


@pytest.mark.parametrize("engine", ["arrow", "plain"])
def test_contents_wait_for_the_sync_until_the_outermost_block_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """STORE-324: steps within a block that defers have blocks of their own."""
    storage, synced = load_engine(engine).storage(str(tmp_path)), []
    monkeypatch.setattr(local_files, "sync_paths", synced.extend)
    with storage.defer():
        with storage.defer():
            storage.create("p/a", b"a")
        storage.create("p/b", b"b")
        assert synced == []
    storage.sync()
    assert {tmp_path / "p" / "a", tmp_path / "p" / "b"} <= set(map(Path, synced))


def test_no_file_goes_where_one_folder_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-1404."""
    storage = ArrowStorage(str(tmp_path))
    for path in ("a/1", "b/1"):
        storage.create(path, b"1")
    monkeypatch.setattr(local_files.os, "access", lambda path, _: path.name != "b")
    with pytest.raises(StorageError, match="b/1: Permission denied"):
        storage.delete_files(["a/1", "b/1", "nowhere/1"])
    assert storage.exists("a/1")
    monkeypatch.undo()
    storage.delete_files(["a/1", "b/1", "nowhere/1"])
    assert storage.list("", recursive=True) == []


def test_names_beyond_ascii_need_utf_8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-1684: in another encoding they would be other files; nothing is changed."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p")
    table.upsert(rows(("a", "x", 1)))
    before = sorted(tmp_path.rglob("*"))
    with monkeypatch.context() as other:
        other.setattr("hudi_core.local_storage.ENCODING", "iso8859-1")
        with pytest.raises(RowError, match=r"row 2: expected names of files in ASCII, as Python has .* iso8859-1"):
            open_table(tmp_path / "t").upsert(rows(("b", "x", 1), ("c", "osló", 1)))
        assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 1)]
    assert sorted(tmp_path.rglob("*")) == before
    table.upsert(rows(("c", "osló", 1)))
    monkeypatch.setattr("hudi_core.local_storage.ENCODING", "ascii")
    ways: list[Callable[[], object]] = [
        lambda: open_table(tmp_path / "t").to_arrow(),
        lambda: open_table(tmp_path / "t", metadata="off").to_arrow(),
        lambda: open_table(tmp_path / "t").delete(rows(("c", "osló", 1))),
    ]
    for way in ways:
        with pytest.raises(StorageError, match="expected names of files in ASCII"):
            way()
