"""Text for people, without secrets: keys and signatures in URLs, and values of options that open a store. Rule STORE-261."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final
from urllib.parse import parse_qsl, quote, unquote

HIDDEN: Final = "***"
"""Stands where a secret was."""

_LEAST: Final = 4
"""Characters of the shortest value that is looked for: shorter ones are parts of words."""
_URL: Final = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s'\"<>`]+")
_NAMES: Final = (
    "key|secret|token|sas|sig|signature|password|passwd|pwd|credential|credentials|connection_string|auth|authorization"
)
_SECRET_NAME: Final = re.compile(rf"(?:^|[^a-z])(?:{_NAMES})(?:[^a-z]|$)|(?:{_NAMES})$", re.IGNORECASE)
_PAIR: Final = re.compile(
    r"(?<![a-z])((?:x-amz-(?:signature|credential|security-token)|sig|signature|awsaccesskeyid|accountkey|sharedaccess(?:key|signature)"
    r"|sas_token|session_token|(?:secret_)?access_key|secret_key|account_key|client_secret|password|googleaccessid))(=|%3D)"
    r"[^\s&;,'\"<>)]+",
    re.IGNORECASE,
)
"""A name of a secret, what joins it to its value, and the value."""


def public_url(url: str) -> str:
    """A URL as messages show it: without user, password and what is behind a question mark. A local path stays as it is."""
    scheme, mark, rest = url.partition("://")
    if not mark or scheme.lower() == "file":
        return url
    authority, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def without_secrets(text: str, values: Collection[str] = ()) -> str:
    """A text without the secrets in its URLs, without those that are behind their names, and without these values."""
    for value in values:
        text = text.replace(value, HIDDEN)
    if "://" in text:
        text = _URL.sub(lambda match: public_url(match[0]), text)
    return _PAIR.sub(rf"\1\2{HIDDEN}", text) if "=" in text or "%3D" in text else text


def is_without_secrets(problem: BaseException, values: Collection[str] = ()) -> bool:
    """Whether a traceback that ends with this exception, and with those behind it, shows no secret."""
    shown: BaseException | None = problem
    seen: list[BaseException] = []
    while shown is not None and not any(
        shown is one for one in seen
    ):  # one that was raised from itself is behind itself
        seen.append(shown)
        text = str(shown)
        if without_secrets(text, values) != text:
            return False
        shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)
    return True


def secrets_in(url: str, options: Mapping[str, str]) -> tuple[str, ...]:
    """The secret values in a URL and in the options that open it, the longest first, in the forms in which they may be shown."""
    authority, _, query = url.partition("://")[2].partition("?")
    user, mark, _ = authority.partition("/")[0].rpartition("@")
    values = [value for name, value in (*parse_qsl(query), *options.items()) if _SECRET_NAME.search(name)]
    # What is before the @ of a URL of Azure's is the container.
    values += user.split(":") if mark and ":" in user else []
    values += [part for value in values for part in _parts_of(value)]
    forms = {form for value in values for form in (value, quote(value, safe=""), quote(value), unquote(value))}
    return tuple(sorted((form for form in forms if len(form) >= _LEAST), key=lambda form: (-len(form), form)))


def _parts_of(value: str) -> Iterator[str]:
    """The values in a connection string or a signature, which have names of their own."""
    for part in re.split("[;&?]", value):
        name, equals, inner = part.partition("=")
        if equals and _SECRET_NAME.search(name):
            yield inner
