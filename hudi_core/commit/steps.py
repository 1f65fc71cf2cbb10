"""Steps: the changes of storage that make a write, as data. Each can be repeated, and a test can stop around each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest

from hudi_core.engine import Runner, Storage
from hudi_core.errors import AlreadyExistsError, StorageError
from hudi_core.parallel.limits import STORAGE_REQUESTS
from hudi_core.parallel.ordered import in_order
from hudi_core.storage_parts import StorageWithSync

_GUARDS: ContextVar[tuple[Callable[[], None], ...]] = ContextVar("guards", default=())


@contextmanager
def guard_steps(guard: Callable[[], None]) -> Iterator[None]:
    """Calls the guard before each step that runs in the block: it raises where the steps may not go on. Rule COMMIT-531."""
    before = _GUARDS.get()
    try:
        _GUARDS.set((*before, guard))
        yield
    finally:
        _GUARDS.set(before)


@dataclass(frozen=True, slots=True)
class Create:
    """Creates a file. Where it exists with the same content, the step was done before; `AlreadyExistsError` for other content."""

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
    """Replaces a file, or creates it."""

    path: str
    content: bytes = field(default=b"", repr=False)

    def apply(self, storage: Storage) -> None:
        storage.replace(self.path, self.content)


@dataclass(frozen=True, slots=True)
class Delete:
    """Deletes a file; nothing where there is none."""

    path: str

    def apply(self, storage: Storage) -> None:
        storage.delete(self.path)


@dataclass(frozen=True, slots=True)
class DeleteMany:
    """Deletes files; nothing for those that are not there. `in_order` where nobody may miss one whose predecessor is there:
    no reader meanwhile, and nobody after a death."""

    paths: tuple[str, ...]
    in_order: bool = False

    def apply(self, storage: Storage) -> None:
        if self.paths:
            storage.delete_files(self.paths, in_order=self.in_order)


@dataclass(frozen=True, slots=True)
class DeleteFolder:
    """Deletes a folder with all that is in it; nothing where there is none."""

    path: str

    def apply(self, storage: Storage) -> None:
        storage.delete_folder(self.path)


@dataclass(frozen=True, slots=True)
class Ensure:
    """Creates a file with this content, unless there is a file, whatever its content."""

    path: str
    content: bytes = field(default=b"", repr=False)

    def apply(self, storage: Storage) -> None:
        # A remote store answers a creation as soon as a question; a local one looks sooner than it creates.
        if not storage.is_remote and storage.exists(self.path) and (not self.content or storage.read(self.path)):
            return
        try:
            storage.create(self.path, self.content)
        except AlreadyExistsError:
            if self.content and not storage.is_remote and not storage.read(self.path):
                storage.replace(self.path, self.content)  # power was lost before its content was durable


SingleStep = Create | Replace | Delete | DeleteMany | DeleteFolder | Ensure


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Steps of which none needs another: in any order, in a remote store in flight together. All are done before the next step;
    where one fails, any of the others may be done."""

    steps: tuple[SingleStep, ...]

    def apply(self, storage: Storage) -> None:
        guards = _GUARDS.get()  # those of this thread
        if storage.is_remote:
            for _ in in_order(lambda step: _apply(step, storage, guards), self.steps, STORAGE_REQUESTS):
                pass
            return
        # What is created has its content before its name: who undoes a write knows a log file by its blocks.
        deferred = [step for step in self.steps if isinstance(step, Ensure)]
        for step in self.steps:
            if not isinstance(step, Ensure):
                _apply(step, storage, guards)
        with storage.defer() if isinstance(storage, StorageWithSync) else nullcontext():
            for step in deferred:
                _apply(step, storage, guards)


@dataclass(frozen=True, slots=True)
class CopyFile:
    """Creates a file with the content of another one. Where it exists with that content, the step was done before;
    `AlreadyExistsError` for other content."""

    path: str
    source: str

    def apply(self, storage: Storage) -> None:
        Create(self.path, storage.read(self.source)).apply(storage)


@dataclass(frozen=True, slots=True)
class CopyInTasks:
    """Copies that tasks of a runner make, side by side: their contents do not come to this process. Rule META-1055."""

    copies: tuple[CopyFile, ...]
    runner: Runner = field(compare=False, repr=False)

    def apply(self, storage: Storage) -> None:
        self.runner.run(partial(_copy_durably, storage), self.copies)


def _copy_durably(storage: Storage, copy: CopyFile) -> None:
    copy.apply(storage)
    sync_changes(storage)


Step = SingleStep | SideBySide | CopyInTasks


def side_by_side(sequences: Iterable[Sequence[Step]]) -> list[Step]:
    """Sequences of steps that do not need one another as one: the first steps of all, then the second ones, and so on."""
    return [
        SideBySide(tuple(single for step in steps if step is not None for single in _singles(step)))
        for steps in zip_longest(*sequences)
    ]


def _singles(step: Step) -> tuple[SingleStep, ...]:
    assert not isinstance(step, CopyInTasks)
    return step.steps if isinstance(step, SideBySide) else (step,)


def run(storage: Storage, steps: Iterable[Step], *, durable: bool = True) -> None:
    """Applies the steps in order, each durable before the next begins; else with the next that is. Raises what storage and guards
    raise; the steps before that are done."""
    for step in steps:
        _apply(step, storage, _GUARDS.get())
        if durable:
            sync_changes(storage)


def create_all_the_same(storage: Storage, step: Create) -> StorageError | None:
    """Creates a file whose name completes a write. Where storage raises, and the file is there as it should be, this is the
    error: raised, it would have the write done once more. Rule COMMIT-1526."""
    try:
        run(storage, [step])
    except StorageError as error:
        with suppress(StorageError):
            if storage.exists(step.path) and storage.read(step.path) == step.content:
                return error
        raise
    return None


def _apply(step: Step, storage: Storage, guards: Sequence[Callable[[], None]]) -> None:
    for guard in guards:
        guard()
    step.apply(storage)


def finish(end: Callable[[], None]) -> None:
    """Does what ends something. Where an interrupt comes meanwhile it is done once more, which has to be harmless, before the
    interrupt is raised; a second one ends it at once. Rule COMMIT-1606."""
    try:
        end()
    except KeyboardInterrupt:
        end()
        raise


def sync_changes(storage: Storage) -> None:
    """Makes durable what was changed: from here on no loss of power undoes it. Rule STORE-324."""
    if isinstance(storage, StorageWithSync):
        storage.sync()
