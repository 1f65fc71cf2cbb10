"""Arrays that are added to, with room at their end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class GrowingArray:
    """An array like another, with room for so many rows at first."""

    def __init__(self, like: NDArray[Any], capacity: int) -> None:
        self.data = np.empty((capacity, *like.shape[1:]), like.dtype)
        self.size = 0

    def add(self, part: NDArray[Any], plus: int = 0) -> None:
        """Appends the rows of a part, `plus` a number."""
        end = self.size + len(part)
        if end > len(self.data):
            grown = np.empty((end + end // 2, *self.data.shape[1:]), self.data.dtype)
            grown[: self.size] = self.data[: self.size]
            self.data = grown
        if plus:
            np.add(part, plus, out=self.data[self.size : end])
        else:
            self.data[self.size : end] = part
        self.size = end

    def last(self) -> Any:
        """The last row."""
        return self.data[self.size - 1]

    def array(self) -> NDArray[Any]:
        """What has been added; a view when the room was guessed well."""
        return self.data[: self.size] if 2 * self.size >= len(self.data) else self.data[: self.size].copy()
