"""Stored partition paths, and the generators that may have made them. Rule KEY-1567."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.keys.choose import choose
from hudi_core.keys.generator import Generator
from hudi_core.keys.joda import parse_pattern, print_instant
from hudi_core.keys.path_values import escape
from hudi_core.keys.time_forms import can_make
from hudi_core.keys.zones import UTC as UTC_ZONE

WRITE = "hoodie.datasource.write"
HIVE = {f"{WRITE}.hive_style_partitioning": "true"}
ESCAPED = {f"{WRITE}.partitionpath.urlencode": "true"}


def generator(form: str, partition: str = "at:TIMESTAMP", **options: str) -> Generator:
    chosen = choose(
        {
            f"{WRITE}.recordkey.field": "id",
            f"{WRITE}.partitionpath.field": partition,
            "hoodie.keygen.timebased.timestamp.type": "UNIX_TIMESTAMP",
            "hoodie.keygen.timebased.output.dateformat": form,
            **options,
        }
    )
    assert isinstance(chosen, Generator)
    return chosen


@pytest.mark.parametrize(
    ("path", "form", "partition", "options"),
    [
        ("20240112", "yyyyMMdd", "at:TIMESTAMP", {}),
        ("2024/01/12", "yyyy/MM/dd", "at:TIMESTAMP", {}),
        ("at=2024/01/12", "yyyy/MM/dd", "at:TIMESTAMP", HIVE),
        ("at=2024%2F01%2F12", "yyyy/MM/dd", "at:TIMESTAMP", HIVE | ESCAPED),
        ("oslo/20240112", "yyyyMMdd", "p:SIMPLE,at:TIMESTAMP", {}),
        ("2024/01/oslo", "yyyy/MM", "at:TIMESTAMP,p:SIMPLE", {}),
        ("a/b/c/20240112", "yyyyMMdd", "p:SIMPLE,at:TIMESTAMP", {}),
        ("a/b/2024-01-12", "yyyyMMdd", "at:TIMESTAMP,p:SIMPLE", {}),  # values of p may have slashes: nobody knows
        ("2024-Fri", "yyyy-EEE", "at:TIMESTAMP", {}),
        ("00", "yy", "at:TIMESTAMP", {}),
        ("x/Monday 08 PM", "EEEE hh a", "p:SIMPLE,at:TIMESTAMP", {}),
    ],
)
def test_paths_that_a_generator_may_make(path: str, form: str, partition: str, options: dict[str, str]) -> None:
    """KEY-1567."""
    assert can_make(path, generator(form, partition, **options))


@pytest.mark.parametrize(
    ("path", "form", "partition", "options"),
    [
        ("2024-01-12", "yyyyMMdd", "at:TIMESTAMP", {}),
        ("20240112", "yyyyMM", "at:TIMESTAMP", {}),
        ("20241301", "yyyyMMdd", "at:TIMESTAMP", {}),
        ("2024-1-12", "yyyy-MM-dd", "at:TIMESTAMP", {}),
        ("2024-01-12 25", "yyyy-MM-dd HH", "at:TIMESTAMP", {}),
        ("2024/01", "yyyy/MM/dd", "at:TIMESTAMP", {}),
        ("2024/01/12", "yyyy", "at:TIMESTAMP", {}),
        ("2024/01/12", "yyyy/MM/dd", "at:TIMESTAMP", HIVE),
        ("day=2024", "yyyy", "at:TIMESTAMP", HIVE),
        ("a/2024-01-12", "yyyyMMdd", "p:SIMPLE,at:TIMESTAMP", {}),
        ("20240112", "yyyyMMdd", "p:SIMPLE,at:TIMESTAMP", {}),
        ("a/b/20240112", "yyyyMMdd", "p:SIMPLE,at:TIMESTAMP", ESCAPED),
        ("__HIVE_DEFAULT_PARTITION__", "yyyyMMdd", "at:TIMESTAMP", {}),
        ("jan", "MMM", "at:TIMESTAMP", {}),
    ],
)
def test_paths_that_it_never_makes(path: str, form: str, partition: str, options: dict[str, str]) -> None:
    """KEY-1567."""
    assert not can_make(path, generator(form, partition, **options))


FORMS = (
    "yyyyMMdd",
    "yyyy/MM/dd",
    "yyyy-MM-dd HH",
    "yy MMM d",
    "EEE",
    "D",
    "xxxx-'W'ww",
    "hh a",
    "yyyy-MM-dd'T'HH:mm:ss.SSSZZ",
    "kk",
    "C",
)


@given(
    st.datetimes(datetime(1, 1, 2), datetime(9998, 12, 30)),
    st.sampled_from(FORMS),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_each_path_that_is_made_may_be_made(
    moment: datetime, form: str, hive: bool, escaped: bool, first: bool
) -> None:
    """KEY-1567: no printed time is taken for another form."""
    text = print_instant(int(moment.replace(tzinfo=UTC).timestamp() * 1000), UTC_ZONE, parse_pattern(form, ""))
    text = f"{'at=' if hive else ''}{escape(text) if escaped else text}"
    value = f"{'p=' if hive else ''}oslo"
    options = (HIVE if hive else {}) | (ESCAPED if escaped else {})
    partition = "at:TIMESTAMP,p:SIMPLE" if first else "p:SIMPLE,at:TIMESTAMP"
    path = f"{text}/{value}" if first else f"{value}/{text}"
    assert can_make(path, generator(form, partition, **options))
