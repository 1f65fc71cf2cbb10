"""URLs: which library opens them, what is said when it is not there, and paths that stay as they are."""

from __future__ import annotations

import pickle
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from pyarrow import fs

from hudi_arrow.engine import ENGINE
from hudi_arrow.stores.file_systems import file_system_client
from hudi_arrow.stores.remote import RemoteStorage
from hudi_arrow.stores.storage import ArrowStorage, report_errors
from hudi_core.engine import FileInfo
from hudi_core.errors import StorageError, UnsupportedError


def test_a_scheme_nobody_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnsupportedError, match="nothing://bucket/table"):
        file_system_client("nothing://bucket/table", {})


@pytest.mark.parametrize("uri", ["memory://bucket/table", "webhdfs://host/table"])
def test_without_fsspec_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, uri: str) -> None:
    """STORE-3."""
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(UnsupportedError, match=r"hudi-core\[cloud\]"):
        file_system_client(uri, {})


@pytest.mark.parametrize(
    ("scheme", "package", "extra"), [("az", "adlfs", "azure"), ("s3", "s3fs", "s3"), ("gs", "gcsfs", "gcs")]
)
def test_the_extra_of_a_store_is_named(monkeypatch: pytest.MonkeyPatch, scheme: str, package: str, extra: str) -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    for kind in ("S3FileSystem", "GcsFileSystem"):
        monkeypatch.delattr(fs, kind, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UnsupportedError, match=rf"needs the package {package}: pip install 'hudi-core\[{extra}\]'"):
        file_system_client(f"{scheme}://bucket/table", {"anonymous": "true"})


def test_paths_below_an_object_store_are_not_unescaped() -> None:
    """STORE-1."""
    client = file_system_client(
        "s3://key:secret@bucket/a%2Fb c/?endpoint_override=localhost:1&scheme=http&region=x", {}
    )
    assert client.full("p=1%2F2/f") == "bucket/a%2Fb c/p=1%2F2/f"
    assert file_system_client("s3a://bucket/t?region=x", {}).full("") == "bucket/t"


def test_a_wrong_option_of_a_store_is_an_error_of_one_line() -> None:
    with pytest.raises(StorageError, match="no_such_option") as raised:
        file_system_client("s3://key:secret@bucket/t?no_such_option=1", {})
    assert "\n" not in str(raised.value)


@pytest.mark.skipif(not hasattr(fs, "GcsFileSystem"), reason="pyarrow is built without it")
def test_the_beginning_of_a_long_message_is_shown() -> None:
    with pytest.raises(StorageError) as raised, report_errors("hdfs://name/table"):
        raise OSError("Unable to load\n" + "libjvm.so: no such file " * 100)
    answer = str(raised.value)
    assert answer.startswith("hdfs://name/table: Unable to load libjvm.so")
    assert answer.endswith("...")
    assert len(answer) < 500


def test_googles_store_does_not_keep_one_waiting() -> None:
    patient = fs.FileSystem.from_uri("gs://anonymous@bucket?retry_limit_seconds=60")[0]
    assert file_system_client("gs://anonymous@bucket/t", {}).filesystem == patient
    own = fs.FileSystem.from_uri("gs://anonymous@bucket?retry_limit_seconds=5")[0]
    assert file_system_client("gs://anonymous@bucket/t?retry_limit_seconds=5", {}).filesystem == own != patient
    with_options = fs.GcsFileSystem(anonymous=True, retry_time_limit=timedelta(seconds=60))
    assert file_system_client("gs://bucket/t", {"anonymous": "true"}).filesystem == with_options


def test_memory_storage_through_fsspec() -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    memory = fsspec.filesystem("memory")
    memory.pipe("/bucket/t%20x/a/b.txt", b"content")
    storage = RemoteStorage("memory://bucket/t%20x")
    assert storage.list("", recursive=True) == [FileInfo("a/b.txt", 7)]
    assert storage.read("a/b.txt") == b"content" and storage.open("a/b.txt").read(3, 2) == b"te"
    assert storage.list("nothing") == [] and not storage.exists("nothing")


@pytest.mark.parametrize("extension", ["avro", ".csv"])
def test_base_files_without_a_reader_are_named(extension: str) -> None:
    with pytest.raises(UnsupportedError, match=extension.removeprefix(".")):
        ENGINE.reader(extension)


def test_relative_paths_are_local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "f").write_bytes(b"1")
    monkeypatch.chdir(tmp_path)
    assert ArrowStorage("t").list("") == [FileInfo("f", 1)]


def test_a_storage_is_pickled_without_its_open_files(tmp_path: Path) -> None:
    (tmp_path / "a b").write_bytes(b"content")
    storage = ArrowStorage(str(tmp_path))
    there = pickle.loads(pickle.dumps(storage))
    assert (there.uri, there.read("a b"), there.open("a b").size) == (storage.uri, b"content", 7)


def test_checksums_of_hadoop_are_deleted_with_the_file_they_belong_to(tmp_path: Path) -> None:
    """META-132: Hadoop refuses a local file that differs from its checksum."""
    storage = ArrowStorage(str(tmp_path))
    for name, change in (
        ("replaced", lambda path: storage.replace(path, b"new")),
        ("deleted", storage.delete),
    ):
        (tmp_path / name).write_bytes(b"old")
        (tmp_path / f".{name}.crc").write_bytes(b"crc")
        change(name)
        assert not (tmp_path / f".{name}.crc").exists()
    assert (tmp_path / "replaced").read_bytes() == b"new"
