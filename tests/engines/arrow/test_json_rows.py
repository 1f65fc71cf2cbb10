"""Files of JSON, piece after piece: the rows, types and refusals of the whole file, whatever its pieces."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_arrow.engine import ENGINE
from hudi_arrow.incoming import json_pieces, json_rows, spilled_tables
from hudi_arrow.incoming.json_rows import json_batches
from hudi_core.errors import CorruptFileError, HudiError, RowError, StorageError, UsageError
from tests.support.drawing import cases

STATED = {
    "n": pa.int64(),
    "day": pa.date32(),
    "inner": pa.struct([("a", pa.int64()), ("days", pa.list_(pa.date32()))]),
    "pairs": pa.map_(pa.string(), pa.int64()),
}


def cut(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Makes pieces as small as rows and bytes allow."""
    read: Callable[..., Iterator[bytes]] = json_pieces.read_pieces
    monkeypatch.setattr(json_rows, "read_pieces", lambda source: read(source, size))


def read(file: Path, types: dict[str, pa.DataType] | None = None, *, whole: bool = False) -> pa.Table:
    return pa.Table.from_batches(list(json_batches(file, types or {}, whole)))


def write(file: Path, content: str | bytes) -> Path:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def outcome(file: Path, *, whole: bool) -> tuple[pa.Schema | None, object]:
    """The types and rows; of a file that is refused the row, but of one with gaps that it has some."""
    try:
        table = read(file, STATED, whole=whole)
    except RowError as error:
        return None, "gaps" if "in each row" in str(error) else error.row
    return table.schema, repr(table.to_pylist())


SMALL = st.none() | st.integers(-3, 3) | st.sampled_from([0.5, "x", "2020-01-01", "2020-01-01T00:00:00Z"])
NEW = st.one_of(
    SMALL,
    st.lists(SMALL, max_size=3),
    st.dictionaries(st.sampled_from("pq"), SMALL | st.lists(SMALL, max_size=2), max_size=2),
    st.lists(st.none() | st.dictionaries(st.sampled_from("pq"), SMALL, max_size=2), max_size=2),
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "n": st.none() | st.integers(0, 9),
            "day": st.sampled_from([None, "2021-02-03"]),
            "inner": st.none()
            | st.fixed_dictionaries(
                {}, optional={"a": st.integers(0, 9), "days": st.lists(st.just("2021-02-03")), "more": SMALL}
            ),
            "pairs": st.none() | st.dictionaries(st.sampled_from("kl"), st.none() | st.integers(0, 9)),
            "x": NEW,
            "y": st.none() | st.integers(0, 9) | st.just(0.5),
            "z": st.sampled_from([None, "x", "2020-01-01", "2020-01-01T00:00:00Z"]),
        },
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=cases(300))
@given(rows=ROWS, size=st.integers(1, 80), limit=st.sampled_from([0, 100, 1 << 20]), whole=st.booleans())
def test_pieces_of_any_size_give_the_rows_of_the_whole_file(
    rows: list[dict[str, Any]], size: int, limit: int, whole: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """ROWS-1320: the same types and values, or a refusal of the same row."""
    file = write(tmp_path_factory.mktemp("rows") / "rows.jsonl", "\n".join(map(json.dumps, rows)))
    wanted = outcome(file, whole=whole)
    with pytest.MonkeyPatch.context() as patched:
        cut(patched, size)
        patched.setattr(spilled_tables.SpilledTables.__init__, "__defaults__", (limit,))
        assert outcome(file, whole=whole) == wanted


DEEP = st.recursive(
    st.none() | st.integers(-3, 3),
    lambda inner: st.lists(inner, max_size=3) | st.fixed_dictionaries({}, optional={"p": inner, "q": inner}),
    max_leaves=6,
)


def filled(value: Any, kind: pa.DataType) -> Any:
    """A value of JSON in the form in which Arrow gives one of the type."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {field.name: filled(value.get(field.name), field.type) for field in kind}
    return [filled(one, kind.value_type) for one in value] if pa.types.is_list(kind) else value


@settings(max_examples=cases(300))
@given(values=st.lists(DEEP, min_size=1, max_size=4), size=st.sampled_from([1, 40, 1 << 20]))
def test_values_of_columns_without_a_type_are_those_of_the_file(
    values: list[Any], size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """ROWS-1321: at each depth, behind nulls too."""
    lines = [json.dumps({"id": number, "x": value}) for number, value in enumerate(values)]
    file = write(tmp_path_factory.mktemp("rows") / "rows.jsonl", "\n".join(lines))
    with pytest.MonkeyPatch.context() as patched:
        cut(patched, size)
        try:
            rows = ENGINE.rows.read(str(file)).batches
        except RowError:
            return  # values of two kinds in one column
        table = pa.Table.from_batches(list(rows))
    table.validate(full=True)
    assert table["x"].to_pylist() == [filled(value, table["x"].type) for value in values]


def test_lists_of_nulls_alone_are_as_long_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ROWS-1321: pyarrow's reader and its cast leave nulls out."""
    cut(monkeypatch, 1)
    rows = [{"x": {"a": 1, "l": [None, None]}}, {"x": {"a": 0.5, "l": [None]}}, {"x": None}]
    table = read(write(tmp_path / "rows.jsonl", "\n".join(map(json.dumps, rows))))
    table.validate(full=True)
    assert table.to_pylist() == rows


def test_objects_without_names_are_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ROWS-1320."""
    cut(monkeypatch, 1)
    assert read(write(tmp_path / "rows.jsonl", '{}\n{}\n{"x": 1}'))["x"].to_pylist() == [None, None, 1]


@pytest.mark.parametrize(
    "value", ["[null, 1, 2]", "[null, 0.5]", "[null, true]", '[null, {"p": [null, 1]}]', "[null, [1]]"]
)
def test_lists_that_begin_with_null_keep_their_places(tmp_path: Path, value: str) -> None:
    """ROWS-1321: pyarrow gives [true, false] for [null, true]."""
    file = write(tmp_path / "rows.jsonl", f'{{"x": {value}}}\n{{"x": {value}}}\n')
    assert read(file)["x"].to_pylist() == [json.loads(value)] * 2


def test_what_a_column_is_follows_from_all_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ROWS-1320: in the first piece and in the last one."""
    cut(monkeypatch, 1000)
    lines = ['{"id": 1, "x": null, "t": "2020-01-01", "s": {"a": null}}'] * 100
    lines += ['{"id": 2, "x": 9007199254740992, "t": "x", "s": {"a": 1}, "late": [null]}'] * 100
    file = write(tmp_path / "rows.jsonl", "\n".join([*lines, '{"id": 3, "x": 0.5, "late": ["z"]}']))
    table = read(file)
    assert table.schema == pa.schema(
        [
            ("id", pa.int64()), ("x", pa.float64()), ("t", pa.string()), ("s", pa.struct([("a", pa.int64())])),
            ("late", pa.list_(pa.string())),
        ]
    )  # fmt: skip
    assert [table[name].to_pylist() for name in ("t", "late")] == [
        ["2020-01-01"] * 100 + ["x"] * 100 + [None], [None] * 100 + [[None]] * 100 + [["z"]]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "found"),
    [("1.255", "1.255"), ('"1.255"', "1.255"), ("10000.00", "10000.00"), ('"1,5"', "'1,5'"), ("NaN", "'NaN'")],
)
def test_a_number_that_is_no_decimal_of_its_column_is_named(tmp_path: Path, value: str, found: str) -> None:
    """ROWS-1387."""
    file = write(tmp_path / "rows.jsonl", f'{{"price": 1.5}}\n{{"price": {value}}}\n')
    with pytest.raises(RowError, match=rf"price: row 2: expected a value of decimal\(6,2\), found {found}$"):
        next(json_batches(file, {"price": pa.decimal128(6, 2)}))


@pytest.mark.parametrize(
    ("last", "expected", "words"),
    [
        ('{"id": 1, "x": "y"}', "a number, as rows before it have", "a string"),
        ('{"id": "y"}', "a number, as its type", "a string"),
        ('{"id": 1.5}', "a value of long", "1.5"),
        ('{"id": 1, "x": {"a": 2}}', "a number, as rows before it have", "an object"),
        ('{"id": 1, "x": true}', "a number, as rows before it have", "true or false"),
        ('{"id": 1, "x": [1]}', "a number, as rows before it have", "a list"),
        ('{"id": 1, "x": 1, "x": 2}', "each name once in an object", "x twice"),
        ("5", "an object", "a number"),
        ('{"id": 1', "an object of JSON", "Missing a comma or '}'"),
        ("id,x", "an object of JSON", "'id,x'"),
        ('{"id": 1},', "an object of JSON", "'{\"id\": 1},'"),
    ],
)
def test_a_late_row_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, expected: str, words: str
) -> None:
    """ROWS-1320, ROWS-1387: before a row is given."""
    cut(monkeypatch, 1000)
    file = write(tmp_path / "rows.jsonl", '{"id": 1, "x": 2}\n' * 500 + last)
    with pytest.raises(RowError, match=f"row 501: expected {expected}, found .*({words})") as refused:
        next(json_batches(file, {"id": pa.int64()}))
    assert refused.value.row == 500


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ROWS-1320."""
    cut(monkeypatch, 1 << 16)
    monkeypatch.setattr(spilled_tables.SpilledTables.__init__, "__defaults__", (1 << 18,))
    file = write(tmp_path / "rows.jsonl", "".join(f'{{"id": {row}, "text": "{row:050}"}}\n' for row in range(100_000)))
    before, most, count = pa.total_allocated_bytes(), 0, 0
    for batch in json_batches(file, {"id": pa.int64()}):
        most, count = max(most, pa.total_allocated_bytes() - before), count + batch.num_rows
    assert count == 100_000
    assert most < file.stat().st_size / 5


def test_a_spool_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ROWS-1320."""
    monkeypatch.setenv("HUDI_CORE_SPOOL_FOLDER", str(tmp_path / "none"))
    with spilled_tables.SpilledTables(0) as tables, pytest.raises(StorageError, match="none: No such file"):
        tables.add(pa.table({"a": [1]}))


def test_rows_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """ROWS-1322."""
    file = write(tmp_path / "rows.jsonl", b'{"id": "\xc3\xa9"}\n{"id": "z\xff"}\n')
    with pytest.raises(RowError, match=r"row 2: expected text in UTF-8, found b.*z\\xff"):
        read(file)


def test_the_mark_of_utf8_is_no_part_of_the_first_row(tmp_path: Path) -> None:
    """ROWS-1322: in rows that are written anew too."""
    file = write(tmp_path / "rows.jsonl", b'\xef\xbb\xbf{"id": 1, "m": {"k": 2}, "b": "2021-02-03"}\n')
    table = read(file, {"m": STATED["pairs"], "b": pa.binary()})
    assert table.to_pylist() == [{"m": [("k", 2)], "b": b"2021-02-03", "id": 1}]


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_objects_over_several_lines_and_several_in_one_are_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """ROWS-1323: also where rows are written anew, or looked at for gaps."""
    cut(monkeypatch, size)
    rows = [{"id": number, "m": {"k": [number]}, "s": {"a": None}} for number in range(5)]
    texts = [json.dumps(row, indent=1) for row in rows]
    wanted = [{**row, "m": [("k", row["id"])]} for row in [{**row, "m": row["id"]} for row in rows]]
    for content in ("\n".join(texts), "".join(map(json.dumps, rows)), "\r".join(map(json.dumps, rows))):
        file = write(tmp_path / "rows.json", content)
        assert read(file, whole=True).to_pylist() == [{**row, "m": {"k": [row["id"]]}} for row in rows]
        mapped = write(tmp_path / "maps.json", content.replace("[", "").replace("]", ""))
        table = read(mapped, {"id": pa.int64(), "m": STATED["pairs"]}, whole=True)
        assert table.to_pylist() == wanted


def test_a_list_of_objects_is_refused_with_what_to_do(tmp_path: Path) -> None:
    """ROWS-1323."""
    with pytest.raises(RowError, match=r"row 1: expected an object a line, as jq -c '\.\[\]' makes them"):
        read(write(tmp_path / "rows.json", '[{"id": 1}, {"id": 2}]'))


@pytest.mark.parametrize("content", ["\n \n\r\n", "\ufeff"])
def test_a_file_without_rows_is_refused(tmp_path: Path, content: str) -> None:
    """ROWS-1320."""
    with pytest.raises(UsageError, match="expected columns, found an empty file"):
        ENGINE.rows.read(str(write(tmp_path / "rows.json", content)))


def test_parts_that_no_row_has_are_no_parts_of_the_column(tmp_path: Path) -> None:
    """ROWS-1320, WRITE-202: those that the first row with the struct names are, and those of structs that no row has."""
    types = {
        "s": pa.struct([("a", pa.int64()), ("b", pa.int64()), ("c", pa.struct([("d", pa.int64())]))]),
        "l": pa.list_(pa.struct([("a", pa.int64()), ("b", pa.int64())])),
        "m": pa.map_(pa.string(), pa.struct([("a", pa.int64()), ("b", pa.int64())])),
        "none": pa.int64(),
    }
    lines = ['{"s": null, "l": [], "m": {}}', '{"s": {"a": 1}, "l": [null, {"a": null}], "m": {"k": {"b": null}}}']
    table = read(write(tmp_path / "rows.jsonl", "\n".join(lines)), types)
    assert table.schema.names == ["s", "l", "m"]
    assert [str(kind) for kind in table.schema.types] == [
        "struct<a: int64>", "list<item: struct<a: int64>>", "map<string, struct<b: int64>>"
    ]  # fmt: skip
    lines[1] = '{"s": {"c": null}, "l": null}'
    table = read(write(tmp_path / "rows.jsonl", "\n".join(lines)), types)
    assert str(table.schema.types[0]) == "struct<c: struct<d: int64>>"
    assert table.schema.types[1] == types["l"]


def test_a_refusal_is_raised_once(tmp_path: Path) -> None:
    """ROWS-1320: no error stands behind itself."""
    with pytest.raises(HudiError) as refused:
        ENGINE.rows.read(str(write(tmp_path / "rows.json", b"\x00\n{\n")))
    assert not isinstance(refused.value, CorruptFileError)
    assert refused.value.__cause__ is not refused.value
