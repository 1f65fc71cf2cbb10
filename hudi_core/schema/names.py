"""Names, lists of names and mappings from names, as users give them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set

from hudi_core.errors import UsageError, describe


def name_list(given: str | Iterable[str], where: str = "names") -> tuple[str, ...]:
    """Names from a list, or from one string with commas between them, where blanks around names and empty names are left out.

    Raises `UsageError`, at `where`, for what is no list and has no names.
    """
    if isinstance(given, str):
        return tuple(name.strip() for name in given.split(",") if name.strip())
    return names(given, where)


def names(given: Iterable[str], where: str) -> tuple[str, ...]:
    """Names from a list. Raises `UsageError`, at `where`, for a string, whose letters would be taken for names, for what is no
    list, for a mapping, whose values would have no effect, and for what has no names."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        example = f", as [{given!r}]" if isinstance(given, str) else ""
        found = "a string" if isinstance(given, str) else describe(given)
        raise UsageError(where, expected=f"a list of names{example}", found=found)
    listed = tuple(given)
    others = [name for name in listed if not isinstance(name, str)]
    if others:
        raise UsageError(where, expected="names", found=describe(others[0]))
    return listed


def names_in_order(given: str | Iterable[str], where: str) -> tuple[str, ...]:
    """Names in the order in which they count, as `name_list` gives them. Raises `UsageError` for a set too."""
    if isinstance(given, Set):
        raise UsageError(where, expected="a list of names, whose order counts", found=describe(given))
    return name_list(given, where)


def refuse_repeated(where: str, columns: Sequence[str], meant: Iterable[Hashable]) -> None:
    """Raises `UsageError`, at `where`, for two names of one column: what is made of a list has each column once. `meant` is what
    tells columns apart, for each name."""
    named: dict[Hashable, str] = {}
    for name, column in zip(columns, meant, strict=True):
        if column in named:
            raise UsageError(where, expected="each column once", found=f"{named[column]}, {name}")
        named[column] = name


def refuse_no_name(given: object, where: str) -> None:
    """Raises `UsageError`, at `where`, for what is no string."""
    if not isinstance(given, str):
        raise UsageError(where, expected="a string", found=describe(given))


def refuse_no_mapping(given: object, where: str) -> None:
    """Raises `UsageError`, at `where`, for what is neither None nor a mapping."""
    if given is not None and not isinstance(given, Mapping):
        raise UsageError(where, expected="a mapping from names to values", found=describe(given))
