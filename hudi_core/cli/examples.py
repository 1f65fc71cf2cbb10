"""Examples of each command, as its help shows them. Rule CLI-675."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "inspect": ("inspect rides", "inspect s3://bucket/rides --json"),
    "timeline": ("timeline rides --limit 10", "timeline rides --archived --json", "timeline rides --follow"),
    "commits": ("commits rides --limit 5",),
    "partitions": ("partitions rides",),
    "report": (
        "report rides --html rides.html",
        'report rides --column fare --where "fare > 95" --json',
    ),
    "diff": (
        "diff rides 20261121124621743 20261121124819754",
        "diff rides 20261121124621743 20261121124819754 --rows --limit 5",
    ),
    "dump": ("dump rides/.hoodie/hoodie.properties", "dump 'rides/city=oslo/.4f2c-0_20261121.log.1_0-1-2' --records 3"),
    "validate": ("validate rides", "validate rides --only timeline,footers", "validate rides --mend"),
    "schema": ("schema rides", "schema rides --to avro", "schema rides --history"),
    "files": ('files rides --where "fare > 95"', "files rides --all --json"),
    "explain": (
        "explain rides --where \"fare > 95 AND city = 'oslo'\"",
        'explain rides -w "fare > 95" --html why.html',
    ),
    "read": (
        'read rides --where "fare > 95" --columns ride_id,fare',
        'read rides --as-of "2026-11-21 12:47:30" --limit 5',
        "read rides --since 20261121124819000 --output changed.parquet",
        "read rides --output - --format csv",
    ),
    "head": ("head rides", "head rides -n 3 -c ride_id,fare"),
    "sql": ('sql rides "SELECT city, count(*) FROM rides GROUP BY city"',),
    "count": ("count rides", 'count rides --where "fare > 95"'),
    "stats": ("stats rides --column fare",),
    "trace": ("trace rides R02-0304130053-04966", "trace rides R02-0304130053-04966 --partition city=oslo"),
    "keys": ("keys --table rides rows.parquet", "keys --options writer.properties rows.csv"),
    "tag": ("tag rides rows.parquet --explain",),
    "locate": ("locate rides rider rider-0300 rider-2392",),
    "convert-schema": ("convert-schema rides.avsc --from avro --to spark",),
    "evolve": ('evolve rides "ADD COLUMN rating int AFTER fare" --diff', 'evolve rides "DROP COLUMN note" --commit'),
    "create": (
        "create rides --like rows.parquet --key ride_id --partition-by city",
        "create rides --schema rides.avsc --key ride_id --type mor --index column_stats,record_index",
    ),
    "write": (
        "write rides rows.parquet",
        "write rides rows.csv --op insert --dry-run",
        "cat rows.jsonl | hudi-core write rides - --format jsonl",
    ),
    "delete": ('delete rides --where "fare < 10" --dry-run',),
    "update": ('update rides --set "note = \'kept\'" --where "fare > 20"',),
    "delete-partition": ("delete-partition rides city=oslo",),
    "rollback": ("rollback rides 20260101120000000 --dry-run", "rollback rides --failed"),
    "unlock": ("unlock rides",),
    "index list": ("index list rides",),
    "index build": (
        "index build rides bloom_filters",
        "index build rides secondary_index --columns rider",
        "index build rides expression_index --columns note --function substring --argument pos=1 --argument len=3",
    ),
    "index drop": ("index drop rides bloom_filters --dry-run",),
    "index advise": ('index advise rides --where "fare > 95"', "index advise rides --where-file past.sql"),
    "index": ("index list rides", "index build rides bloom_filters"),
    "metadata": ("metadata rides --partition column_stats --limit 5",),
    "service": ("service rides", "service rides --every 10m --only clean,compact"),
    "cluster": (
        'cluster rides --columns fare --dry-run --where "fare > 95"',
        "cluster rides --columns city,fare --strategy zorder",
    ),
    "clean": ("clean rides --keep-commits 10 --dry-run",),
    "savepoint": ("savepoint rides", "savepoint rides --drop 20261121124819754"),
    "restore": ("restore rides 20261121124819754 --dry-run",),
    "compact": ("compact rides", "compact rides --plan-only"),
    "archive": ("archive rides --dry-run",),
    "completion": ("completion bash > ~/.local/share/bash-completion/completions/hudi-core", "completion fish"),
    "demo": ("demo --to demo-out",),
}
"""By command: command lines without the name of the program, but for those that begin with another one's."""


def example_lines(command: str) -> list[str]:
    """The examples of a command as they are typed."""
    return [line if line.startswith("cat ") else f"hudi-core {line}" for line in EXAMPLES.get(command, ())]
