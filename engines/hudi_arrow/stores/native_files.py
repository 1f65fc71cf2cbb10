"""Files of any storage as pyarrow's readers take them, and contents in memory of Arrow's own."""

from __future__ import annotations

import pyarrow as pa

from hudi_core.formats.random_access import RandomAccess


class RandomAccessFile(pa.PythonFile):  # type: ignore[misc]
    """A file of any storage as pyarrow's readers take it. Reads are made one after the other and by Python, so what is needed of
    it is best read by `ranges` before; and readers must not prefetch from it, see `copy_owned`."""

    stored: RandomAccess

    @classmethod
    def over(cls, stored: RandomAccess) -> RandomAccessFile:
        opened = cls(_Position(stored), mode="r")
        opened.stored = stored
        return opened


class _Position:
    """What `pyarrow.PythonFile` takes: a place in a file, where reading goes on."""

    closed = False

    def __init__(self, stored: RandomAccess) -> None:
        self._stored, self._at = stored, 0

    def size(self) -> int:
        return self._stored.size

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._stored.size)[whence]
        return self._at

    def read(self, count: int = -1) -> bytes:
        rest = self._stored.size - self._at
        content = self._stored.read(self._at, rest if count < 0 else min(count, rest))
        self._at += len(content)
        return content

    def close(self) -> None:
        pass


def copy_owned(content: bytes) -> pa.Buffer:
    """A copy in memory of Arrow's own, for readers that prefetch.

    Their threads let go of what they read some time after it was taken. For memory of Python's they need the interpreter,
    and abort the process when that is just ending.
    """
    copy = pa.BufferOutputStream()
    copy.write(content)
    return copy.getvalue()
