"""Names of NumPy's arrays by what they hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
"""Counts, places, numbers of rows and files."""
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
Octets = NDArray[np.uint8]
