"""What pyarrow's readers are handed."""

from __future__ import annotations

import sys

from hudi_arrow.stores.native_files import copy_owned


def test_prefetched_bytes_are_in_the_memory_of_arrow() -> None:
    content = bytes(range(256)) * 4
    held = sys.getrefcount(content)
    copy = copy_owned(content)
    held_after = sys.getrefcount(content)
    assert held_after == held
    assert copy.to_pybytes() == content
    assert copy_owned(b"").size == 0
