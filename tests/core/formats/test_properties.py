"""FORMAT-1 to FORMAT-4: Java properties text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError
from hudi_core.formats.properties import format_properties, parse_properties
from hudi_core.options import table_checksum
from tests.support.conformance import ROOT, TableEntry, each_table

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text(" \t\f\r\n\\=:#!u0e9é😀\0", max_size=12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", {"a": "b"}),
        ("a:b", {"a": "b"}),
        ("a b", {"a": "b"}),
        ("a = b ", {"a": "b "}),
        ("a\t:\fb", {"a": "b"}),
        ("a==b", {"a": "=b"}),
        ("a = = b", {"a": "= b"}),
        ("a", {"a": ""}),
        ("a=", {"a": ""}),
        ("=b", {"": "b"}),
        ("  a=b", {"a": "b"}),
        ("#a=b\n!c=d\n  # e\n\n \t\ng=h", {"g": "h"}),
        ("a=1\nb=2\r\nc=3\rd=4", {"a": "1", "b": "2", "c": "3", "d": "4"}),
        ("a=1\na=2", {"a": "2"}),
        ("a=b\\\n   c", {"a": "bc"}),
        ("a=b\\\r\n#c", {"a": "b#c"}),
        ("a\\\nb=c", {"ab": "c"}),
        ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
        ("a=b\\\n\nc=d", {"a": "b", "c": "d"}),
        ("#a\\\nb=c", {"b": "c"}),
        ("a=b\\", {"a": "b"}),
        ("\\\n\na=b", {"a": "b"}),
        ("a\\ b\\=c\\:d=e", {"a b=c:d": "e"}),
        ('a=\\t\\n\\r\\f\\q\\"', {"a": '\t\n\r\fq"'}),
        ("a=\\u0041\\u00e9\\uD83D\\uDE00", {"a": "Aé😀"}),
        ("", {}),
    ],
)
def test_the_grammar_of_java_is_followed(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text.encode(), "t") == expected


def test_bytes_are_utf8_and_otherwise_latin1() -> None:
    assert parse_properties("a=é".encode(), "t") == {"a": "é"}
    assert parse_properties("a=é".encode("latin-1"), "t") == {"a": "é"}


@pytest.mark.parametrize("damaged", [b"a=1\nb=\\u12", b"a=1\nb=\\u12g4", b"a=1\n\\uD83Db=1", b"a=1\n\0\0\0\0"])
def test_damage_is_named_with_its_line(damaged: bytes) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: line 2: expected "):
        parse_properties(damaged, "t")


@given(st.dictionaries(TEXT, TEXT, max_size=6), st.text("#!a\n\ré ", max_size=10))
def test_written_rows_are_read_back(properties: dict[str, str], comment: str) -> None:
    written = format_properties(properties, comment)
    assert written.isascii()
    assert parse_properties(written, "t") == properties


@given(st.binary(max_size=60) | st.text("a=\\u0D8\n #", max_size=40).map(str.encode))
def test_any_bytes_parse_or_are_corrupt(data: bytes) -> None:
    try:
        parsed = parse_properties(data, "t")
    except CorruptFileError:
        return
    assert parse_properties(format_properties(parsed, ""), "t") == parsed


def test_corpus_properties_are_read_as_recorded() -> None:
    recorded = ROOT / "corpus" / "properties" / "expected.json"
    if not recorded.is_file():
        pytest.skip("corpus properties not present under HUDI_CONFORMANCE")
    for entry in json.loads(recorded.read_text("utf-8")):
        data = (ROOT / "corpus" / entry["file"]).read_bytes()
        assert parse_properties(data, entry["file"]) == entry["parsed"]


@each_table()
def test_a_tables_properties_hold_its_checksum(entry: TableEntry) -> None:
    for path in entry.unpacked().rglob("hoodie.properties"):
        properties = parse_properties(path.read_bytes(), str(path))
        checksum = table_checksum(properties.get("hoodie.database.name"), properties["hoodie.table.name"])
        assert properties["hoodie.table.checksum"] == str(checksum)
        assert parse_properties(format_properties(properties, "rewritten"), "t") == properties
