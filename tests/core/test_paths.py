"""Paths that metadata states: within the table, or refused."""

from __future__ import annotations

import os.path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError
from hudi_core.paths import (
    data_path,
    file_name,
    instant_name,
    join_paths,
    partition_path,
    path_within,
    resolve_planned_path,
    resolve_stated_path,
)

OUT = ["../x", "a/../../x", "a/..", "/x", "a//x", "./x", "a/.", "a/", "", "..", "a\0b"]


@pytest.mark.parametrize("path", OUT)
def test_a_path_that_leads_elsewhere_is_refused(path: str) -> None:
    """STORE-320."""
    with pytest.raises(CorruptFileError, match="here: expected a path within the table"):
        path_within(path, "here")


@pytest.mark.parametrize("path", ["x", "a/x", "a/..x", "a/...", "a b/%2F", ".hoodie/x"])
def test_a_path_within_the_table_is_taken_as_it_is(path: str) -> None:
    """STORE-320."""
    assert path_within(path) == path


@pytest.mark.parametrize("path", [".hoodie/hoodie.properties", "p/.hoodie", ".hoodie"])
def test_no_data_file_is_in_hudis_own_folder(path: str) -> None:
    """STORE-320."""
    with pytest.raises(CorruptFileError, match="expected the path of a data file"):
        data_path(path)


def test_a_partition_may_have_a_slash_before_it_as_apache_hudi_writes_some() -> None:
    """STORE-321."""
    assert [partition_path(text) for text in ("", "/", "y/m", "/y/m")] == ["", "", "y/m", "y/m"]
    with pytest.raises(CorruptFileError):
        partition_path("//y")


@pytest.mark.parametrize("name", ["a/b", "", ".", ".."])
def test_a_name_is_one_step(name: str) -> None:
    """STORE-320."""
    with pytest.raises(CorruptFileError):
        file_name(name)


def test_a_path_with_a_scheme_and_no_root_becomes_partition_and_name() -> None:
    """META-1292."""
    assert resolve_stated_path("h/i", "file:h/i/.a.log.1_0-1-1") == "h/i/.a.log.1_0-1-1"
    assert resolve_stated_path("", "file:.a.log.1_0-1-1") == ".a.log.1_0-1-1"


def test_a_path_of_the_machine_that_planned_becomes_partition_and_name() -> None:
    """STORE-321."""
    assert resolve_planned_path("p", "file:/elsewhere/t/p/a.parquet") == "p/a.parquet"
    assert resolve_planned_path("", "a.parquet") == "a.parquet"
    assert resolve_planned_path("p", "") == ""
    assert (
        resolve_stated_path("p", "s3a://b/t/p/a.parquet") == resolve_stated_path("p", "/t/p/a.parquet") == "p/a.parquet"
    )
    assert resolve_stated_path("p", "p/a.parquet") == "p/a.parquet"
    assert resolve_stated_path("file:p", "file:p/a.parquet") == "file:p/a.parquet"
    for planned in ("/t/p/..", "p/"):
        with pytest.raises(CorruptFileError):
            resolve_planned_path("p", planned)


@pytest.mark.parametrize("time", ["", "../x", "2026.commit", "²", "20260101000000000/"])
def test_the_time_of_an_instant_is_digits(time: str) -> None:
    """STORE-322."""
    with pytest.raises(CorruptFileError, match="expected the time of an instant"):
        instant_name(time)
    assert instant_name("20260101000000000") == "20260101000000000"


STEPS = st.lists(
    st.sampled_from(["..", ".", "", "a", ".hoodie", "b.parquet", "\0", "..."]) | st.text(max_size=3), max_size=5
)


@given(STEPS, STEPS)
def test_whatever_is_joined_lies_below_the_root(partition: list[str], path: list[str]) -> None:
    """STORE-320."""
    root = "/lake/table"
    for make in (
        path_within,
        data_path,
        lambda text: resolve_stated_path("/".join(partition), text),
        lambda text: join_paths("p", text),
    ):
        try:
            made = make("/".join(path))
        except CorruptFileError:
            continue
        whole = os.path.normpath(f"{root}/{made}")
        assert whole == (f"{root}/{made}" if made else root)
