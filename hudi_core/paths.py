"""Paths that metadata states: each becomes a path within the table, or is refused. Rules STORE-320, STORE-321, META-1292.

Markers, commits, plans, records of the metadata table, properties and index definitions come from whoever wrote to the table.
What they name is read, listed and deleted, so no other function puts a path together with one of theirs.
"""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator

from hudi_core.errors import CorruptFileError

HUDI_FOLDER: Final = ".hoodie"
"""Hudi's own folder. No data file is in it: those of the metadata table have paths from the root of that table."""
LOCAL_SCHEME: Final = "file:"
"""What Apache Hudi leaves before the path of a file whose table's own path has no scheme. Rule META-1292."""
_OUT: Final = frozenset(("", ".", ".."))
_TIME: Final = re.compile(r"[0-9]+", re.ASCII)


def path_within(path: str, where: str = "") -> str:
    """A path from a table's root that leads to something below the root. Raises `CorruptFileError` that names `where`."""
    if "\0" in path or not _OUT.isdisjoint(path.split("/")):
        raise CorruptFileError(where, expected="a path within the table", found=repr(path))
    return path


def data_path(path: str, where: str = "") -> str:
    """The path of a data file of a table: it leads to nothing of Hudi's own. Raises `CorruptFileError` that names `where`."""
    if HUDI_FOLDER in path_within(path, where).split("/"):
        raise CorruptFileError(where, expected="the path of a data file", found=repr(path))
    return path


def partition_path(partition: str, where: str = "") -> str:
    """The folder of a partition; empty for a table without partitions. A slash before it means nothing, as to Apache Hudi."""
    path = partition.removeprefix("/")
    return data_path(path, where) if path else ""


def file_name(name: str, where: str = "") -> str:
    """The name of a file or folder: one step of a path. Raises `CorruptFileError` that names `where`."""
    if "/" in name:
        raise CorruptFileError(where, expected="a name without a slash", found=repr(name))
    return path_within(name, where)


def join_paths(*steps: str, where: str = "") -> str:
    """One path of several, of which some may be empty: folders, a partition, a name."""
    return path_within("/".join(step for step in steps if step), where)


def name_in(path: str, where: str = "") -> str:
    """The name of the file that a record states by its place on the machine that wrote it."""
    return file_name(path.rpartition("/")[2], where)


def resolve_planned_path(partition: str, path: str, where: str = "") -> str:
    """The path of a data file that a plan names by its place on the machine that planned: the name counts, and the partition.
    Empty where the plan names none."""
    if not path:
        return ""
    name = name_in(path.removeprefix(LOCAL_SCHEME), where)
    return data_path(join_paths(partition_path(partition, where), name, where=where), where)


def resolve_stated_path(partition: str, path: str, where: str = "") -> str:
    """The path of a data file as a commit states it: from the table's root, or by its place on the machine that wrote it. Empty
    where nothing was written."""
    has_scheme = "://" in path or (path.startswith(LOCAL_SCHEME) and not path.startswith(f"{partition}/"))
    if path.startswith("/") or has_scheme:
        return resolve_planned_path(partition, path, where)
    return data_path(path, where) if path else ""


def instant_name(time: str, where: str = "") -> str:
    """The time of an instant, as a step of a path: digits. Raises `CorruptFileError` that names `where`."""
    if _TIME.fullmatch(time) is None:
        raise CorruptFileError(where, expected="the time of an instant", found=repr(time))
    return time


def _text(value: object) -> object:
    return "" if value is None else value


PartitionPath = Annotated[str, BeforeValidator(_text), AfterValidator(partition_path)]
"""A partition in a record; none stands for a table without partitions."""
FileId = Annotated[str, AfterValidator(file_name)]
"""The id of a file group, which the names of its files begin with."""
FileNames = Annotated[
    tuple[Annotated[str, AfterValidator(name_in)], ...],
    BeforeValidator(lambda value: () if value is None else value),
]
"""Names of files in a record, which some writers state by their place on their own machine."""
FileName = Annotated[str, BeforeValidator(_text), AfterValidator(lambda text: name_in(text) if text else "")]
"""The name of a file in a record, as in `FileNames`; empty where there is none."""
