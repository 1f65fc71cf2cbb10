"""Tables in an object store: the same answers as from a local folder, few requests, errors in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from hudi_core.errors import NotATableError, StorageError, UsageError
from hudi_core.front.opening import open_table
from tests.support.commands import ran, rides
from tests.support.object_store import ObjectStore, object_store

pytestmark = pytest.mark.skipif(find_spec("moto") is None, reason="moto is not installed")  # its own process imports it

WHERE = "city = 'vienna' AND fare > 60"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    with object_store(tmp_path_factory.mktemp("s3")) as found:
        yield found


@pytest.fixture(scope="module")
def uri(store: ObjectStore) -> str:
    return store.put(rides(), "bucket/a folder/t=1%2F2", without=r"city=(?!vienna)")


def test_a_table_is_planned_and_read_as_a_local_one(store: ObjectStore, uri: str) -> None:
    local, remote = open_table(str(rides())), open_table(uri, storage_options=store.options)
    assert remote.schema == local.schema
    ours, theirs = remote.scan(where=WHERE, limit=20), local.scan(where=WHERE, limit=20)
    assert [item.files for item in ours.plan.kept()] == [item.files for item in theirs.plan.kept()]
    assert ours.to_arrow().equals(theirs.to_arrow())


def test_no_file_is_requested_twice_and_no_folder_listed_twice(store: ObjectStore, uri: str) -> None:
    before = len(store.requests())
    scan = open_table(uri, storage_options=store.options).scan(where=WHERE)
    assert scan.plan.kept()
    requested = Counter(request for request in store.requests()[before:] if request.startswith("GET"))
    assert requested and max(requested.values()) <= 2, requested.most_common(3)  # a file's tail, and what it points to
    assert not any("city=" in request for request in requested)


def test_a_base_file_is_opened_once_for_its_footer_and_its_rows(store: ObjectStore, uri: str) -> None:
    scan = open_table(uri, storage_options=store.options).scan(where="city = 'vienna'")
    files = [base.path for item in scan.plan.kept() if (base := item.base) is not None]
    before = len(store.requests())
    assert scan.to_arrow().num_rows
    requested = Counter(request for request in store.requests()[before:] if request.endswith(".parquet"))
    assert files and sum(requested.values()) <= 2 * len(files), requested.most_common(
        3
    )  # its size, and all of it at once


def test_options_may_stand_in_the_url(store: ObjectStore, uri: str) -> None:
    place = uri.removeprefix("s3://")
    answer = f"s3://someone:secret@{place}?scheme=http&region=us-east-1&endpoint_override={store.options['endpoint_override']}"
    assert list(open_table(answer).slices()) == list(open_table(uri, storage_options=store.options).slices())


def test_errors_of_the_store_are_one_line(store: ObjectStore, uri: str) -> None:
    with pytest.raises(NotATableError, match="s3://nothing/t"):
        open_table("s3://nothing/t", storage_options=store.options)
    with pytest.raises(NotATableError, match="no such folder"):
        open_table("s3://bucket/nothing", storage_options=store.options)
    with pytest.raises(UsageError, match="secrt"):
        open_table(uri, storage_options={**store.options, "secrt": "x"})
    with pytest.raises(UsageError, match="region"):
        open_table(str(rides()), storage_options={"region": "x"})
    with pytest.raises(UsageError, match="region"):
        open_table(str(rides()), "plain", storage_options={"region": "x"})
    nobody = {**store.options, "endpoint_override": "127.0.0.1:1", "request_timeout": "1", "deadline": "2"}
    with pytest.raises(StorageError) as raised:
        open_table(uri, storage_options=nobody)
    assert "\n" not in str(raised.value) and uri in str(raised.value)


def test_storage_through_fsspec_takes_options() -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    with pytest.raises(UsageError, match="'org' and 'repo'"):
        open_table("github://bucket/t", storage_options={"no_such_option": "1"})


def test_commands_take_options(store: ObjectStore, uri: str) -> None:
    options = [part for name, text in store.options.items() for part in ("--storage-option", f"{name}={text}")]
    found = ran(*options, "read", uri, "--where", WHERE, "--limit", 2, "--json")
    assert (found.status, len(found.lines)) == (0, 2)
    assert "name=value" in ran("--storage-option", "region", "read", uri).err
