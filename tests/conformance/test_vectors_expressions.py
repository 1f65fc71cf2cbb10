"""Expressions against what Apache Hudi does: literals, orders, binding, truth of rows, files kept by data skipping.

Not asked: printing, the list of operators, positional references, and rows shorter than their schema, which have no
counterpart here; texts of partition values, which are asked with the other paths.
"""

from __future__ import annotations

from decimal import Decimal
from functools import partial as partial_of
from typing import Any

from hudi_core.expr import nodes as n
from hudi_core.expr.bind import bind
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Opaque, Predicate
from hudi_core.expr.terms import constant
from hudi_core.rows.truth import RowQuestions
from hudi_core.schema.schema import Schema
from hudi_core.truth import FALSE, NULL, TRUE
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.order import equal, less
from hudi_plain.values import PlainValues
from tests.conformance.deviations.expressions import DEVIATIONS
from tests.conformance.deviations.skipping import decided_by_bounds
from tests.support.conformance import vectors
from tests.support.ledger import REFUSED, Ledger, attempt
from tests.support.single_file import SingleFile
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
from tests.support.vector_truth import both
from tests.support.witness import could_match, parts

_NAMES = {TRUE: True, FALSE: False, NULL: None}


def requested() -> Ledger:
    return Ledger("expressions", DEVIATIONS)


def of_kind(*operations: str) -> list[dict[str, Any]]:
    return [case for case in vectors("expressions") if case["op"] in operations]


def test_literals_have_the_type_of_their_value() -> None:
    ledger = requested()
    for case in of_kind("literal"):
        value = case["input"]["value"]
        theirs = case["output"]["type"].replace(", ", ",") if "output" in case else REFUSED
        ours = attempt(lambda value=value: type_text(constant(literal(value)).type))  # type: ignore[misc]
        ledger.settle(case, {"ask": "literal", "value": value}, ours, theirs)
    ledger.close()


def test_values_of_a_type_have_one_order() -> None:
    ledger = requested()
    for case in of_kind("compare"):
        answer = case["input"]
        of = persisted_type(answer["type"])
        theirs = (case["output"] > 0) - (case["output"] < 0) if "output" in case else REFUSED
        ours: object = REFUSED
        if answer["a"] is not None and answer["b"] is not None:
            left, right = value_in(answer["a"], of), value_in(answer["b"], of)
            ours = 0 if equal(left, right, of) else -1 if less(left, right, of) else 1
        ledger.settle(case, {"ask": "compare", **answer}, ours, theirs)
    ledger.close()


class Guarded(RowQuestions[Any, bool]):
    """A row of which something is not known: anything may be so."""

    def unknown(self, what: Opaque) -> bool:
        return True


def truth_of(predicate: Predicate, row: tuple[Any, ...], schema: Schema) -> object:
    requested = Guarded(PlainValues(), row, schema)
    possible = [outcome for outcome in (TRUE, FALSE, NULL) if can_be(outcome, predicate, requested)]
    return _NAMES[possible[0]] if len(possible) == 1 else "unknown"


def recorded_truth(result: dict[str, Any]) -> object:
    if "error" in result:
        return REFUSED
    return None if result["value"] is None else result["value"]["boolean"]


def test_binding_and_the_truth_of_rows() -> None:
    ledger = requested()
    for case in of_kind("eval"):
        answer, output = case["input"], case["output"]
        trees = list(subtrees(answer["expr"]))
        if any("bound" in tree for tree in trees) or (
            answer["bind"] == "none" and any("ref" in tree for tree in trees)
        ):
            continue  # places in rows, and names that were never bound, are no expressions here
        schema = schema_of(answer["schema"])
        seen = what_is_seen(answer, trees, schema)
        types = {field.name.lower(): field.type for field in schema.fields}
        case_sensitive, partial = answer.get("case_sensitive", True), answer["bind"] == "partial"
        settings = {"case_sensitive": case_sensitive, "partial": partial}
        bound = attempt(partial_of(bind_tree, answer["expr"], types, schema, settings))
        recorded = REFUSED if "bind_error" in output else "bound"
        ledger.settle(case, seen | {"ask": "bind"}, REFUSED if bound == REFUSED else "bound", recorded)
        if bound == REFUSED:
            continue
        for row, result in zip(answer["rows"], output.get("results", ()), strict=False):
            if len(row) != len(schema.fields):
                continue  # a row that is too short is no row of the schema
            values = tuple(value_in(value, field.type) for value, field in zip(row, schema.fields, strict=True))
            exact = [Decimal(v["decimal"]) if v and "decimal" in v else values[at] for at, v in enumerate(row)]
            known = row_of(trees, exact, answer["schema"], case_sensitive)
            question = seen | {"ask": "row", "both": both(answer["expr"], known)}
            ledger.settle(case, question, truth_of(bound, values, schema), recorded_truth(result))  # type: ignore[arg-type]
    ledger.close()


def what_is_seen(answer: dict[str, Any], trees: list[dict[str, Any]], schema: Schema) -> dict[str, Any]:
    """What the rules of deviation may ask of an expression."""
    case_sensitive = answer.get("case_sensitive", True)
    names = [field["name"] for field in answer["schema"]]
    clash = len({name.lower() for name in names}) < len(names)
    refs = [tree["ref"] for tree in trees if "ref" in tree]
    return {
        "tree": answer["expr"],
        "operators": [tree.get("op", "") for tree in trees],
        "partial": answer["bind"] == "partial",
        "unknown": [ref for ref in refs if not clash and schema.find((ref,), case_sensitive=case_sensitive) is None],
        "clash": clash and not case_sensitive,
        "ids": [field["id"] for field in answer["schema"]],
    }


def bind_tree(tree: dict[str, Any], types: dict[str, t.Type], schema: Schema, settings: dict[str, bool]) -> Predicate:
    return bind(expression(tree, types), schema, **settings)


def row_of(
    trees: list[dict[str, Any]], values: list[Any], columns: list[dict[str, Any]], case_sensitive: bool
) -> dict[str, tuple[str, Any]]:
    """The columns that a tree names: of each its type and value."""
    found = {}
    for ref in (tree["ref"] for tree in trees if "ref" in tree):
        exact = [at for at, column in enumerate(columns) if column["name"] == ref]
        alike = [at for at, column in enumerate(columns) if column["name"].lower() == ref.lower()]
        places = exact or ([] if case_sensitive else alike)
        if places:
            found[ref] = (columns[places[0]]["type"], values[places[0]])
    return found


def test_data_skipping_keeps_possible_matches_and_no_more_than_hudi() -> None:
    ledger = requested()
    for case in of_kind("data_skipping"):
        answer = case["input"]
        if "value" not in case.get("output", {}).get("kept_files", {}):
            continue  # no files were asked about
        schema = skipping_schema(answer["schema"])
        files = index_rows(answer["index_rows_sql"], schema)
        parsed: Any = attempt(lambda answer=answer: parse_predicate(answer["predicate"]))  # type: ignore[misc]
        bound: Any = (
            attempt(lambda parsed=parsed, schema=schema: bind(parsed, schema)) if parsed != REFUSED else REFUSED
        )  # type: ignore[misc]
        ledger.settle(
            case, {"ask": "planned", "sql": answer["predicate"]}, REFUSED if bound == REFUSED else "bound", "bound"
        )
        if bound == REFUSED:
            continue
        theirs = case["output"]["kept_files"]["value"]
        for name, columns in files.items():
            kept = "kept" if can_be(TRUE, bound, SingleFile(columns)) else "skipped"
            hudi = "kept" if name in theirs else "skipped"
            question = skipping_question(parsed, columns, schema, hudi)
            if kept != hudi and hudi == "kept" and not decided_by_bounds(question):
                assert question["could"] is False, (case["id"], name, "skipped, though a row could match")
                continue  # tighter than Apache Hudi where nothing is promised
            ledger.settle(case, question, kept, hudi)
    ledger.close()


def skipping_question(parsed: Any, columns: dict[int, Any], schema: Schema, hudi: str) -> dict[str, Any]:
    nodes = list(parts(parsed))
    names = {node.path[0].lower() for node in nodes if isinstance(node, n.Name)}
    known = [columns.get(field.id) for field in schema.fields if field.name.lower() in names]
    return {
        "ask": "skipping",
        "hudi": hudi,
        "could": could_match(parsed, columns, schema),
        "unknown": any(item is None or (item.values and None in (item.lower, item.upper)) for item in known),
        "patterns": [node.pattern for node in nodes if isinstance(node, n.Like)],
        "functions": {
            function_of(node, schema) for node in nodes if isinstance(node, n.Call | n.Cast) and names_in(node)
        },
        "columns": [len(names_in(node)) for node in nodes if isinstance(node, n.Compare)],
    }


def names_in(node: Any) -> set[tuple[str, ...]]:
    return {inner.path for inner in parts(node) if isinstance(inner, n.Name)}


def function_of(node: n.Call | n.Cast, schema: Schema) -> str:
    if isinstance(node, n.Call):
        pattern = node.arguments[-1]
        yearless = isinstance(pattern, n.Literal) and not str(pattern.value).startswith("yyyy")
        return "date_format without years" if node.function == "date_format" and yearless else node.function
    texts = any(
        isinstance(schema.get(".".join(path), case_sensitive=False).field.type, t.String) for path in names_in(node)
    )
    return "cast of text" if texts else "cast"
