"""The overview of the command line: the commands and their common options. It loads none of them."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Mapping

ABOUT = "Inspect, prune, read and write Apache Hudi tables."
EXAMPLE = "For example: hudi-core explain TABLE --where \"price > 10 AND city = 'oslo'\" --html why.html"
VERSION_HELP = "Show the version and exit."
VERBOSE_HELP = (
    "Report what is slower than it could be, and at the end requests to remote storage and the time waited for them."
)
STORAGE_HELP = "An option of the library that opens a URL; repeatable."

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "What a table is": {
        "inspect": "Describe a table: version, keys, sizes, indexes, warnings; who wrote it last, and who else can read it.",
        "timeline": "List the instants of the active timeline, in Hudi's order; with --archived those of the history too.",
        "commits": "List what each write did: rows inserted, updated and deleted, files and bytes, oldest first.",
        "partitions": "List the partitions: rows, file slices, small files, log files, bytes.",
        "report": "Report on a table at a glance: timeline, sizes, layout, health of indexes; with --html as a page with "
        "pictures.",
        "diff": "Show what lies between two instants: commits, schema changes, file slices, and rows as their writers counted "
        "them.",
        "dump": "Show what a file holds: the blocks of a log, an HFile, the footer of a base file, an instant, properties.",
        "validate": "Check the consistency of a table: properties, timeline, sizes, footers, statistics, filters, record index.",
        "schema": "Show the table's schema as a tree with column ids, or as text in another form.",
    },
    "What a query does": {
        "files": "List the file slices that a query reads: with a predicate those that can hold matching rows, and what "
        "decided.",
        "explain": "Explain which file slices a predicate leaves, which step removed the others, and in what time.",
        "read": "Read rows: to the terminal, as JSON lines, or into a file.",
        "head": "Show the first rows that are read, in no stated order: as many as fit, to see what the table holds.",
        "sql": "Put a query to a table through DuckDB, where that is installed.",
        "count": "Count the rows, or those that match a predicate. Footers answer where no row has to be read.",
    },
    "Columns and keys": {
        "stats": "Show what statistics know of a column: bounds, nulls, how many file slices hold a value, and what sorting "
        "would change.",
        "trace": "Show every stored version of a record: the write that made it, its file, and why readers see it or not.",
        "keys": "Make the record key and the partition path of each row.",
        "tag": "Tag rows with the file that holds the record of their key.",
        "locate": "Find the records that have one of some values, with their keys and the files that hold them, by a "
        "secondary index.",
    },
    "Schemas": {
        "convert-schema": "Convert the text of a schema to another form. Conversion losses are listed on standard error.",
        "evolve": "Show what changes would make of a schema. Nothing is written, unless --commit makes them.",
    },
    "Writing": {
        "create": "Create a table without rows, and describe it.",
        "write": "Write the rows of a file in one commit: insert, upsert, delete by key, or overwrite.",
        "delete": "Delete the rows that match a predicate.",
        "update": "Give columns of the rows that match a predicate new values.",
        "delete-partition": "Delete all rows of partitions.",
        "rollback": "Undo a completed write that nothing builds on, or with --failed those that died.",
        "unlock": "Free the table's lock where its writer is dead, or by the name of its owner.",
    },
    "Indexes": {
        "index list": "List the indexes of a table: kind, columns, whether each may be used, and its size.",
        "index build": "Build indexes of a table from its files, while writers go on.",
        "index drop": "Drop an index of a table.",
        "index advise": "Advise which index or clustering would pay for queries; nothing is written.",
        "metadata": "Show the live records of one partition of the metadata table, log files merged.",
    },
    "Services": {
        "service": "Run the services that are due: rollback of dead writes, compaction, clustering, clean, archive.",
        "cluster": "Rewrite rows in an order in which queries skip files: linear, or along a curve through several columns.",
        "clean": "Delete old files that no query of a kept state needs. Without a number to keep, the table's properties decide.",
        "savepoint": "Save a state of the table: no clean deletes its files, and the table can be restored to it.",
        "restore": "Bring the table back to a savepoint. All later writes are undone for good, and their files deleted.",
        "compact": "Merge the log files of a merge-on-read table into base files. A plan that waits is run first.",
        "archive": "Take old instants off the active timeline and put them into the history; queries answer as before.",
    },
    "A tour, and the shell": {
        "completion": "Print a script by which a shell completes commands and their options.",
        "demo": "Take a tour: a table of rides that Apache Hudi wrote, pruned, explained and read; and one that is written.",
    },
}
"""The commands by subject, and what each does: the first paragraph of its help."""

_OPTIONS = {
    "--version": VERSION_HELP,
    "--storage-option NAME=VALUE": STORAGE_HELP,
    "--verbose": VERBOSE_HELP,
    "-h, --help": "Show this message and exit; after a command, that command's options.",
}
_WIDEST = 100


def overview() -> str:
    """The help of `hudi-core` itself, as wide as the terminal."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    lines = ["Usage: hudi-core [OPTIONS] COMMAND [ARGS]...", "", ABOUT]
    for title, entries in {**COMMANDS, "Options": _OPTIONS}.items():
        lines += ["", f"{title}:", *_entries(entries.items(), width)]
    return "\n".join([*lines, "", *textwrap.wrap(EXAMPLE, width, break_on_hyphens=False)])


def _entries(entries: Iterable[tuple[str, str]], width: int) -> Iterable[str]:
    column = 18
    for name, text in entries:
        first, *more = textwrap.wrap(text, max(width - column, 20))
        lead = f"  {name}"
        if len(lead) + 2 > column:
            yield lead
            lead = ""
        yield f"{lead:{column}}{first}"
        yield from (f"{'':{column}}{line}" for line in more)
