"""Tables of version 6 whose log files hold blocks of several writes, as writers that appended to log files made them."""

from __future__ import annotations

import json
from pathlib import Path

from hudi_core.formats.names import parse_log_file


def share_logs(root: Path) -> int:
    """Brings the log files of each slice into its first one, in the table and in its commits. Returns how many went. The table
    has no metadata table."""
    moved: dict[str, tuple[str, int]] = {}
    sizes: dict[str, int] = {}
    for folder in [root, *(path for path in root.rglob("*") if path.is_dir() and ".hoodie" not in path.parts)]:
        logs = [(parsed, path) for path in folder.iterdir() if (parsed := parse_log_file(path.name)) is not None]
        firsts: dict[tuple[str, str], Path] = {}
        for parsed, path in sorted(logs, key=lambda one: one[0].version):
            first = firsts.setdefault((parsed.file_id, parsed.instant), path)
            name = str(path.relative_to(root))
            if first != path:
                moved[name] = (str(first.relative_to(root)), first.stat().st_size)
                with first.open("ab") as file:
                    file.write(path.read_bytes())
                path.unlink()
            sizes[name] = first.stat().st_size
    for commit in (root / ".hoodie").glob("*.deltacommit"):
        record = json.loads(commit.read_bytes())
        for stats in record["partitionToWriteStats"].values():
            for stat in stats:
                if stat["path"] in moved:
                    name = stat["path"]
                    stat["path"], stat["logOffset"] = moved[name]
                    stat["fileSizeInBytes"] = sizes[name]
                    stat["logFiles"] = [stat["path"].rpartition("/")[2]]
        commit.write_text(json.dumps(record))
    return len(moved)
