"""Steps: the changes of storage that make a write, as data. Each can be repeated, and a test can stop around each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hudi_core.engine import Storage
from hudi_core.errors import AlreadyExistsError


@dataclass(frozen=True, slots=True)
class Create:
    """A new file. One that is there with the same content is the step done before; `AlreadyExistsError` for another."""

    path: str
    content: bytes = field(default=b"", repr=False)

    def apply(self, storage: Storage) -> None:
        try:
            storage.create(self.path, self.content)
        except AlreadyExistsError:
            if storage.read(self.path) != self.content:
                raise


@dataclass(frozen=True, slots=True)
class Replace:
    """A file in place of another, or of none."""

    path: str
    content: bytes = field(default=b"", repr=False)

    def apply(self, storage: Storage) -> None:
        storage.replace(self.path, self.content)


@dataclass(frozen=True, slots=True)
class Delete:
    """A file less; none where it is gone."""

    path: str

    def apply(self, storage: Storage) -> None:
        storage.delete(self.path)


Step = Create | Replace | Delete


def run(storage: Storage, steps: Iterable[Step]) -> None:
    """Applies the steps in order. Raises what storage raises; the steps before that are done."""
    for step in steps:
        step.apply(storage)
