"""KEY-13: what a partition path says of its columns, and where it says nothing."""

from __future__ import annotations

import pytest

from hudi_core.keys.bound import slash_date
from hudi_core.keys.path_values import PathValue, path_values
from hudi_core.options import TableConfig, table_config
from hudi_core.types import nodes as t


def config(fields: str = "p", generator: str = "SIMPLE", **more: str) -> TableConfig:
    """The properties of a table with these partition fields."""
    answer = {
        "hoodie.table.name": "t",
        "hoodie.table.version": "6",
        "hoodie.table.type": "COPY_ON_WRITE",
        "hoodie.table.partition.fields": fields,
        "hoodie.table.keygenerator.type": generator,
    }
    return table_config(answer | {name.replace("__", "."): value for name, value in more.items()}, "t")


HIVE = {"hoodie__datasource__write__hive_style_partitioning": "true"}
ESCAPED = {"hoodie__datasource__write__partitionpath__urlencode": "true"}
SLASHED = {"hoodie__datasource__write__slash__separated__date__partitioning": "true"}


def one(path: str, of: t.Type | None = None, table: TableConfig | None = None) -> PathValue | None:
    """What the path says of the only partition column."""
    (found,) = path_values(path, table or config(), [of or t.String()])
    return found


def exact(value: object) -> PathValue:
    return PathValue(value, value, False)


@pytest.mark.parametrize(
    ("path", "of", "value"),
    [
        ("emea", t.String(), "emea"),
        ("2024-02-01", t.Date(), 19754),
        ("-7", t.Int(), -7),
        ("7", t.Long(), 7),
        ("1.5", t.Double(), 1.5),
        ("true", t.Boolean(), True),
        ("B", t.Enumeration(("A", "B"), "e"), "B"),
    ],
)
def test_a_path_is_the_value_of_all_rows_below_it(path: str, of: t.Type, value: object) -> None:
    found = one(path, of)
    assert found == exact(value) and found.is_exact


def test_the_default_partition_holds_null_alone() -> None:
    """TABLE-11."""
    found = one("__HIVE_DEFAULT_PARTITION__")
    assert found == PathValue(None, None, True) and found.is_exact
    assert one("p=__HIVE_DEFAULT_PARTITION__", t.Int(), config(**HIVE)) == found


def test_the_legacy_default_partition_may_hold_null_the_empty_string_and_its_own_name() -> None:
    found = one("default")
    assert found == PathValue("", "default", True) and not found.is_exact


@pytest.mark.parametrize("of", [t.Int(), t.Date(), t.Boolean()])
def test_the_legacy_default_partition_is_unknown_for_columns_other_than_strings(of: t.Type) -> None:
    assert one("default", of) is None


@pytest.mark.parametrize(
    ("path", "of"), [("x", t.Int()), ("2024-13-01", t.Date()), ("C", t.Enumeration(("A", "B"), "e")), ("", t.Int())]
)
def test_a_path_segment_that_is_no_value_of_the_type_is_unknown(path: str, of: t.Type) -> None:
    """TABLE-10."""
    assert one(path, of) is None


@pytest.mark.parametrize("of", [t.Timestamp(), t.Time(), t.Binary()])
def test_types_whose_strings_cannot_be_read_back_are_unknown(of: t.Type) -> None:
    assert one("1970-01-01 00:00:00", of) is None


def test_hive_style_needs_the_name_of_the_field() -> None:
    """TABLE-10."""
    assert one("p=a", table=config(**HIVE)) == exact("a")
    assert one("q=a", table=config(**HIVE)) is None
    assert one("a", table=config(**HIVE)) is None
    assert one("p=a") == exact("p=a")


def test_escapes_are_read_where_paths_are_encoded() -> None:
    """TABLE-10."""
    assert one("50%25 a%2Fb", table=config(**ESCAPED)) == exact("50% a/b")
    assert one("50%25") == exact("50%25")
    assert one("%e4", table=config(**ESCAPED)) == exact("ä")


def test_several_fields_are_as_many_segments() -> None:
    table = config("p,q", "COMPLEX")
    types = [t.String(), t.Int()]
    assert path_values("a/1", table, types) == (exact("a"), exact(1))
    assert path_values("a", table, types) == (None, None)
    assert path_values("a/1/x", table, types) == (None, None)
    assert path_values("a/x", table, types) == (exact("a"), None)


def test_the_path_of_one_field_is_its_value_with_all_slashes() -> None:
    assert one("2024/02/01") == exact("2024/02/01")


def test_a_table_without_partition_fields_has_no_partition_values() -> None:
    assert path_values("", config(""), []) == ()


def test_dates_with_slashes_are_unknown() -> None:
    assert one("2024/02/01", table=config(**SLASHED)) is None


def test_printed_times_are_unknown() -> None:
    assert one("2024", table=config(generator="TIMESTAMP")) is None
    custom = config("p:simple,q:timestamp", "CUSTOM")
    assert path_values("a/2024", custom, [t.String(), t.String()]) == (exact("a"), None)


def test_an_exact_value_is_no_range() -> None:
    assert not PathValue("a", "b", False).is_exact
    assert not PathValue("a", "a", True).is_exact


@pytest.mark.parametrize("path", ["19782", "20240229", "2024-2-9", "2024", "2024-02-30", " 2024-02-09", ""])
def test_digits_that_may_count_days_are_no_date(path: str) -> None:
    assert one(path, t.Date()) is None
    assert one("2024-02-29", t.Date()) == exact(19_782)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("2024-03-01", "2024/03/01"),
        ("2024--01", "2024--01"),
        ("-1", "-1"),
        ("1-", "1-"),
        ("a-..-b", "a-..-b"),
        ("a-.", "a-."),
        ("a-...", "a/..."),
        ("", ""),
        ("plain", "plain"),
    ],
)
def test_dashes_that_would_part_nothing_stay(value: str, path: str) -> None:
    """KEY-710."""
    assert slash_date(value) == path
