"""Memory that one part of the work frees and the next needs again: the C library is told to keep it.

glibc gives what is free at the end of a thread's heap back to the system, and the next part takes it again page by page, which
costs a sixth of the time of decoding records. It keeps 128 KiB, or twice the largest block that it took from the system by itself
and that was freed (mallopt(3), M_MMAP_THRESHOLD and M_TRIM_THRESHOLD; what a user sets there stays). Other allocators are not
touched by it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

LARGE = 1 << 24
"""Bytes of a block so large that what a thread takes for a few batches of records is kept."""


@cache
def keep_freed() -> None:
    """Frees one large block that nobody has written to, once in a process."""
    np.empty(LARGE, np.uint8)
