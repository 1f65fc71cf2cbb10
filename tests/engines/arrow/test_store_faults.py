"""Stores that misbehave: requests are repeated or there is one clear error, never other rows and never a wait without end.

Rules STORE-5 and STORE-6.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from hudi_arrow.stores import obstore_client
from hudi_arrow.stores.remote import RemoteStorage
from hudi_core.errors import AlreadyExistsError, HudiError, StorageError, UsageError
from hudi_core.front.opening import open_table
from tests.support.commands import rides
from tests.support.measured_store import MeasuredStore
from tests.support.s3_server import Fault

pytest.importorskip("obstore", reason="obstore is not installed")

WHERE = "city = 'vienna' AND fare > 60"


@pytest.fixture(scope="module")
def store(store: MeasuredStore) -> MeasuredStore:
    shutil.copytree(rides(), store.root / "lake" / "rides", ignore=shutil.ignore_patterns("city=[!v]*"))
    return store


@pytest.fixture
def options(store: MeasuredStore) -> Iterator[dict[str, str]]:
    yield {**store.options, "request_timeout": "1", "deadline": "10"}
    store.behave()


@pytest.mark.parametrize("kind", ["503", "500", "reset", "cut", "short", "hang"])
def test_transient_failures_change_no_row(store: MeasuredStore, options: dict[str, str], kind: str) -> None:
    expected = open_table(str(rides())).scan(where=WHERE).to_arrow()
    places = ["hoodie.properties", "list-type", "/timeline/", r"column_stats/.*\.log", r"\.parquet"]
    if kind == "short":  # of a listing that ends early nobody can tell
        places = [r"column_stats/.*\.log", r"city=.*\.parquet"]
    store.behave(faults=[Fault(place, kind) for place in places])
    scan = open_table("s3://lake/rides", storage_options=options).scan(where=WHERE)
    assert scan.to_arrow().equals(expected) and not scan.plan.warnings


@pytest.mark.parametrize("kind", ["503", "hang", "cut"])
def test_permanent_failures_are_one_error_before_long(store: MeasuredStore, kind: str) -> None:
    store.behave(faults=[Fault("hoodie.properties", kind, 10_000, retry_after=3600)])
    begin = monotonic()
    with pytest.raises(StorageError, match=r"hoodie\.properties") as raised:
        open_table("s3://lake/rides", storage_options={**store.options, "request_timeout": "1", "deadline": "2"})
    assert monotonic() - begin < 20
    assert "\n" not in str(raised.value)
    store.behave()


def test_a_store_that_throttles_all_requests_for_seconds_changes_no_row(
    store: MeasuredStore, options: dict[str, str]
) -> None:
    """What `Retry-After` says is not known; pauses that grow outlast it without a storm of requests."""
    expected = open_table(str(rides())).scan(where=WHERE)
    store.behave(
        faults=[Fault("hoodie.properties", "throttle", retry_after=1), Fault(r"\.log|city=", "throttle", retry_after=2)]
    )
    begin = monotonic()
    with store.measured() as requests:
        scan = open_table("s3://lake/rides", storage_options={**options, "deadline": "30"}).scan(where=WHERE)
        assert scan.to_arrow().equals(expected.to_arrow()) and not scan.plan.warnings
    assert 3 <= monotonic() - begin < 30
    assert 3 <= max(requests.by_object().values()) <= 30, requests


def test_short_answers_to_ranges_are_no_content(store: MeasuredStore, options: dict[str, str]) -> None:
    (store.root / "lake" / "large").write_bytes(bytes(range(256)) * 16_384)
    file = RemoteStorage("s3://lake", options).open("large", 1 << 22)
    store.behave(faults=[Fault("GET /lake/large", "short", 2)])
    assert file.read(5, 3) == b"\5\6\7"
    store.behave(faults=[Fault("GET /lake/large", "short", 3)])
    with pytest.raises(StorageError, match="expected an answer of"):
        file.read(1 << 21, 10)


def test_sizes_that_the_table_records_are_not_trusted(store: MeasuredStore, options: dict[str, str]) -> None:
    content = bytes(range(256)) * 40_000
    (store.root / "lake" / "grown").write_bytes(content)
    storage = RemoteStorage("s3://lake", options)
    for size in (1, 100, 1 << 21, 1 << 30):
        file = storage.open("grown", size)
        assert (file.size, file.read(1000, 300)) == (len(content), content[1000:1300])
        assert file.read(len(content) - 10, 10) == content[-10:]


def test_keys_are_in_no_message(store: MeasuredStore, options: dict[str, str]) -> None:
    query = f"region=us-east-1&scheme=http&endpoint_override={options['endpoint_override']}&deadline=1"
    url = f"s3://someone:topsecret@lake/nothing?{query}"
    with pytest.raises(HudiError) as raised:
        open_table(url)
    assert "secret" not in str(raised.value) and "someone" not in str(raised.value)
    store.behave(faults=[Fault("list-type", "500", 100), Fault("properties", "500", 100)])
    with pytest.raises(HudiError) as raised:
        open_table(url)
    assert "secret" not in str(raised.value) and "?" not in str(raised.value)
    assert "secret" not in RemoteStorage(url).uri


def test_a_read_that_hangs_is_repeated_before_it_times_out(store: MeasuredStore) -> None:
    options = {**store.options, "hedge": "true", "request_timeout": "60"}
    store.behave(faults=[Fault("properties", "hang"), Fault("city=.*parquet", "hang")])
    begin = monotonic()
    scan = open_table("s3://lake/rides", storage_options=options).scan(where=WHERE)
    assert scan.to_arrow().equals(open_table(str(rides())).scan(where=WHERE).to_arrow())
    assert monotonic() - begin < 50
    store.behave()


def test_a_forked_process_is_refused_and_does_not_wait(store: MeasuredStore, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = RemoteStorage("s3://lake/rides", store.options)
    assert storage.read(".hoodie/hoodie.properties")
    monkeypatch.setattr(obstore_client.os, "getpid", lambda: 1)
    with pytest.raises(StorageError, match=r"hoodie\.properties: .* spawn or forkserver"):
        storage.read(".hoodie/hoodie.properties")


def test_a_flag_is_true_or_false(store: MeasuredStore) -> None:
    with pytest.raises(UsageError, match="true or false as hedge"):
        RemoteStorage("s3://lake/rides", {**store.options, "hedge": "perhaps"})


@pytest.mark.parametrize("option", ["max_requests", "deadline"])
@pytest.mark.parametrize("value", ["0", "-1", "0.5x", "many", "nan"])
def test_wrong_numbers_are_refused(store: MeasuredStore, option: str, value: str) -> None:
    with pytest.raises(UsageError, match=option):
        RemoteStorage("s3://lake/rides", {**store.options, option: value})


def test_no_more_requests_are_in_flight_than_the_option_says(store: MeasuredStore, options: dict[str, str]) -> None:
    store.behave(delay=0.05)
    table = open_table("s3://lake/rides", storage_options={**options, "max_requests": "3"})
    with store.measured() as requests:
        assert table.scan(where=WHERE).plan.kept()
    in_flight = [sum(other.begin <= request.begin < other.end for other in requests.of) for request in requests.of]
    assert 2 <= max(in_flight) <= 3


class TestWriting:
    """What the steps of a commit need of a store."""

    def test_a_file_is_created_once(self, store: MeasuredStore, options: dict[str, str]) -> None:
        storage = RemoteStorage("s3://lake/written", options)
        storage.create("a/created", b"first")
        with pytest.raises(AlreadyExistsError, match="created"):
            storage.create("a/created", b"second")
        assert storage.read("a/created") == b"first"

    def test_a_file_is_replaced_and_deleted(self, store: MeasuredStore, options: dict[str, str]) -> None:
        storage = RemoteStorage("s3://lake/written", options)
        for content in (b"", b"one", b"two"):
            storage.replace("replaced", content)
            assert storage.read("replaced") == content
        storage.delete("replaced")
        storage.delete("replaced")
        assert not storage.exists("replaced")

    def test_an_output_appears_whole_or_not_at_all(self, store: MeasuredStore, options: dict[str, str]) -> None:
        storage = RemoteStorage("s3://lake/written", options)
        content = bytes(range(256)) * 80_000
        with store.measured() as requests, storage.output("out/large") as file:
            file.write(content[:1000])
            file.write(content[1000:])
            assert not (store.root / "lake/written/out/large").exists()
        assert (store.root / "lake/written/out/large").read_bytes() == content
        assert sum("partNumber" in request.query for request in requests.of) == 3
        with pytest.raises(RuntimeError, match="in the middle"), storage.output("out/half") as file:
            file.write(content[:1000])
            raise RuntimeError("in the middle")
        assert not storage.exists("out/half")

    def test_a_throttled_creation_happens_once(
        self, store: MeasuredStore, options: dict[str, str], tmp_path: Path
    ) -> None:
        storage = RemoteStorage("s3://lake/written", options)
        store.behave(faults=[Fault("PUT .*/throttled", "503", 2)])
        storage.create("throttled", b"content")
        assert storage.read("throttled") == b"content"
