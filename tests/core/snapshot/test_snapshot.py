"""What a snapshot does about parts of a table that cannot be read.

Also covers: `snapshot/mode.py`.
"""

from __future__ import annotations

from dataclasses import replace

from hudi_core.table.table import Table
from hudi_core.timeline.history_log import LogHistory
from tests.support.logged_tables import Block, LoggedTable

ROWS = [{"id": "key-1", "ts": 1, "v": "base", "n": 1}]


def test_damage_in_the_history_is_reported_where_replaced_file_groups_matter() -> None:
    """TIME-24."""
    made = LoggedTable(ROWS, [Block([{**ROWS[0], "ts": 2, "v": "log"}])])
    made.open()
    (first,) = (path for path in made.memory.files if path.endswith(".commit"))
    del made.memory.files[first]  # it is archived
    made.memory.files["h/.commits_.archive.1_1-0-1"] = b"no log file"
    table: Table = made.open()
    table = replace(table, timeline=replace(table.timeline, history=LogHistory(made.memory, "h")))
    assert [row["v"] for row in table.scan(columns=["v"]).to_json_rows()] == ["log"]
    (answer,) = table.warnings
    assert "h/.commits_.archive.1_1-0-1" in answer and "file groups replaced before 2024010100000" in answer
