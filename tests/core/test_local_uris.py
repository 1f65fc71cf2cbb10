"""Local paths and `file:` URLs: what is typed is the path, or it is refused."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import HudiError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.local_uris import is_url, local_path
from hudi_core.secrets import public_url

ROWS = pa.table({"id": ["a"]})
NO_PATHS = ["a\0b", "a\ud800b"]
EMPTY = ["", "  ", "file:", "file://", "file://localhost"]


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_a_quoted_path_comes_back_and_a_plain_one_stays(name: str) -> None:
    """STORE-1, STORE-1371."""
    path = f"/lake/{name}"
    assert local_path(path) == path
    for begin in ("file://", "file:", "FILE://localhost", "File://"):
        url = begin + quote(path)
        assert not is_url(url) and local_path(url) == path
    raw = f"file://{path}"
    if "?" in name or "#" in name:
        with pytest.raises(UsageError, match="%3F for"):
            local_path(raw)
    elif "%" not in name:
        assert local_path(raw) == path


@pytest.mark.parametrize(
    "uri", ["file://lake/rides", "file://host:80/x", "FILE://tmp", "file:///a%FFb", "file:///a%00b"]
)
def test_a_url_of_another_path_is_refused(uri: str) -> None:
    """STORE-1371: the host would be dropped, and the folder be another one; escapes that are no UTF-8 would be replaced."""
    with pytest.raises(UsageError):
        local_path(uri)


@pytest.mark.parametrize("engine", ["arrow", "plain"])
@pytest.mark.parametrize("sign", ["?", "#"])
def test_no_table_is_made_beside_the_path_that_is_typed(tmp_path: Path, sign: str, engine: str) -> None:
    """STORE-1371."""
    with pytest.raises(UsageError, match="in a file: URL"):
        create_table(f"file://{tmp_path}/a{sign}b", ROWS, "id", engine=engine)
    assert not os.listdir(tmp_path)
    create_table(f"{tmp_path}/a{sign}b", ROWS, "id")
    assert os.listdir(tmp_path) == [f"a{sign}b"]


@pytest.mark.parametrize("begin", ["", "file://", "s3://lake/"])
@pytest.mark.parametrize("name", NO_PATHS)
def test_a_text_that_is_no_path_is_refused_wherever_one_is_given(tmp_path: Path, begin: str, name: str) -> None:
    """STORE-1372."""
    table = create_table(tmp_path / "t", ROWS, "id")
    root = "" if begin.startswith("s3") else f"{tmp_path}/"
    place = f"{begin}{root}{name}"
    for use in (
        lambda: open_table(place),
        lambda: create_table(place, ROWS, "id"),
        lambda: table.scan().write(f"{place}.csv"),
        lambda: table.upsert(f"{place}.csv"),
        lambda: open_table(tmp_path / "t", footer_cache=place).scan("id = 'a'").to_arrow(),
    ):
        with pytest.raises(HudiError) as raised:
            use()
        assert "\0" not in str(raised.value)
        str(raised.value).encode()


@pytest.mark.parametrize("uri", [*EMPTY, "s3://[x/rows.csv", "https://[x/rows.csv"])
def test_nothing_is_no_path(tmp_path: Path, uri: str) -> None:
    """STORE-1372: it would be the current folder."""
    table = create_table(tmp_path / "t", ROWS, "id")
    for use in (
        lambda: open_table(uri),
        lambda: create_table(uri, ROWS, "id"),
        lambda: table.scan().write(uri),
        lambda: table.upsert(uri),
    ):
        with pytest.raises(UsageError):
            use()


@pytest.mark.parametrize("name", ["//[x", "[", "//[x]/y", "./http:/x", "a://", "://"])
def test_brackets_are_no_addresses(name: str) -> None:
    """STORE-1: a path is taken as it is."""
    assert public_url(name) == name
    if not is_url(name):
        assert local_path(name) == name
