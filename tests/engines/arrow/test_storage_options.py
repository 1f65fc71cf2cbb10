"""Options of object stores under the names of other tools."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pytest
from pyarrow import fs

from hudi_arrow.stores import file_systems
from hudi_arrow.stores.file_systems import file_system_client
from hudi_arrow.stores.storage_options import own_names, own_options
from hudi_core.errors import StorageError, UsageError

PLAIN = {
    "access_key": "a", "secret_key": "s", "session_token": "t", "region": "x", "endpoint_override": "h:9", "scheme": "http",
}  # fmt: skip
SPELLINGS: dict[str, Mapping[str, str]] = {
    "boto3": {
        "aws_access_key_id": "a", "aws_secret_access_key": "s", "aws_session_token": "t", "region_name": "x",
        "endpoint_url": "http://h:9/",
    },
    "environment": {
        "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t", "AWS_REGION": "x",
        "AWS_ENDPOINT_URL": "http://h:9", "AWS_ALLOW_HTTP": "true",
    },
    "s3fs": {"key": "a", "secret": "s", "token": "t", "region": "x", "endpoint_url": "http://h:9"},
    "PyIceberg": {
        "s3.access-key-id": "a", "s3.secret-access-key": "s", "s3.session-token": "t", "s3.region": "x",
        "s3.endpoint": "http://h:9",
    },
    "Hadoop": {
        "fs.s3a.access.key": "a", "fs.s3a.secret.key": "s", "fs.s3a.session.token": "t", "fs.s3a.endpoint.region": "x",
        "fs.s3a.endpoint": "http://h:9",
    },
    "twice the same": {**PLAIN, "AWS_REGION": "x"},
}  # fmt: skip


@pytest.mark.parametrize("given", SPELLINGS.values(), ids=SPELLINGS)
def test_options_of_s3_are_understood_as_other_tools_name_them(given: Mapping[str, str]) -> None:
    assert own_options("s3://b/t", "s3", given) == PLAIN
    assert file_system_client("s3://b/t", given).filesystem == file_system_client("s3://b/t", PLAIN).filesystem


def test_options_of_azure_and_google_are_understood_as_other_tools_name_them() -> None:
    named = {"AZURE_STORAGE_ACCOUNT_NAME": "n", "azure_storage_account_key": "k", "adls.tenant-id": "t"}
    assert own_options("abfs://c/t", "abfs", named) == {"account_name": "n", "account_key": "k", "tenant_id": "t"}
    assert own_options("gs://b/t", "gs", {"anon": "true", "project": "p"}) == {"anonymous": "true", "project_id": "p"}


def test_an_endpoint_without_a_scheme_and_a_scheme_of_ones_own_stay() -> None:
    assert own_options("s3://b", "s3", {"endpoint": "h:9"}) == {"endpoint_override": "h:9"}
    assert own_options("s3://b", "s3", {"endpoint": "http://h", "scheme": "https"})["scheme"] == "https"


def test_options_stand_beside_those_in_the_url() -> None:
    both = file_system_client("s3://b/t?endpoint_override=h:9&scheme=http", {"AWS_REGION": "x"})
    assert both.filesystem == file_system_client("s3://b/t", {"endpoint_url": "http://h:9", "region": "x"}).filesystem


def test_two_values_of_one_option_are_refused() -> None:
    with pytest.raises(UsageError, match="one value of region, found AWS_REGION and region, which differ"):
        own_options("s3://b/t", "s3", {"AWS_REGION": "x", "region": "y"})


@pytest.mark.parametrize(
    ("scheme", "name", "place"),
    [
        ("s3", "AWS_PROFILE", "environment variable AWS_PROFILE"),
        ("gs", "token", "GOOGLE_APPLICATION_CREDENTIALS"),
        ("abfs", "connection_string", "account_name and account_key"),
    ],
)
def test_settings_that_pyarrow_takes_from_elsewhere_are_stated(scheme: str, name: str, place: str) -> None:
    with pytest.raises(UsageError, match=place):
        own_options(f"{scheme}://b/t", scheme, {name: "v"})


def test_an_option_nobody_knows_is_refused_with_those_that_are() -> None:
    with pytest.raises(
        UsageError, match=r"options of pyarrow.fs.S3FileSystem, as access_key, .*, session_token, found .*'bogus'"
    ):
        file_system_client("s3://b/t", {"bogus": "1"})


@pytest.mark.parametrize(
    ("scheme", "kind"), [("s3", "S3FileSystem"), ("gs", "GcsFileSystem"), ("abfs", "AzureFileSystem")]
)
def test_the_names_that_are_handed_on_are_arguments_of_pyarrow(scheme: str, kind: str) -> None:
    if not hasattr(fs, kind):
        pytest.skip(f"pyarrow is built without {kind}")
    documented = getattr(fs, kind).__doc__
    for name in own_names(scheme):
        assert f"{name} :" in documented, name


def test_azure_without_credentials_is_an_error_and_not_the_end_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-1489. pyarrow raises where a path is looked at, and ends the process where a file is opened first."""

    class Azure:
        type_name = "abfs"

        def get_file_info(self, path: str) -> fs.FileInfo:
            assert path == "box/t"
            raise pa.ArrowException("Failed to get token from DefaultAzureCredential")

    monkeypatch.setattr(file_systems, "_by_arrow", lambda *_: (Azure(), "box"))
    with pytest.raises(StorageError, match=r"abfss://y\.dfs.core.windows.net/t: Failed to get token"):
        file_system_client("abfss://box@y.dfs.core.windows.net/t", {})
