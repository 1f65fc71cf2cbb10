"""No message, representation, traceback, page or report shows a key or a signature, whatever opens the store. Rule STORE-261."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

import hudi_core
from hudi_arrow.stores.obstore_client import ObstoreClient
from hudi_arrow.stores.remote import RemoteStorage
from hudi_arrow.stores.storage import report_errors
from hudi_core.errors import HudiError, StorageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.secrets import is_without_secrets, public_url, secrets_in, without_secrets
from tests.support.commands import ran
from tests.support.written_tables import TYPES

SECRET = "SeCrEt/VaLuE+0=="
ENCODED = "SeCrEt%2FVaLuE%2B0%3D%3D"
HERE = "127.0.0.1:1"
"""Nothing listens there."""

S3 = f"s3://AKIA:{ENCODED}@b/t?endpoint_override={HERE}&scheme=http&region=x&deadline=0.1"
AZURE = f"abfss://c@acc.dfs.core.windows.net/t?sig={ENCODED}&deadline=0.1"
URLS = [
    S3,
    pytest.param(AZURE, marks=pytest.mark.soak),  # its library tries for some seconds
    f"az://c/t?account_key={ENCODED}&account_name=a&blob_storage_authority={HERE}&blob_storage_scheme=http&deadline=0.1",
    f"s3://b/t?access_key=AKIA&secret_key={ENCODED}&endpoint_override={HERE}&scheme=http&region=x&deadline=0.1",
    f"s3://b/t?secret_key={ENCODED}&deadline=0.1&no_such_option={ENCODED}",
    f"gs://b/t?token={ENCODED}",
    f"hdfs://user:{ENCODED}@localhost:1/t",
    f"http://{HERE}/t?sig={ENCODED}",
    f"memory://t?token={ENCODED}",
    f"nosuch://user:{ENCODED}@host/t?token={ENCODED}",
]
OPTIONS: list[tuple[str, Mapping[str, str]]] = [
    ("s3://b/t", {"access_key": "AKIA", "secret_key": SECRET, "endpoint_override": HERE, "scheme": "http", "deadline": "0.1"}),
    ("s3://b/t", {"aws_secret_access_key": SECRET, "secret": f"{SECRET}2"}),
    ("s3://b/t", {"aws_secret_access_key": SECRET, "no_such_option": SECRET, "endpoint_override": HERE, "deadline": "0.1"}),
    ("abfss://c@acc.dfs.core.windows.net/t", {"connection_string": f"AccountName=a;AccountKey={SECRET}"}),
    ("gs://b/t", {"service_account": f'{{"private_key": "{SECRET}"}}'}),
    ("memory://t", {"token": SECRET}),
    ("/nowhere", {"token": SECRET}),
]  # fmt: skip


def texts_of(error: BaseException) -> Iterator[str]:
    """All that is shown of an error."""
    yield from (str(error), repr(error), *map(str, error.args), *getattr(error, "__notes__", ()))
    yield from (str(value) for value in vars(error).values())
    # Lines of source show how a test was called.
    yield "".join(traceback.TracebackException.from_exception(error, lookup_lines=False).format())


def assert_hidden(text: str) -> None:
    for form in (SECRET, ENCODED, "VaLuE"):
        assert form not in text, text


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without credentials of the machine's own, and without waiting for what is not there."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")


@pytest.mark.parametrize("url", URLS)
def test_a_url_that_cannot_be_opened_shows_no_secret(url: str, alone: None) -> None:
    """STORE-261."""
    with pytest.raises(HudiError) as raised:
        open_table(url)
    for text in texts_of(raised.value):
        assert_hidden(text)


@pytest.mark.parametrize("engine", ["plain", "no_such_engine"])
def test_neither_does_an_engine_that_takes_no_url(engine: str) -> None:
    """STORE-261."""
    with pytest.raises(HudiError) as raised:
        open_table(AZURE, engine=engine)
    for text in texts_of(raised.value):
        assert_hidden(text)


@pytest.mark.parametrize(("url", "options"), OPTIONS, ids=[f"{url} {' '.join(given)}" for url, given in OPTIONS])
def test_options_that_do_not_open_a_store_show_no_secret(url: str, options: Mapping[str, str], alone: None) -> None:
    """STORE-261."""
    with pytest.raises(HudiError) as raised:
        open_table(url, storage_options=options)
    for text in texts_of(raised.value):
        assert_hidden(text)


@pytest.mark.parametrize("command", ["inspect", "read", "explain", "validate"])
def test_commands_show_none(command: str, alone: None) -> None:
    """STORE-261."""
    for options, url in ([], S3), (["--storage-option", "VaLuE"], "s3://b/t"):
        answer = ran(*options, command, url, *(["--where", "a = 1"] if command == "explain" else []))
        assert answer.status in (1, 2)
        assert_hidden(answer.out + answer.err)


def test_files_that_commands_are_given_show_none(tmp_path: Path, alone: None) -> None:
    """STORE-261."""
    url = f"s3://b/rows.parquet?secret_key={ENCODED}"
    create_table(tmp_path / "t", TYPES, key="id")
    for arguments in (
        ["write", tmp_path / "t", url],
        ["create", tmp_path / "n", "--like", url, "--key", "id"],
        ["tag", tmp_path / "t", url],
    ):
        answer = ran(*arguments)
        assert answer.status in (1, 2)
        assert_hidden(answer.out + answer.err)


def test_storages_hide_what_opened_them(alone: None) -> None:
    """STORE-261: also after they were sent to another process."""
    storage = RemoteStorage(S3)
    for one in (storage, pickle.loads(pickle.dumps(storage))):
        assert_hidden(repr(one) + one.uri + repr(one._client))
        for call in (partial(one.read, "x"), partial(one.list, "x"), partial(one.create, "x", b"")):
            with pytest.raises(StorageError) as raised:
                call()
            for text in texts_of(raised.value):
                assert_hidden(text)
    assert_hidden(repr(ObstoreClient(SECRET, "root", None)))  # type: ignore[arg-type]


def test_what_a_library_raises_is_cleaned_and_shown_behind_an_error_only_where_it_has_no_secret() -> None:
    """STORE-261."""
    values = secrets_in(AZURE, {"secret_key": SECRET})
    for text in (
        f"403 for https://h/c?sig={ENCODED}: no",
        f"bad key {SECRET}",
        f"AccountKey={SECRET};x",
        f"cause {ENCODED}",
    ):
        with pytest.raises(StorageError) as raised, report_errors("s3://b/t", values):
            raise OSError(text) from ValueError(SECRET)
        assert raised.value.__cause__ is None
        for shown in texts_of(raised.value):
            assert_hidden(shown)
    with pytest.raises(StorageError, match="out of order") as raised, report_errors("s3://b/t", values):
        raise OSError("out of order")
    assert isinstance(raised.value.__cause__, OSError)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("s3://AKIA:pass@bucket/a/b?x=1#y", "s3://bucket/a/b"),
        ("no url, what? password: none", "no url, what? password: none"),
        ("GET https://h/p?sig=abc, then https://k/q", "GET https://h/p then https://k/q"),
        ("'abfss://c@a.net/t?sig=abc' is not there", "'abfss://a.net/t' is not there"),
        ("/a/b?c=d", "/a/b?c=d"),
        ("file:///a/b?c", "file:///a/b?c"),
        ("X-Amz-Signature=abc&y", "X-Amz-Signature=***&y"),
        ("AccountName=a;AccountKey=abc==;", "AccountName=a;AccountKey=***;"),
    ],
)
def test_texts_without_secrets(text: str, shown: str) -> None:
    """STORE-261."""
    assert without_secrets(text) == shown
    assert without_secrets(shown) == shown
    assert str(HudiError(message=text)) == shown


def test_the_values_of_a_url_and_its_options() -> None:
    """STORE-261."""
    values = secrets_in(
        f"s3://user1:pass1@b/t?secret_key={ENCODED}&region=eu-north-1",
        {
            "sas_token": "?sv=1&sig=abcd",
            "region": "eu-west-1",
            "anonymous": "true",
            "token": "abc",
            "endpoint": "https://k.example",
        },
    )
    assert {SECRET, ENCODED, "user1", "pass1", "abcd"} <= set(values)
    assert not {"eu-north-1", "eu-west-1", "true", "abc", "https://k.example", "1"} & set(values)
    assert public_url("abfss://c@acc.dfs.core.windows.net/t?sig=1") == "abfss://acc.dfs.core.windows.net/t"
    assert hudi_core.HudiError("s3://b/t?sig=1", expected="a").where == "s3://b/t"


def test_an_exception_that_stands_behind_itself_is_looked_at_once() -> None:
    """ROWS-1320: as one does that was raised from itself."""
    problem = ValueError("no secret")
    problem.__cause__ = problem
    assert is_without_secrets(problem)
