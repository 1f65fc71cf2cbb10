"""Optional parts of an engine's storage: what some stores can do beside `hudi_core.engine.Storage`. Whoever needs one asks by
`isinstance`, and does without where it is not there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@runtime_checkable
class StorageWithLinks(Protocol):
    """An optional part of an engine's storage whose folders may have links."""

    @property
    def links(self) -> Collection[str]:
        """The paths of the links that listings met so far, and did not follow. Rule STORE-260."""
        ...


@runtime_checkable
class StorageWithFolders(Protocol):
    """An optional part of an engine's storage whose folders may be there without files. Object stores have none of these."""

    def list_folders(self, folder: str) -> Sequence[str]:
        """The names of the folders right below a folder, sorted, also of empty ones. None where there is no such folder."""
        ...


@runtime_checkable
class StorageWithAnswersAhead(Protocol):
    """An optional part of an engine's storage that fetches what `Storage.expect` announces before it is asked for."""

    def forget_expected(self) -> None:
        """Drops the answers that were fetched and not asked for, of what may have changed since: it is fetched anew on use."""
        ...


@runtime_checkable
class StorageWithSync(Protocol):
    """An optional part of an engine's storage: a loss of power can undo its changes until they are synced. Rule STORE-324."""

    def sync(self) -> None:
        """Makes all changes durable that were made here: contents of files and names in folders, many at once."""
        ...

    def defer(self) -> AbstractContextManager[None]:
        """Where contents of new files are not synced one by one while the block runs, but with the next `sync`."""
        ...


@dataclass(frozen=True, slots=True)
class NameLimits:
    """How long names may be, in bytes: one step of a path, and a path from the table's root on; and their encoding."""

    step: int
    path: int
    encoding: str = "utf-8"


def describe_encoding(encoding: str) -> str:
    """What names of files are made of where Python has an encoding for them that is not UTF-8."""
    return f"names of files in ASCII, as Python has the encoding {encoding} for them: PYTHONUTF8=1 makes it UTF-8"


@runtime_checkable
class StorageWithLimits(Protocol):
    """An optional part of an engine's storage whose names have a greatest length. Rule STORE-1154."""

    @property
    def limits(self) -> NameLimits | None:
        """None where it is not known."""
        ...


@runtime_checkable
class StorageWithOptions(Protocol):
    """An optional part of an engine's storage that was opened with options: another URL of the same store takes them too."""

    @property
    def options(self) -> Mapping[str, str]: ...


@runtime_checkable
class StorageWithTakeAway(Protocol):
    """An optional part of an engine's storage that deletes a file only as it was read. Rule COMMIT-1024."""

    def take_away(self, path: str, content: bytes) -> bool:
        """Deletes a file if it has this content, and only then; False where it is another one by now, or none. Raises
        `UnsupportedError` where the store cannot promise that."""
        ...


@runtime_checkable
class StorageWithFence(Protocol):
    """An optional part of an engine's storage: a file that one process makes gets its name unless another forbids it. Rule
    COMMIT-1475."""

    def fence(self, look: Callable[[], None]) -> AbstractContextManager[None]:
        """What this thread creates or replaces in the table's own folder while the block runs is written under another name.
        `look` is called then, which raises where it may not go on; only behind that it takes its own name. Raises `ConflictError`
        where another called `drop_fenced` in between."""
        ...

    def drop_fenced(self) -> None:
        """What others have written in such blocks, and not named yet, gets no name any more."""
        ...
