"""Arrow's allocator is the system's while memory is scarce, and the one from before afterwards. COMPACT-379."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hudi_arrow.memory import lean


def test_the_allocator_comes_back_after_the_last_block() -> None:
    """COMPACT-379: blocks of several threads overlap, and need not end in their order."""
    before = pa.default_memory_pool().backend_name
    first, second = lean(), lean()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert pa.default_memory_pool().backend_name == "system"
    second.__exit__(None, None, None)
    assert pa.default_memory_pool().backend_name == before
    with pytest.raises(ValueError, match="x"), lean():
        raise ValueError("x")
    assert pa.default_memory_pool().backend_name == before
