"""What somebody means who types a command, an option or a word as other tools have it. Rules CLI-676, CLI-1220."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Final

from hudi_core.cli.other_tools import BEHIND, COMMANDS, ELSEWHERE, OF_COMMANDS, OPTIONS, PROCEDURES
from hudi_core.rows.outside_files import is_there

_CONDITION: Final = re.compile(r"[=<>\s]")
_FILE: Final = re.compile(r".+\.(parquet|csv|jsonl?|ndjson|arrow|feather)(\.gz)?", re.I)
_LONGEST: Final = max(len(words.split()) for words in COMMANDS)


def find_command_line(words: Sequence[str], places: Collection[str]) -> str | None:
    """The command line that is meant by words that begin no command of ours; None for none.

    A table among the words has its place in it.

    >>> find_command_line(["SHOW", "commits", "from", "rides"], ["commits"])
    'hudi-core commits TABLE'
    >>> find_command_line(["tabel"], ["read"]), find_command_line(["redd"], ["read"]), find_command_line(["qqq"], ["read"])
    ('hudi-core inspect TABLE', 'hudi-core read', None)
    """
    meant = _find_line(_simplify(words), places)
    return None if meant is None else f"hudi-core {name_table(meant, words)}"


def name_table(line: str, words: Sequence[str]) -> str:
    """A command line with the table of what was typed, where that names one, in the place of TABLE."""
    table = next((word for word in words if _is_table(word)), None)
    return line if table is None else line.replace("TABLE", shlex.quote(table))


def _simplify(words: Sequence[str]) -> list[str]:
    """The words without options and tables, in small letters; a procedure by the words of its name."""
    plain = [word.lower() for word in words if not word.startswith("-") and not _is_table(word)]
    if plain and plain[0] in PROCEDURES and len(plain) > 1:
        plain = re.split(r"[_\s]+", plain[1].partition("(")[0].rpartition(".")[2])
    return plain


def _find_line(plain: Sequence[str], places: Collection[str]) -> str | None:
    for count in range(min(len(plain), _LONGEST), 0, -1):
        line = COMMANDS.get(" ".join(plain[:count]))
        if line is not None:
            return line or None
    first = plain[0] if plain else ""
    words = [*places, *(word for word in COMMANDS if " " not in word)]
    near = next(iter(get_close_matches(first, words, cutoff=0.7)), "")
    return near if near in places else COMMANDS.get(near) or None


def find_longer_command(args: Sequence[str], places: Collection[str]) -> str | None:
    """The command line that is meant by one of our commands and a word after it that is no table, as in `commits show`.

    None where the word may be meant as a table. A folder of its name is one.

    >>> find_longer_command(["savepoint", "create", "t"], ["savepoint"]), find_longer_command(["read", "t"], ["read"])
    ('hudi-core savepoint TABLE', None)
    >>> find_longer_command(["index", "lst", "t"], ["index", "index list"])
    'hudi-core index list'
    """
    name, *others = args
    if not others or is_there(Path(others[0])):
        return None
    if " ".join(_simplify(args[:2])) in COMMANDS:
        return find_command_line(args, ())
    words = [place.removeprefix(f"{name} ") for place in places if place.startswith(f"{name} ")]
    near = get_close_matches(others[0], words, n=1) if len(others) > 1 else []
    return f"hudi-core {name} {near[0]}" if near else None


def _is_table(word: str) -> bool:
    return is_there(Path(word) / ".hoodie") or "://" in word


def explain_extra_words(command: str, options: Collection[str], words: Sequence[str]) -> str:
    """What words are meant for that a command has no place for: `; …`, or nothing.

    >>> explain_extra_words("read", ["--where"], ["fare > 3"])
    "; did you mean --where 'fare > 3'?"
    >>> explain_extra_words("delete", ["--where"], ["keys.csv"])
    '; to delete the keys of a file: hudi-core write TABLE keys.csv --op delete'
    """
    text = " ".join(words)
    if not words:
        return ""
    if any(map(_is_table, words)):
        return "; a command takes one table"
    if command == "delete" and _FILE.fullmatch(words[0]):
        return f"; to delete the keys of a file: hudi-core write TABLE {shlex.quote(words[0])} --op delete"
    if command == "index":
        return f"; did you mean hudi-core index {words[0]} TABLE?"
    option = BEHIND.get(command)
    if option not in options or (option == "--where" and not _CONDITION.search(text)):
        return "; quote what has spaces" if len(words) > 1 else ""
    given = words[0] if option in ("--limit", "--column", "--columns", "--partition", "--owner") else text
    return f"; did you mean {option} {shlex.quote(given)}?"


def explain_late_table(command: str, words: Sequence[str], given: Sequence[str]) -> str:
    """The command that is meant where another word comes first, as in `partitions list TABLE`: `; …`, or nothing."""
    tables = [word for word in given if _is_table(word)]
    if len(tables) != 1 or tables[0] not in words:
        return ""
    return f"; did you mean hudi-core {command} {shlex.quote(tables[0])}?"


def explain_option(command: str, name: str, options: Collection[str]) -> str:
    """What an option is meant for that a command does not have: `; …`, or nothing.

    >>> explain_option("read", "--filter", ["--where"]), explain_option("read", "--jsn", ["--json"])
    ('; did you mean --where?', '; did you mean --json?')
    >>> explain_option("count", "--group-by", ["--where"])
    "; hudi-core sql TABLE 'SELECT …' does that"
    """
    meant = OF_COMMANDS.get(command, {}).get(name)
    meant = meant or next((option for option in OPTIONS.get(name, ()) if option in options), None)
    if meant is None and name in ELSEWHERE:
        line = ELSEWHERE[name]
        return f"; hudi-core {line} does that" if line else "; no command asks for confirmation"
    if meant is None:
        ends = (f"{name}-", f"-{name[2:]}")
        longer = sorted(one for one in options if len(name) > 3 and (one.startswith(ends[0]) or one.endswith(ends[1])))
        meant = next(iter(get_close_matches(name, options, cutoff=0.75)), None) or " or ".join(longer) or None
    return "" if meant is None else f"; did you mean {meant}?"


def explain_missing_option(command: str) -> str:
    """What else a command may be meant that lacks its required option: `; …`, or nothing."""
    if command == "delete":
        return "; hudi-core write TABLE FILE --op delete deletes the keys of a file, hudi-core delete-partition whole partitions"
    if command == "metadata":
        return "; hudi-core index list TABLE shows the partitions that there are"
    return ""


def explain_place(where: str) -> str:
    """The table that is meant by a path that is none: the one that it is within, or those in it; `; …`, or nothing."""
    place = Path(where)
    above = next((str(folder) for folder in place.parents if str(folder) != "." and _is_table(str(folder))), None)
    if above is not None:
        return f"; did you mean {shlex.quote(above)}?"
    try:
        within = sorted(str(folder) for folder in place.iterdir() if _is_table(str(folder)))
    except OSError:
        return ""
    return f"; did you mean {' or '.join(map(shlex.quote, within[:3]))}?" if within else ""


def explain_condition(message: str, given: Sequence[str]) -> str:
    """The hint for a predicate of one word: the shell took the rest of it, or it was typed without quotes; `; …`, or nothing.

    >>> explain_condition("predicate, column 1: expected a condition, found ts of long", ["read", "t", "--where", "ts"])
    '; put the whole predicate in quotes, as --where "ts > 5"'
    """
    if "expected a condition, found " not in message:
        return ""
    typed = next((after for name, after in pairwise(given) if name in ("--where", "-w")), "")
    return f'; put the whole predicate in quotes, as --where "{typed} > 5"' if typed.isidentifier() else ""


def explain_order(given: Sequence[str]) -> str:
    """The hint for a command line of which the table does not come first: `; …`, or nothing."""
    words = [word for word in given if not word.startswith("-")]
    return "; the table comes first" if any(map(_is_table, words[2:])) and not any(map(_is_table, words[:2])) else ""
