"""Columns of names, taken apart as `names` takes them apart one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column, string_list
from hudi_core.formats.name_columns import base_names
from hudi_core.formats.names import parse_base_file

_PARTS = st.text(st.sampled_from("a0Z-_./é\n"), max_size=5)
_LIKELY = st.builds(
    "{}_{}_{}.{}".format,
    st.text(st.sampled_from("aZ9-.é"), max_size=6),
    st.text(st.sampled_from("a0-"), max_size=4),
    st.text(st.sampled_from("0123456789a"), max_size=4),
    st.sampled_from(["parquet", "orc", "hfile", "lance", "crc", ""]),
)


@given(st.lists(_LIKELY | _PARTS))
def test_the_same_names_are_base_files_and_have_the_same_parts(names: list[str]) -> None:
    parsed = [(row, name) for row, item in enumerate(names) if (name := parse_base_file(item)) is not None]
    found = base_names(string_column(names))
    assert found.rows.tolist() == [row for row, _ in parsed]
    assert string_list(found.ids) == [name.file_id for _, name in parsed]
    assert string_list(found.instants) == [name.instant for _, name in parsed]
