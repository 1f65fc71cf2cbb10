"""`keys`: the record key and partition path of each row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.commands import ran, rides

WRITE = "hoodie.datasource.write."


def options(folder: Path, **answer: str) -> Path:
    path = folder / "options.properties"
    path.write_text("".join(f"{WRITE}{key.replace('_', '.')}={text}\n" for key, text in answer.items()), "utf-8")
    return path


def json_rows(folder: Path, *rows: Mapping[str, object]) -> Path:
    path = folder / "rows.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def csv_rows(folder: Path, text: str) -> Path:
    path = folder / "rows.csv"
    path.write_text(text, "utf-8")
    return path


def test_json_gives_the_key_of_every_row(tmp_path: Path) -> None:
    rows = json_rows(tmp_path, {"id": 7, "city": "oslo"}, {"id": 8, "city": None})
    answer = ran(
        "keys", rows, "--options", options(tmp_path, recordkey_field="id", partitionpath_field="city"), "--json"
    )
    assert answer.lines == [
        {"record_key": "7", "partition_path": "oslo"},
        {"record_key": "8", "partition_path": "__HIVE_DEFAULT_PARTITION__"},
    ]
    assert answer.err == "generator SIMPLE, record key id, partition path city, keys as the writer row makes them\n"


def test_people_see_a_table_and_which_generator_made_it(tmp_path: Path) -> None:
    rows = json_rows(tmp_path, *({"id": number, "city": "oslo"} for number in range(30)))
    shown = ran("keys", rows, "--options", options(tmp_path, recordkey_field="id,city")).out.splitlines()
    assert shown[:2] == ["record_key       partition_path", "id:0,city:oslo"]
    assert shown[-1] == (
        "the first 20 rows of 30; generator NON_PARTITION, record key id, city, partition path none, "
        "keys as the writer row makes them"
    )


def test_strings_that_look_like_numbers_or_dates_are_unchanged(tmp_path: Path) -> None:
    made = options(tmp_path, recordkey_field="id", partitionpath_field="day")
    wanted = [{"record_key": "007", "partition_path": "2024-03-01"}]
    assert ran("keys", csv_rows(tmp_path, "id,day\n007,2024-03-01\n"), "--options", made, "--json").lines == wanted
    assert (
        ran("keys", json_rows(tmp_path, {"id": "007", "day": "2024-03-01"}), "--options", made, "--json").lines
        == wanted
    )


def test_options_may_be_a_json_object(tmp_path: Path) -> None:
    path = tmp_path / "options.json"
    answer = {
        f"{WRITE}recordkey.field": "id",
        f"{WRITE}partitionpath.field": "at",
        f"{WRITE}keygenerator.type": "timestamp",
        f"{WRITE}hive_style_partitioning": True,
        "hoodie.keygen.timebased.timestamp.type": "UNIX_TIMESTAMP",
        "hoodie.keygen.timebased.output.dateformat": "yyyy-MM-dd HH",
    }
    path.write_text(json.dumps(answer), "utf-8")
    rows = csv_rows(tmp_path, "id,at\n1,1700000000\n")
    assert ran("keys", rows, "--options", path, "--json").lines[0]["partition_path"] == "at=2023-11-14 22"
    there = ran("keys", rows, "--options", path, "--zone", "Asia/Tokyo", "--json").lines
    assert there[0]["partition_path"] == "at=2023-11-15 07"


def test_keys_of_a_table_are_those_it_holds(tmp_path: Path) -> None:
    target = tmp_path / "rows.parquet"
    assert ran("read", rides(), "--limit", 50, "--meta", "--output", target).status == 0
    held = ran("read", rides(), "--limit", 50, "--columns", "_hoodie_record_key,_hoodie_partition_path", "--json").lines
    made = ran("keys", target, "--table", rides(), "--json").lines
    assert [tuple(row.values()) for row in made] == [tuple(row.values()) for row in held]


def test_own_generators_are_found_by_module_and_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_keys.py").write_text(
        "class Keys:\n"
        "    def record_key(self, row): return f\"k{row['id']}\"\n"
        "    def partition_path(self, row): return 'p'\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    made = options(tmp_path, keygenerator_class="own_keys:Keys")
    answer = ran("keys", json_rows(tmp_path, {"id": 1}), "--options", made, "--json")
    assert answer.lines == [{"record_key": "k1", "partition_path": "p"}]


@pytest.mark.parametrize(
    ("answer", "rows", "status", "error"),
    [
        (
            {"recordkey_field": "id", "partitionpath_field": "c"},
            "id,c\n1,a\n,b\n",
            1,
            "rows.csv: row 2: expected a record key in id, found null or an empty text",
        ),
        (
            {"recordkey_field": "id", "partitionpath_field": "cit"},
            "id,city\n1,a\n",
            2,
            "cit: no such column; did you mean city?",
        ),
        (
            {"recordkey_field": "id", "keygenerator_type": "NOPE"},
            "id\n1\n",
            2,
            f"{WRITE}keygenerator.type: expected one of SIMPLE, COMPLEX, TIMESTAMP, CUSTOM, NON_PARTITION, GLOBAL_DELETE, "
            "HOODIE_TABLE_METADATA, USER_PROVIDED, found 'NOPE'",
        ),
        (
            {"recordkey_field": "id", "keygenerator_class": "com.acme.Keys"},
            "id\n1\n",
            1,
            f"{WRITE}keygenerator.class: com.acme.Keys is a Java class that is not Hudi's own; name a Python class as "
            "module:Class",
        ),
        (
            {"recordkey_field": "id", "partitionpath_field": "c:SIMPL"},
            "id,c\n1,a\n",
            2,
            f"{WRITE}partitionpath.field: expected fields as `name:simple` or `name:timestamp`, found 'c:SIMPL'",
        ),
    ],
)
def test_an_impossible_request_is_one_line_and_a_status(
    tmp_path: Path, answer: dict[str, str], rows: str, status: int, error: str
) -> None:
    found = ran("keys", csv_rows(tmp_path, rows), "--options", options(tmp_path, **answer))
    assert found.status == status
    assert found.error.removeprefix(f"{tmp_path}/") == error


def test_neither_options_nor_a_table_is_misuse(tmp_path: Path) -> None:
    found = ran("keys", json_rows(tmp_path, {"id": 1}))
    assert (found.status, found.error) == (2, "keys: expected --options, --table or both, found neither")


def test_a_misspelled_option_is_refused(tmp_path: Path) -> None:
    """KEY-1457."""
    made = options(tmp_path, recordkey_field="id", partitionpath_filed="city")
    wanted = f"options of keys: expected {WRITE}partitionpath.field, found {WRITE}partitionpath.filed"
    refused = ran("keys", json_rows(tmp_path, {"id": 7, "city": "oslo"}), "--options", made)
    assert (refused.status, refused.error) == (2, wanted)
    rows = json_rows(tmp_path, {"ride_id": "r-1", "city": "oslo"})
    assert ran("keys", rows, "--table", rides(), "--options", made).error == wanted
    assert ran("tag", rides(), rows, "--options", made).error == wanted
