"""Options of object stores by the names of other tools, translated to those of pyarrow's file systems.

Understood are the names of boto3 and the AWS variables (`aws_access_key_id`, `AWS_REGION`), of s3fs and adlfs (`key`, `secret`,
`endpoint_url`), of object_store, which hudi-rs, deltalake and Polars hand on (`aws_endpoint`, `AZURE_STORAGE_ACCOUNT_NAME`), of
PyIceberg (`s3.access-key-id`) and of Hadoop (`fs.s3a.access.key`). Letters in either case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hudi_core.errors import UsageError
from hudi_core.secrets import public_url

_ENDPOINT: Final = "endpoint_override"
_Names = Mapping[str, Sequence[str]]

_S3: _Names = {
    "access_key": ("access_key_id", "aws_access_key_id", "key", "s3.access-key-id", "fs.s3a.access.key"),
    "secret_key": ("secret_access_key", "aws_secret_access_key", "secret", "s3.secret-access-key", "fs.s3a.secret.key"),
    "session_token": ("aws_session_token", "aws_token", "token", "s3.session-token", "fs.s3a.session.token"),
    "region": (
        *("aws_region", "aws_default_region", "default_region", "region_name", "s3.region", "client.region"),
        "fs.s3a.endpoint.region",
    ),
    _ENDPOINT: (
        *("endpoint", "endpoint_url", "aws_endpoint", "aws_endpoint_url", "aws_endpoint_url_s3", "s3.endpoint"),
        "fs.s3a.endpoint",
    ),
    "anonymous": ("anon", "skip_signature", "aws_skip_signature", "s3.anonymous"),
    "role_arn": ("aws_role_arn", "s3.role-arn", "client.role-arn"),
    "session_name": ("aws_role_session_name", "s3.role-session-name", "client.role-session-name"),
    "connect_timeout": ("s3.connect-timeout",),
    "request_timeout": ("s3.request-timeout",),
    "force_virtual_addressing": (
        *("virtual_hosted_style_request", "aws_virtual_hosted_style_request", "s3.force-virtual-addressing"),
    ),
    "scheme": (),
    "external_id": (),
    "": ("allow_http", "aws_allow_http"),  # the endpoint's own URL states it
}
_GS: _Names = {
    "anonymous": ("anon", "google_skip_signature"),
    "project_id": ("project", "gcs.project-id"),
    _ENDPOINT: ("endpoint", "endpoint_url", "gcs.service.host", "gcs.endpoint"),
    "target_service_account": (),
    "default_bucket_location": ("gcs.default-bucket-location",),
    "scheme": (),
}
_AZURE: _Names = {
    "account_name": (
        "azure_storage_account_name",
        "azure_storage_account",
        "storage_account_name",
        "adls.account-name",
    ),
    "account_key": ("azure_storage_account_key", "azure_storage_access_key", "access_key", "adls.account-key"),
    "sas_token": ("azure_storage_sas_token", "azure_storage_sas_key", "sas_key", "adls.sas-token"),
    "tenant_id": ("azure_tenant_id", "azure_storage_tenant_id", "adls.tenant-id"),
    "client_id": ("azure_client_id", "azure_storage_client_id", "adls.client-id"),
    "client_secret": ("azure_client_secret", "azure_storage_client_secret", "adls.client-secret"),
    "blob_storage_authority": ("adls.blob-storage-authority",),
    "blob_storage_scheme": ("adls.blob-storage-scheme",),
}
_OWN: Mapping[str, _Names] = {"s3": _S3, "gs": _GS, "abfs": _AZURE}
_BY_NAME: Mapping[str, Mapping[str, str]] = {
    scheme: {other: own for own, others in names.items() for other in (own, *others)} for scheme, names in _OWN.items()
}
_ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    "s3": dict.fromkeys(("profile", "aws_profile", "s3.profile-name"), "the environment variable AWS_PROFILE"),
    "gs": dict.fromkeys(
        (
            *(
                "token",
                "service_account",
                "service_account_path",
                "google_service_account",
                "google_service_account_path",
            ),
            *("google_application_credentials", "application_credentials"),
        ),
        "a path in the environment variable GOOGLE_APPLICATION_CREDENTIALS",
    ),
    "abfs": dict.fromkeys(("connection_string", "azure_storage_connection_string"), "account_name and account_key"),
}
"""Options that pyarrow has no name for, and the options or variables to use in their place."""


def own_names(scheme: str) -> list[str]:
    """The names under which options of a scheme (s3, gs, abfs) are handed on."""
    return sorted(name for name in _OWN[scheme] if name)


def own_options(uri: str, scheme: str, options: Mapping[str, str]) -> dict[str, str]:
    """The options of a scheme (s3, gs, abfs) as pyarrow names them; unknown ones stay as they are.

    Raises `UsageError` for two names of one option with different values, and for an option whose value pyarrow takes from
    elsewhere.
    """
    own_names: dict[str, str] = {}
    given: dict[str, str] = {}
    for name, value in options.items():
        place = _ELSEWHERE[scheme].get(name.lower())
        if place is not None:
            raise UsageError(public_url(uri), expected=f"{place} in place of the option {name}", found="the option")
        own = _BY_NAME[scheme].get(name.lower(), name)
        if own_names.setdefault(own, value) != value:
            raise UsageError(
                public_url(uri), expected=f"one value of {own}", found=f"{given[own]} and {name}, which differ"
            )
        given[own] = name
    own_names.pop("", None)
    scheme_of_url, mark, host = own_names.get(_ENDPOINT, "").partition("://")
    if mark:
        own_names[_ENDPOINT] = host.rstrip("/")
        own_names.setdefault("scheme", scheme_of_url)
    return own_names


def type_options(options: Mapping[str, str]) -> dict[str, Any]:
    """Options as libraries expect them: some as the numbers or booleans they spell. Names and passwords stay strings."""
    typed: dict[str, Any] = dict(options)
    for name, text in options.items():
        if text.lower() in ("true", "false"):
            typed[name] = text.lower() == "true"
        elif name.endswith("timeout"):
            typed[name] = float(text)
    return typed
