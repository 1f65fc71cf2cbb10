"""Arguments of public functions: one of another type than the function states is an error that says so. Rule TABLE-981.

Methods of tables check what they are given themselves. Functions have their signatures read once, when they are first named.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from types import FunctionType
from typing import Any, Final, TypeVar, get_args

from hudi_core.arguments import describe_misfit
from hudi_core.errors import UsageError, describe

Kind = type | str
"""A type, or `module:Name` of a class or a union: a module that is not loaded has no objects yet."""

_WORDS: Final[Mapping[str, tuple[tuple[Kind, ...], str]]] = {
    "Table": (("hudi_core.table.table:Table",), "a table, as hudi_core.open gives it"),
    "Schema": (("hudi_core.schema.schema:Schema",), "a schema"),
    "Record": (("hudi_core.types.nodes:Record",), "a record type"),
    "Type": (("hudi_core.types.nodes:Primitive", "hudi_core.types.nodes:Nested"), "a type"),
    "Expr": (("hudi_core.expr.nodes:Expr",), "a predicate, as hudi_core.parse_predicate gives it"),
    "ExpressionBuilder": (("hudi_core.expr.build:ExpressionBuilder",), "an expression, as hudi_core.col begins it"),
    **{
        name: ((f"{module}:{name}",), f"hudi_core.{name}")
        for name, module in (
            ("ArchiveOptions", "hudi_core.services.archiving.options"),
            ("CleanOptions", "hudi_core.services.cleaning.options"),
            ("ClusterOptions", "hudi_core.cluster.options"),
            ("CompactionOptions", "hudi_core.services.compaction.options"),
            ("IndexOptions", "hudi_core.index_kinds.build_plan"),
            ("ServiceOptions", "hudi_core.services.upkeep.rounds"),
            ("TagOptions", "hudi_core.tagging.tag"),
            ("WriteOptions", "hudi_core.writing.operation"),
        )
    },
    "str": ((str,), "a string"),
    "bytes": ((bytes,), "bytes"),
    "int": ((int,), "a whole number"),
    "bool": ((bool,), "True or False"),
    "None": ((type(None),), "None"),
    "Counts": ((Sequence,), "a list of numbers"),
    "Clock": ((Callable,), "a function that gives the time"),  # type: ignore[dict-item]
}
"""The types that a value of an annotation has, and words for them."""
_GENERIC: Final[Mapping[str, tuple[tuple[Kind, ...], str]]] = {
    "Iterable[": ((Iterable,), "a list"),
    "Mapping[": ((Mapping,), "a mapping"),
    "Callable[": ((Callable,), "a function"),  # type: ignore[dict-item]
}


def check_arguments(function: object, called: str) -> object:
    """The function, as users call it, with a look at its arguments before each call; what is no function is left as it is."""
    if not isinstance(function, FunctionType):
        return function
    signature = inspect.signature(function)
    expected = {
        name: kinds
        for name, one in signature.parameters.items()
        if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        and (kinds := _kinds(_bind(one.annotation, function))) is not None
    }

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            given = signature.bind_partial(*arguments, **named).arguments
        except TypeError as error:  # as Python says it of a function that is not wrapped
            raise TypeError(describe_misfit(called, str(error), signature, named)) from None
        for name, (kinds, words) in expected.items():
            if name in given and not any(_is(given[name], kind) for kind in kinds):
                raise UsageError(name, expected=words, found=describe(given[name]))
        return function(*arguments, **named)

    return call if expected else function


def _is(value: object, kind: Kind) -> bool:
    if not isinstance(kind, str):
        return isinstance(value, kind) and not (kind is int and isinstance(value, bool))
    module, _, name = kind.partition(":")
    loaded = getattr(sys.modules.get(module), name, None)
    return loaded is not None and isinstance(value, get_args(loaded) or loaded)


def _bind(annotation: object, function: FunctionType) -> object:
    """The name of the class that a type variable stands for."""
    variable = function.__globals__.get(annotation) if isinstance(annotation, str) else None
    bound = variable.__bound__ if isinstance(variable, TypeVar) else None
    return annotation if bound is None else getattr(bound, "__name__", None) or str(bound)


def _kinds(annotation: object) -> tuple[tuple[Kind, ...], str] | None:
    """The types that an annotation allows, and words for them; None where it has parts that are not known here."""
    if not isinstance(annotation, str) or "[" in annotation.partition("|")[0].partition("[")[2]:
        return None
    types: list[Kind] = []
    words: list[str] = []
    for part in (part.strip().removeprefix("t.") for part in annotation.split("|")):
        known = _WORDS.get(part) or next((kind for start, kind in _GENERIC.items() if part.startswith(start)), None)
        if known is None:
            return None
        types += known[0]
        words += [known[1]]
    return tuple(types), " or ".join(dict.fromkeys(words))
