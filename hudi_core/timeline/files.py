"""The files of a table: `FileList`, those of its partitions as columns, and files that it may do without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_column, string_list, take_strings
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import CorruptFileError, NoSuchFileError, StorageError
from hudi_core.options import FOLDER
from hudi_core.timeline.instants import time_order

SCHEMA_FOLDER = f"{FOLDER}/.schema"
"""The files of a schema history, each of which has the whole history up to a commit. Rule TIME-33."""
SCHEMA_COMMIT = "schemacommit"


@dataclass(frozen=True, slots=True, eq=False)
class FileList:
    """Files with their sizes in bytes, and the numbers of their partitions among `partitions`, which ascend.

    A partition is a path, empty for a table without partitions; one may have no files. Partitions are below `folder`, a path
    from the storage's root.
    """

    partitions: tuple[str, ...]
    partition_of: Numbers
    names: StringColumn
    sizes: Numbers
    folder: str = ""

    def __len__(self) -> int:
        return len(self.sizes)

    def name(self, row: int) -> str:
        start, stop = self.names.offsets[row], self.names.offsets[row + 1]
        return self.names.data[start:stop].tobytes().decode("utf-8", "surrogatepass")

    def info(self, row: int) -> FileInfo:
        folders = (self.folder, self.partitions[self.partition_of[row]])
        return FileInfo("/".join([*filter(None, folders), self.name(row)]), int(self.sizes[row]))

    def select(self, rows: Numbers) -> FileList:
        """The files of these rows, in that order, with their partitions alone."""
        partitions, partition_of = np.unique(self.partition_of[rows], return_inverse=True)
        named = tuple(self.partitions[number] for number in partitions.tolist())
        return FileList(
            named, partition_of.astype(np.int64), take_strings(self.names, rows), self.sizes[rows], self.folder
        )

    def infos(self) -> Iterator[tuple[str, FileInfo]]:
        """Every file, with its partition."""
        return ((self.partitions[number], self.info(row)) for row, number in enumerate(self.partition_of.tolist()))

    def by_name(self) -> dict[str, dict[str, int]]:
        """Sizes by name, by partition."""
        sizes_of: dict[str, dict[str, int]] = {partition: {} for partition in self.partitions}
        for number, name, size in zip(
            self.partition_of.tolist(), string_list(self.names), self.sizes.tolist(), strict=True
        ):
            sizes_of[self.partitions[number]][name] = size
        return sizes_of


def files_in(folders: Mapping[str, Iterable[FileInfo]], folder: str = "") -> FileList:
    """The files of partitions, each of which is a folder below `folder`."""
    partitions = tuple(sorted(folders))
    infos = [(number, info) for number, partition in enumerate(partitions) for info in folders[partition]]
    return FileList(
        partitions,
        np.array([number for number, _ in infos], np.int64),
        string_column([info.name for _, info in infos]),
        np.array([info.size for _, info in infos], np.int64),
        folder,
    )


def read_if_there(storage: Storage, path: str) -> bytes | None:
    """The content of a file, None where there is none. Raises `StorageError` for a file that cannot be read."""
    try:
        return storage.read(path)
    except NoSuchFileError:
        return None
    except StorageError:  # local storage may report a missing file so; remote storage does not, and was retried
        if storage.is_remote or storage.exists(path):
            raise
        return None


def read_schema_file(storage: Storage, counts: Callable[[str], bool]) -> tuple[str, str] | None:
    """Path and text of the newest history of a commit that `counts`, by its requested time; None where there is none. Lists the
    folder. Raises `CorruptFileError` for what is not UTF-8."""
    names = {}
    for info in storage.list(SCHEMA_FOLDER):
        time, _, rest = info.name.partition(".")
        if rest == SCHEMA_COMMIT and info.size and counts(requested := time.partition("_")[0]):
            names[time_order(requested)] = info
    if not names:
        return None
    newest = names[max(names)]
    where, opened = f"{storage.uri}/{newest.path}", storage.open(newest.path, newest.size)
    try:
        return where, opened.read(0, opened.size).decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorruptFileError(where, expected="a history of schemas as UTF-8", found=str(error)) from None
