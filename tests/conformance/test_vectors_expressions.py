"""Expressions against what Apache Hudi does: literals, orders, binding, truth of rows, files kept by data skipping.

Not asked: printing, the list of operators, positional references, and rows shorter than their schema, which have no
counterpart here; texts of partition values, which are asked with the other paths.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import Any

from hudi_core.errors import ExpressionError
from hudi_core.expr.bind import bind
from hudi_core.expr.literals import constant
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Apply, Opaque, Predicate, parts_of, terms_of, unknowns_of
from hudi_core.pruning.reference import SingleFile
from hudi_core.rows.truth import RowQuestions
from hudi_core.schema.schema import Schema
from hudi_core.truth import FALSE, NULL, TRUE
from hudi_core.types.text import text as type_text
from hudi_core.values.order import equal, less
from hudi_plain.values import PlainValues
from tests.conformance.deviations import find
from tests.conformance.deviations.expressions import DEVIATIONS
from tests.support.conformance import vectors
from tests.support.ledger import REFUSED, attempt
from tests.support.vector_expressions import (
    expression,
    index_rows,
    literal,
    schema_of,
    skipping_schema,
    subtrees,
    value_in,
)
from tests.support.vector_schemas import persisted_type

_NAMES = {TRUE: True, FALSE: False, NULL: None}
_NOT_MONOTONE = ("lower(", "upper(", "* -", "datediff(", "'MM'", "-A", "/ A", "|", "%", "abs(")


Asked = tuple[dict[str, Any], dict[str, Any], object, object]
"""A case, the question made of it, our answer and the recorded one."""


def settle(cases: list[Asked]) -> None:
    """Every answer is the recorded one, or a deviation says why not."""
    assert cases
    wrong: dict[str, list[str]] = defaultdict(list)
    for case, question, ours, theirs in cases:
        if ours != theirs and find(DEVIATIONS, "expressions", question) is None:
            wrong[case["op"]].append(f"{case['id']}: ours {ours}, theirs {theirs}")
    assert not wrong, "\n".join(line for lines in wrong.values() for line in lines)


def of_kind(*operations: str) -> list[dict[str, Any]]:
    return [case for case in vectors("expressions") if case["op"] in operations]


@cache
def literals() -> list[Asked]:
    asked: list[Asked] = []
    for case in of_kind("literal"):
        value = case["input"]["value"]
        theirs = case["output"]["type"].replace(", ", ",") if "output" in case else REFUSED
        ours = attempt(lambda value=value: type_text(constant(literal(value)).type))  # type: ignore[misc]
        asked.append((case, {"ask": "literal", "value": value}, ours, theirs))
    return asked


def test_literals_have_the_type_of_their_value() -> None:
    settle(literals())


@cache
def orders() -> list[Asked]:
    asked: list[Asked] = []
    for case in of_kind("compare"):
        said = case["input"]
        of = persisted_type(said["type"])
        theirs = (case["output"] > 0) - (case["output"] < 0) if "output" in case else REFUSED
        ours: object = REFUSED
        if said["a"] is not None and said["b"] is not None:
            left, right = value_in(said["a"], of), value_in(said["b"], of)
            ours = 0 if equal(left, right, of) else -1 if less(left, right, of) else 1
        asked.append((case, {"ask": "compare", **said}, ours, theirs))
    return asked


def test_values_of_a_type_have_one_order() -> None:
    settle(orders())


class Guarded(RowQuestions[Any, bool]):
    """A row of which something is not known: anything may be so."""

    def unknown(self, what: Opaque) -> bool:
        return True


def truth_of(predicate: Predicate, row: tuple[Any, ...], schema: Schema) -> object:
    asked = Guarded(PlainValues(), row, schema)
    possible = [outcome for outcome in (TRUE, FALSE, NULL) if can_be(outcome, predicate, asked)]
    return _NAMES[possible[0]] if len(possible) == 1 else "unknown"


def recorded_truth(result: dict[str, Any]) -> object:
    if "error" in result:
        return REFUSED
    return None if result["value"] is None else result["value"]["boolean"]


@cache
def rows() -> list[Asked]:
    asked: list[Asked] = []
    for case in of_kind("eval"):
        said, output = case["input"], case["output"]
        trees = list(subtrees(said["expr"]))
        if any("bound" in tree for tree in trees) or (said["bind"] == "none" and any("ref" in tree for tree in trees)):
            continue
        schema = schema_of(said["schema"])
        seen = what_is_seen(said, trees, schema)
        types = {field.name.lower(): field.type for field in schema.fields}
        try:
            case_sensitive = said.get("case_sensitive", True)
            bound = bind(
                expression(said["expr"], types), schema, case_sensitive=case_sensitive, partial=seen["partial"]
            )
        except ExpressionError:
            asked.append((case, seen | {"ask": "bind"}, REFUSED, REFUSED if "bind_error" in output else "bound"))
            continue
        asked.append((case, seen | {"ask": "bind"}, "bound", REFUSED if "bind_error" in output else "bound"))
        for row, result in zip(said["rows"], output.get("results", ()), strict=False):
            if len(row) != len(schema.fields):
                continue
            values = tuple(value_in(value, field.type) for value, field in zip(row, schema.fields, strict=True))
            question = seen | {"ask": "row", "nulls": null_operands(trees, values, schema)}
            asked.append((case, question, truth_of(bound, values, schema), recorded_truth(result)))
    return asked


def test_binding_and_the_truth_of_rows() -> None:
    settle(rows())


def what_is_seen(said: dict[str, Any], trees: list[dict[str, Any]], schema: Schema) -> dict[str, Any]:
    """What the rules of deviation may ask of an expression."""
    types = {field["name"]: field["type"] for field in said["schema"]}
    found = {name.lower(): of for name, of in types.items()}
    tests = [tree for tree in trees if {"left", "value"} & set(tree)]
    compared, mixed = [], []
    for tree in tests:
        operands = [tree.get("left") or tree["value"], tree.get("right"), *tree.get("list", ())]
        columns = [found[part["ref"].lower()] for part in operands if part and part.get("ref", "").lower() in found]
        tags = [next(iter(part["lit"])) for part in operands if part and part.get("lit")]
        compared += [(tree["op"], of) for of in columns]
        mixed += [of for of in columns if any(_tag(of) != tag for tag in tags)]
        mixed += columns if len(set(columns)) > 1 else []
    return {
        "operators": [tree.get("op", "") for tree in trees],
        "compared": compared,
        "mixed": mixed,
        "partial": said["bind"] == "partial",
        "unknown": [
            tree["ref"]
            for tree in trees
            if "ref" in tree and schema.find((tree["ref"],), case_sensitive=said.get("case_sensitive", True)) is None
        ]
        if not _clash(schema)
        else [],
        "names": list(types),
        "ids": [field["id"] for field in said["schema"]],
        "text_of_column": [
            tree for tree in tests if tree["op"] in ("starts_with", "contains") and "ref" in tree["right"]
        ],
    }


def _clash(schema: Schema) -> bool:
    return len({field.name.lower() for field in schema.fields}) < len(schema.fields)


def _tag(of: str) -> str:
    """The tag of the literals that a column's Java class compares with."""
    base = of.partition("(")[0].partition("[")[0]
    return {
        "binary": "bytes",
        "date": "int",
        "local-timestamp-micros": "long",
        "decimal": "decimal",
    }.get(base, base)


def null_operands(trees: list[dict[str, Any]], row: tuple[Any, ...], schema: Schema) -> list[str]:
    """The columns named that are null in a row, and the lists that hold a null."""
    places = {field.name.lower(): position for position, field in enumerate(schema.fields)}
    names = [tree["ref"] for tree in trees if "ref" in tree and tree["ref"].lower() in places]
    lists = [tree["op"] for tree in trees if any(each.get("lit", "") is None for each in tree.get("list", ()))]
    return [name for name in names if row[places[name.lower()]] is None] + lists


@cache
def skipping() -> list[Asked]:
    asked: list[Asked] = []
    for case in of_kind("data_skipping"):
        said = case["input"]
        if "value" not in case.get("output", {}).get("kept_files", {}):
            continue
        schema = skipping_schema(said["schema"])
        files = index_rows(said["index_rows_sql"], schema)
        predicate: Any = attempt(lambda said=said, schema=schema: bind(parse_predicate(said["predicate"]), schema))  # type: ignore[misc]
        if predicate == REFUSED:  # a sub-query
            continue
        kept = {name for name, columns in files.items() if can_be(TRUE, predicate, SingleFile(columns))}
        theirs = set(case["output"]["kept_files"]["value"])
        for name in files:
            if name in theirs or name not in kept:  # keeping less is being tighter; the laws prove that nothing is lost
                continue
            asked.append(
                (case, skipping_question(said["predicate"], predicate, files[name], schema), "kept", "skipped")
            )
    return asked


def test_data_skipping_keeps_no_less_than_can_match_and_no_more_than_hudi() -> None:
    settle(skipping())


def skipping_question(sql: str, predicate: Predicate, columns: dict[int, Any], schema: Schema) -> dict[str, Any]:
    words = set(re.findall(r"\w+", sql))
    known = [columns.get(field.id) for field in schema.fields if field.name in words]
    return {
        "ask": "skipping",
        "unknown": any(each is None or each.low is None or each.high is None for each in known),
        "prefix": "like" in sql or "startswith" in sql,
        "not_monotone": any(part in sql for part in _NOT_MONOTONE),
        "opaque": bool(unknowns_of(predicate)) or not columns_only(predicate),
    }


def columns_only(predicate: Predicate) -> bool:
    """Whether no leaf asks for a function of a column."""
    if any(isinstance(term, Apply) for term in terms_of(predicate)):
        return False
    return all(columns_only(part) for part in parts_of(predicate))


def test_every_deviation_explains_a_difference() -> None:
    """A rule that no recorded answer needs any more is out of date."""
    asked = [*literals(), *orders(), *rows(), *skipping()]
    differing = [question for _, question, ours, theirs in asked if ours != theirs]
    needless = [rule.name for rule in DEVIATIONS if not any(map(rule.applies, differing))]
    assert not needless
