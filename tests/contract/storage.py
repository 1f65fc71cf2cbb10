"""What a storage has to do with a folder of odd names."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.engine import FileInfo
from hudi_core.errors import StorageError
from hudi_core.storage_parts import StorageWithLinks
from tests.contract.harness import AnyEngine

NAMES = [
    "plain",
    "with blank",
    "p=a%2Fb",
    "100%",
    "ümläut-漢字",
    "a+b&c=d;e",
    "#hash?query",
    ".hidden",
    "[x]{y}*",
    "tab\there",
]


class StorageContract:
    """Give a fixture `whole_engine` of `hudi_core.engine.Engine`."""

    @pytest.fixture(params=NAMES)
    def table(self, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
        """A table's folder with such a name, and such names in it."""
        root = tmp_path / request.param
        for name in NAMES:
            (root / name / ".hoodie").mkdir(parents=True)
            (root / name / f"{name}.log.1_0-1-2").write_bytes(name.encode())
            (root / name / ".hoodie" / "x").write_bytes(b"")
        (root / "top").write_bytes(bytes(range(256)))
        return root

    @pytest.fixture
    def uris(self, table: Path) -> list[str]:
        return [str(table), table.as_uri()]

    def test_listing_gives_files_by_relative_path_sorted(self, whole_engine: AnyEngine, uris: list[str]) -> None:
        """STORE-1, STORE-2."""
        for uri in uris:
            storage = whole_engine.storage(uri)
            assert storage.list("") == [FileInfo("top", 256)]
            for name in NAMES:
                log = FileInfo(f"{name}/{name}.log.1_0-1-2", len(name.encode()))
                assert storage.list(name) == [log]
                assert storage.list(name, recursive=True) == sorted(
                    [log, FileInfo(f"{name}/.hoodie/x", 0)], key=lambda file: file.path
                )
                assert storage.list(name, recursive=True, without=".hoodie") == [log]
            everything = storage.list("", recursive=True)
            assert storage.list("", recursive=True, without=NAMES[0]) == [
                file for file in everything if not file.path.startswith(f"{NAMES[0]}/")
            ]
            assert [file.path for file in everything] == sorted(file.path for file in everything)
            assert len(everything) == 1 + 2 * len(NAMES)

    def test_links_are_not_followed_wherever_they_lead(self, whole_engine: AnyEngine, tmp_path: Path) -> None:
        """STORE-260."""
        (tmp_path / "t" / "x").mkdir(parents=True)
        (tmp_path / "other").mkdir()
        for file in ("t/x/f", "t/x/g", "other/h"):
            (tmp_path / file).write_bytes(b"abc")
        for link, target in {
            "t/x/loop": "..", "t/y": "x", "t/z": "../other", "t/x/again": "f", "t/x/out": "../../other/h", "t/gone": "nothing",
        }.items():  # fmt: skip
            (tmp_path / link).symlink_to(target)
        (tmp_path / "root").symlink_to("t")
        for root in ("t", "root"):
            storage = whole_engine.storage(str(tmp_path / root))
            files = [FileInfo("x/f", 3), FileInfo("x/g", 3)]
            assert storage.list("", recursive=True) == storage.list("x") == files
            assert storage.list("", recursive=True, without="x") == []
            assert isinstance(storage, StorageWithLinks)
            assert set(storage.links) == {"x/loop", "y", "z", "x/again", "x/out", "gone"}

    def test_files_are_read_whole_and_in_parts(self, whole_engine: AnyEngine, uris: list[str]) -> None:
        for uri in uris:
            storage = whole_engine.storage(uri)
            for name in NAMES:
                assert storage.read(f"{name}/{name}.log.1_0-1-2") == name.encode()
            opened = storage.open("top")
            assert (opened.size, opened.read(250, 6), opened.read(0, 2)) == (256, bytes(range(250, 256)), b"\0\1")
            assert "top" in opened.where

    def test_existence_is_reported(self, whole_engine: AnyEngine, uris: list[str]) -> None:
        storage = whole_engine.storage(uris[0])
        assert storage.exists("top") and storage.exists(NAMES[0])
        assert not storage.exists("nothing") and not storage.exists("top/below")

    def test_many_files_are_deleted_together(self, whole_engine: AnyEngine, uris: list[str], table: Path) -> None:
        """STORE-1150: whatever their names are, and also where some are not there."""
        logs = [f"{name}/{name}.log.1_0-1-2" for name in NAMES]
        for number, uri in enumerate(uris):
            storage = whole_engine.storage(uri)
            chosen = logs[number :: len(uris)]
            storage.delete_files([*chosen, "nothing/below", f"{NAMES[0]}/nothing"], in_order=number == 1)
            assert not any(storage.exists(path) for path in chosen)
            storage.delete_files([])
        assert sorted(path.name for path in table.rglob("*") if path.is_file()) == ["top", *["x"] * len(NAMES)]

    def test_missing_folders_list_empty_and_missing_files_raise(self, whole_engine: AnyEngine, uris: list[str]) -> None:
        """STORE-2, STORE-3."""
        storage = whole_engine.storage(uris[0])
        assert storage.list("nothing") == [] and storage.list("nothing/below", recursive=True) == []
        for read in (storage.read, storage.open):
            for path in ("nothing", "nothing/below", NAMES[0]):
                with pytest.raises(StorageError) as raised:
                    read(path)
                assert path in str(raised.value) and "\n" not in str(raised.value)

    def test_a_slash_at_the_end_of_the_root_changes_nothing(self, whole_engine: AnyEngine, uris: list[str]) -> None:
        assert whole_engine.storage(uris[0] + "/").list("") == [FileInfo("top", 256)]
