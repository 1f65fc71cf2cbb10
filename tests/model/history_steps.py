"""Which act comes next in a drawn history."""

from __future__ import annotations

from collections.abc import Callable, Collection

from tests.model.history import History
from tests.model.history_services import (
    archive,
    clean,
    cluster,
    compact,
    evolve,
    forget_undone,
    index,
    restore,
    roll_back,
    run_plans,
    save,
    serve,
)
from tests.model.history_writes import (
    Act,
    add_rows,
    delete_keys,
    delete_rows,
    drop_partition,
    insert_only_new,
    merge_rows,
    overwrite,
    overwrite_where,
    perform,
    transaction,
    update_rows,
    upsert,
    upsert_few_columns,
    upsert_other_columns,
)

STEPS: dict[str, tuple[Callable[[History], Act | None], int]] = {
    "upsert": (upsert, 8),
    "upsert_few_columns": (upsert_few_columns, 3),
    "upsert_other_columns": (upsert_other_columns, 2),
    "add_rows": (add_rows, 3),
    "insert_only_new": (insert_only_new, 1),
    "delete_keys": (delete_keys, 3),
    "delete_rows": (delete_rows, 2),
    "update_rows": (update_rows, 2),
    "merge_rows": (merge_rows, 2),
    "transaction": (transaction, 1),
    "overwrite": (overwrite, 2),
    "overwrite_where": (overwrite_where, 1),
    "drop_partition": (drop_partition, 1),
    "evolve": (evolve, 3),
    "compact": (compact, 4),
    "run_plans": (run_plans, 3),
    "cluster": (cluster, 3),
    "clean": (clean, 3),
    "archive": (archive, 2),
    "save": (save, 2),
    "serve": (serve, 2),
    "restore": (restore, 1),
    "roll_back": (roll_back, 1),
    "index": (index, 4),
}
"""By name what draws an act, and how often."""
_DIES = 0.12


def take_step(history: History, without: Collection[str] = ()) -> None:
    """Draws an act and takes it, of those without some, and checks what must hold. Raises AssertionError."""
    names = [name for name, (_, often) in STEPS.items() for _ in range(often) if name not in without]
    name = history.random.choice(names)
    if history.kind.type == "cow" and name == "compact":
        name = "upsert"
    act = STEPS[name][0](history)
    if act is None:
        return
    dies = history.random.random() < _DIES and not act.doubtful
    perform(history, act, dies_at=history.random.randint(1, 40) if dies else None)
    if dies and name == "restore":
        perform(history, act)
    if name in ("restore", "roll_back"):
        forget_undone(history)
    history.check()
