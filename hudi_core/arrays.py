"""Names of NumPy's arrays by what they hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
"""Counts, places, numbers of rows and files."""
Offsets = NDArray[np.int64]
"""Where each value begins in the bytes or items of all, and where the last one ends."""
Numbers32 = NDArray[np.int32]
"""Ranks, and numbers of sources, of which there are few."""
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Words64 = NDArray[np.uint64]
Words32 = NDArray[np.uint32]
Octets = NDArray[np.uint8]
