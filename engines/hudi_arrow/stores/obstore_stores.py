"""Stores of `obstore` for URLs of S3, Google Cloud Storage and Azure, opened with the options that pyarrow has for them.

A store is opened only where the library supports all options, and finds the credentials that pyarrow or fsspec would use: else
those open the URL.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from hudi_arrow.stores.storage_options import own_options
from hudi_core.errors import UsageError
from hudi_core.secrets import is_without_secrets, public_url, secrets_in, without_secrets

Options = Mapping[str, str]

_ENDPOINT, _ANONYMOUS, _SCHEME = "endpoint_override", "anonymous", "scheme"
_AUTHORITY, _AUTHORITY_SCHEME = "blob_storage_authority", "blob_storage_scheme"
_CONNECT_TIMEOUT, _REQUEST_TIMEOUT = "connect_timeout", "request_timeout"
_CONNECT_SECONDS, _REQUEST_SECONDS = 5.0, 20.0

_UNTIL_DEADLINE: Final = 10_000
"""Retries that no deadline leaves time for."""
_BACKOFF: Final = {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=5), "base": 2}

_S3_VARIABLES: Final = ("AWS_ACCESS_KEY_ID", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_WEB_IDENTITY_TOKEN_FILE")
"""Variables by which the library gets credentials. It reads no profiles."""
_REGION_VARIABLES: Final = {"AWS_REGION", "AWS_DEFAULT_REGION"}
_GCS_KEY_VARIABLES: Final = ("GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_PATH", "GOOGLE_SERVICE_ACCOUNT_KEY")
_GCS_FILE_VARIABLE: Final = "GOOGLE_APPLICATION_CREDENTIALS"
_GCS_FILE: Final = ".config/gcloud/application_default_credentials.json"
_GCS_KINDS: Final = ("service_account", "authorized_user")
"""Kinds of credentials in a file that the library supports."""
_AZURE_VARIABLES: Final = ("AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_SAS_KEY", "AZURE_STORAGE_CLIENT_SECRET")
_AZURE_ACCOUNT_VARIABLE: Final = "AZURE_STORAGE_ACCOUNT_NAME"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a URL points: a bucket or container, the path below it, and the options that the URL itself has."""

    bucket: str
    root: str
    options: Options


@dataclass(frozen=True, slots=True)
class _Kind:
    """How the library opens the stores of a service."""

    scheme: str
    """The scheme by which `own_options` names the options."""
    store: str
    """The library's class."""
    names: Mapping[str, str]
    """Options that it takes as they are: pyarrow's name, and its own."""
    others: frozenset[str]
    """Options that `arguments` turns into its own."""
    place: Callable[[str], _Place | None]
    has_credentials: Callable[[Options], bool]
    arguments: Callable[[Options, str], dict[str, Any]]
    """Returns the arguments that `names` does not cover, from options and a bucket."""


def open_store(uri: str, options: Options, deadline: float) -> tuple[Any, str] | None:
    """The store of a URL's bucket, and the URL's path below it; None for other URLs, for options and credentials that the library
    does not support, and where it is not installed.

    `deadline` is the time in seconds for which a request is repeated. Raises `UsageError` as `own_options` does.
    """
    kind = _KINDS.get(urlsplit(uri).scheme)
    place = None if kind is None else kind.place(uri)
    if kind is None or place is None:
        return None
    options = own_options(uri, kind.scheme, {**place.options, **options})
    if not set(options) <= {*kind.names, *kind.others, _CONNECT_TIMEOUT, _REQUEST_TIMEOUT}:
        return None
    if not kind.has_credentials(options):
        return None
    try:
        stores: Any = importlib.import_module("obstore.store")
    except ImportError:
        return None
    arguments = {kind.names[name]: value for name, value in options.items() if name in kind.names}
    arguments |= kind.arguments(options, place.bucket)
    endpoint = str(arguments.get("endpoint") or arguments.get("base_url") or "")
    with _take(uri, secrets_in(uri, options)):
        opened = getattr(stores, kind.store)(
            place.bucket,
            **arguments,
            client_options={
                "allow_http": endpoint.startswith("http://"),
                "connect_timeout": timedelta(seconds=float(options.get(_CONNECT_TIMEOUT, _CONNECT_SECONDS))),
                "timeout": timedelta(seconds=float(options.get(_REQUEST_TIMEOUT, _REQUEST_SECONDS))),
            },
            retry_config={
                "max_retries": _UNTIL_DEADLINE,
                "backoff": _BACKOFF,
                "retry_timeout": timedelta(seconds=deadline),
            },
        )
    return opened, place.root


@contextmanager
def _take(uri: str, secrets: Collection[str]) -> Iterator[None]:
    """Raises `UsageError` for what the library refuses to open a store with."""
    try:
        yield
    except Exception as problem:
        if not type(problem).__module__.startswith("obstore"):
            raise
        reason = without_secrets(str(problem), secrets).partition("\n")[0]
        shown = problem if is_without_secrets(problem, secrets) else None
        raise UsageError(
            public_url(uri), expected="options and credentials that obstore takes", found=reason
        ) from shown


def _is_true(options: Options, name: str) -> bool:
    return options.get(name, "").lower() == "true"


def _parts(uri: str) -> tuple[str, str, str, Options]:
    """What is before the `@` of a URL, what is behind it up to a slash, the path, and the options after a `?`."""
    rest, _, query = uri.partition("://")[2].partition("?")
    authority, _, path = rest.partition("/")
    user, _, host = authority.rpartition("@")
    return user, host, "/".join(part for part in path.split("/") if part), dict(parse_qsl(query))


def _s3_place(uri: str) -> _Place:
    user, bucket, root, options = _parts(uri)
    if user:
        access_key, _, secret_key = user.partition(":")
        options = {**options, "access_key": unquote(access_key), "secret_key": unquote(secret_key)}
    return _Place(bucket, root, options)


def _s3_credentials(options: Options) -> bool:
    """Whether there are credentials: given ones, those of variables, or of the machine's role where there are no files of
    profiles."""
    if "access_key" in options or _is_true(options, _ANONYMOUS):
        return True
    if "AWS_PROFILE" in os.environ:
        return False
    home = _home()
    return any(name in os.environ for name in _S3_VARIABLES) or not any(
        home is not None and (home / ".aws" / name).exists() for name in ("credentials", "config")
    )


def _home() -> Path | None:
    """The user's folder; None where there is none, as for a number in a container that no user has."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def _server_arguments(options: Options, endpoint: str) -> dict[str, Any]:
    """The server, by the name that the library has for it, and whether requests are signed."""
    arguments: dict[str, Any] = {}
    if _ENDPOINT in options:
        arguments[endpoint] = f"{options.get(_SCHEME, 'https')}://{options[_ENDPOINT]}"
    if _is_true(options, _ANONYMOUS):
        arguments["skip_signature"] = True
    return arguments


def _s3_arguments(options: Options, bucket: str) -> dict[str, Any]:
    arguments = _server_arguments(options, "endpoint")
    if "region" not in options and not arguments.get("endpoint") and not _REGION_VARIABLES & os.environ.keys():
        arguments["region"] = importlib.import_module("pyarrow.fs").resolve_s3_region(bucket)
    return arguments


def _gcs_place(uri: str) -> _Place | None:
    user, bucket, root, options = _parts(uri)
    if user not in ("", "anonymous"):
        return None
    return _Place(bucket, root, {**options, **({_ANONYMOUS: "true"} if user else {})})


def _gcs_credentials(options: Options) -> bool:
    """Anonymous access, a service account in environment variables, or a file of a kind that the library supports."""
    if _is_true(options, _ANONYMOUS) or any(name in os.environ for name in _GCS_KEY_VARIABLES):
        return True
    named, home = os.environ.get(_GCS_FILE_VARIABLE), _home()
    file = Path(named) if named else home and home / _GCS_FILE
    if file is None:
        return False
    try:
        stored = json.loads(file.read_bytes())
    except (OSError, ValueError):  # pyarrow reports what is wrong with it, or finds others
        return False
    return isinstance(stored, dict) and stored.get("type") in _GCS_KINDS


def _gcs_arguments(options: Options, _: str) -> dict[str, Any]:
    return _server_arguments(options, "base_url")


def _azure_place(uri: str) -> _Place | None:
    """`abfs://container@account.dfs.core.windows.net/path`, or `az://container/path` with the account elsewhere."""
    container, host, root, options = _parts(uri)
    if not container:
        return None if "." in host or ":" in host else _Place(host, root, options)
    account, _, domain = host.partition(".")
    if ":" in container or domain != "dfs.core.windows.net":
        return None
    return _Place(container, root, {"account_name": account, **options})


def _azure_credentials(options: Options) -> bool:
    """A key, a signature or a service principal's secret, given or of variables, and an account."""
    if "account_name" not in options and _AZURE_ACCOUNT_VARIABLE not in os.environ:
        return False
    return any(name in options for name in ("account_key", "sas_token", "client_secret")) or any(
        name in os.environ for name in _AZURE_VARIABLES
    )


def _azure_arguments(options: Options, _: str) -> dict[str, Any]:
    authority = options.get(_AUTHORITY)
    if authority is None:
        return {}
    account = options.get("account_name") or os.environ[_AZURE_ACCOUNT_VARIABLE]
    # One that begins with a dot is a domain of accounts; others are servers that have accounts as folders.
    place = f"{account}{authority}" if authority.startswith(".") else f"{authority}/{account}"
    return {"endpoint": f"{options.get(_AUTHORITY_SCHEME, 'https')}://{place}"}


_S3: Final = _Kind(
    "s3",
    "S3Store",
    {
        "access_key": "access_key_id",
        "secret_key": "secret_access_key",
        "session_token": "session_token",
        "region": "region",
        "force_virtual_addressing": "virtual_hosted_style_request",
    },
    frozenset((_ENDPOINT, _SCHEME, _ANONYMOUS)),
    _s3_place,
    _s3_credentials,
    _s3_arguments,
)
_GCS: Final = _Kind(
    "gs",
    "GCSStore",
    {},
    # The project and the location of buckets count only where buckets are made.
    frozenset((_ENDPOINT, _SCHEME, _ANONYMOUS, "project_id", "default_bucket_location")),
    _gcs_place,
    _gcs_credentials,
    _gcs_arguments,
)
_AZURE: Final = _Kind(
    "abfs",
    "AzureStore",
    {
        "account_name": "account_name",
        "account_key": "account_key",
        "sas_token": "sas_key",
        "tenant_id": "tenant_id",
        "client_id": "client_id",
        "client_secret": "client_secret",
    },
    frozenset((_AUTHORITY, _AUTHORITY_SCHEME)),
    _azure_place,
    _azure_credentials,
    _azure_arguments,
)
_KINDS: Final = {
    **dict.fromkeys(("s3", "s3a", "s3n"), _S3),
    **dict.fromkeys(("gs", "gcs"), _GCS),
    **dict.fromkeys(("abfs", "abfss", "az"), _AZURE),
}
