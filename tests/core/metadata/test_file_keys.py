from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.hashes import bloom_filter_key
from hudi_core.columns.strings import string_column
from hudi_core.engine import FileInfo
from hudi_core.metadata.file_keys import FileKeys, hash_keys, keys_beside, keys_of
from hudi_core.timeline.files import FileList, files_in

_FOLDERS = st.dictionaries(
    st.sampled_from(["", "p", "q", "é"]), st.lists(st.sampled_from(["a", "b", "c", "é", ""]), unique=True)
)


def _files(folders: dict[str, list[str]]) -> FileList:
    return files_in({folder: [FileInfo(f"{folder}/{name}", 1) for name in names] for folder, names in folders.items()})


@given(_FOLDERS, _FOLDERS)
def test_keys_beside_known_ones_equal_freshly_hashed_ones(
    before: dict[str, list[str]], after: dict[str, list[str]]
) -> None:
    earlier, files = _files(before), _files(after)
    some = np.flatnonzero(np.arange(len(earlier)) % 3 != 1)
    known = FileKeys(earlier, some, hash_keys(earlier, some))
    rows = np.arange(len(files))[::-1].copy()
    expected = [bloom_filter_key(files.partitions[files.partition_of[row]], files.name(row)) for row in rows.tolist()]
    assert [key.decode() for key in keys_beside(files, rows, known).tolist()] == expected


def test_known_keys_are_taken_not_made() -> None:
    files = _files({"p": ["a"], "q": ["a"]})
    known = FileKeys(files, np.array([1]), np.array([b"x" * 36]))
    found = keys_beside(files, np.array([0, 1]), known)
    assert found[1] == b"x" * 36 and found[0] == hash_keys(files, np.array([0]))[0]


def test_keys_of_files_by_partition_and_name() -> None:
    files = [("q", "a"), ("", "b"), ("q", "b"), ("é", "a")]
    found = keys_of((partition for partition, _ in files), string_column([name for _, name in files]))
    assert [key.decode() for key in found.tolist()] == [bloom_filter_key(*file) for file in files]
    none = keys_of([], string_column([]))
    assert (none.tolist(), none.dtype) == ([], found.dtype)
