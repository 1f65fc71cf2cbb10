"""URLs of S3, Google Cloud Storage and Azure as stores of obstore: options, credentials, places. Nothing leaves this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hudi_arrow.stores.obstore_stores import open_store
from hudi_arrow.stores.remote import RemoteStorage
from hudi_core.errors import AlreadyExistsError, NoSuchFileError, UsageError
from tests.support.measured_store import MeasuredStore

pytest.importorskip("obstore", reason="obstore is not installed")

DEADLINE = 7.0


@pytest.fixture(autouse=True)
def without_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No credentials of the machine that the tests run on."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in list(os.environ):
        if name.startswith(("AWS_", "GOOGLE_", "AZURE_")):
            monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("uri", "options", "root", "config"),
    [
        (
            "s3a://key:a%2Fb@lake/a//b/",
            {"AWS_REGION": "eu-west-1", "endpoint_url": "http://store:9000", "aws_session_token": "t"},
            "a/b",
            {
                "bucket": "lake",
                "access_key_id": "key",
                "secret_access_key": "a/b",
                "region": "eu-west-1",
                "endpoint": "http://store:9000",
                "session_token": "t",
            },
        ),
        (
            "s3://lake?region=eu-west-1&anonymous=true",
            {},
            "",
            {"bucket": "lake", "region": "eu-west-1", "skip_signature": "true"},
        ),
        ("gs://lake/t", {"anon": "true", "project": "p"}, "t", {"bucket": "lake", "skip_signature": "true"}),
        (
            "gcs://anonymous@lake/t",
            {"endpoint": "http://store:4443"},
            "t",
            {"bucket": "lake", "skip_signature": "true", "base_url": "http://store:4443"},
        ),
        (
            "abfss://lake@house.dfs.core.windows.net/t",
            {"account_key": "a2V5"},
            "t",
            {"container_name": "lake", "account_name": "house", "account_key": "a2V5"},
        ),
        (
            "az://lake/t",
            {"AZURE_STORAGE_ACCOUNT_NAME": "house", "sas_token": "sv=1&sig=2"},
            "t",
            {"container_name": "lake", "account_name": "house", "sas_key": "sv=1&sig=2"},
        ),
        (
            "abfs://lake/t",
            {
                "account_name": "house",
                "azure_client_id": "i",
                "azure_client_secret": "s",
                "azure_tenant_id": "n",
                "adls.blob-storage-authority": ".blob.core.chinacloudapi.cn",
            },
            "t",
            {
                "container_name": "lake",
                "account_name": "house",
                "client_id": "i",
                "client_secret": "s",
                "tenant_id": "n",
                "endpoint": "https://house.blob.core.chinacloudapi.cn",
            },
        ),
        (
            "az://lake/t",
            {
                "account_name": "house",
                "account_key": "a2V5",
                "blob_storage_authority": "127.0.0.1:10000",
                "blob_storage_scheme": "http",
            },
            "t",
            {
                "container_name": "lake",
                "account_name": "house",
                "account_key": "a2V5",
                "endpoint": "http://127.0.0.1:10000/house",
            },
        ),
    ],
)
def test_options_of_a_url_and_beside_it_are_those_of_the_store(
    uri: str, options: dict[str, str], root: str, config: dict[str, str]
) -> None:
    opened = open_store(uri, {**options, "request_timeout": "3"}, DEADLINE)
    assert opened is not None
    store, below = opened
    assert below == root
    assert {name: store.config.get(name) for name in config} == config
    assert not {*store.config} - {*config}
    assert store.retry_config["retry_timeout"].total_seconds() == DEADLINE
    is_http = any(value.startswith("http://") for value in config.values())
    assert (store.client_options["allow_http"], store.client_options["timeout"]) == (str(is_http).lower(), "3s")


@pytest.mark.parametrize(
    ("uri", "options"),
    [
        ("hdfs://lake/t", {}),
        ("s3://lake/t", {"role_arn": "r", "access_key": "k", "secret_key": "s"}),
        ("gs://lake/t", {}),
        ("gs://someone@lake/t", {}),
        ("gs://lake/t", {"anonymous": "true", "target_service_account": "x"}),
        ("abfs://lake/t", {"account_key": "a2V5"}),
        ("abfs://lake@house.dfs.core.windows.net/t", {}),
        ("abfs://house.blob.core.windows.net/lake/t", {"account_key": "a2V5"}),
        ("abfs://lake:key@house.dfs.core.windows.net/t", {}),
    ],
)
def test_plans_of_other_libraries_are_left_to_them(uri: str, options: dict[str, str]) -> None:
    assert open_store(uri, options, DEADLINE) is None


@pytest.mark.parametrize(("kind", "is_known"), [("authorized_user", True), ("external_account", False)])
def test_credentials_of_google_are_those_of_a_file(
    kind: str, is_known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "credentials.json"
    file.write_text(json.dumps({"type": kind, "client_id": "i", "client_secret": "s", "refresh_token": "r"}))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    assert (open_store("gs://lake/t", {}, DEADLINE) is not None) is is_known


def test_credentials_that_are_damaged_are_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "credentials.json"
    file.write_text(json.dumps({"type": "service_account"}))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    with pytest.raises(UsageError, match="gs://lake/t: expected options and credentials that obstore takes") as raised:
        open_store("gs://lake/t", {}, DEADLINE)
    assert "\n" not in str(raised.value)


def test_a_profile_is_left_to_pyarrow(tmp_path: Path) -> None:
    assert open_store("s3://lake/t", {"region": "eu-west-1"}, DEADLINE) is not None
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text("[default]")
    assert open_store("s3://lake/t", {"region": "eu-west-1"}, DEADLINE) is None


def test_variables_of_azure_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "house")
    assert open_store("az://lake/t", {}, DEADLINE) is None
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "a2V5")
    opened = open_store("az://lake/t", {"blob_storage_authority": "store:1", "blob_storage_scheme": "http"}, DEADLINE)
    assert opened is not None and opened[0].config["endpoint"] == "http://store:1/house"


@pytest.mark.parametrize(
    ("uri", "options", "match"),
    [
        ("gs://lake/t", {"token": "x"}, "GOOGLE_APPLICATION_CREDENTIALS"),
        ("az://lake/t", {"connection_string": "x"}, "account_name and account_key"),
        ("s3://lake/t", {"key": "a", "access_key": "b"}, "one value of access_key"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(uri: str, options: dict[str, str], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        open_store(uri, options, DEADLINE)


def test_files_of_google_are_read_and_written(store: MeasuredStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its XML interface is close to that of S3."""
    account = {"disable_oauth": True, "private_key": "", "private_key_id": "", "client_email": ""}
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", json.dumps(account))
    storage = RemoteStorage("gs://lake/t", {"endpoint": f"http://127.0.0.1:{store.port}"})
    storage.create("a/file", b"content")
    with pytest.raises(AlreadyExistsError):
        storage.create("a/file", b"other")
    storage.replace("b", b"x" * 3_000_000)
    assert [(file.path, file.size) for file in storage.list("", recursive=True)] == [("a/file", 7), ("b", 3_000_000)]
    assert (storage.read("a/file"), storage.open("b", 3_000_000).read(5, 2)) == (b"content", b"xx")
    storage.delete_folder("a")
    with pytest.raises(NoSuchFileError):
        storage.read("a/file")


@pytest.mark.parametrize("uri", ["s3://lake/t?region=eu-west-1", "gs://lake/t"])
def test_a_user_without_a_home_folder_has_no_files_of_credentials(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-1602: as a number that no user has, in a container."""

    def find_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", find_home)
    opened = open_store(uri, {}, DEADLINE)
    assert (opened is None) == uri.startswith("gs")
