"""Schema changes, promotion and reconciliation against what Apache Hudi does.

Each case asks several questions; each is answered alike, or a deviation says why not. Not asked are Hudi's own means to its
ends: whether its rewriting is needed, its rename maps and merged schemas (what they are for, the rows and the stored names,
is asked), its strict projections, and Avro's own checker.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from hudi_core.errors import SchemaError
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import AlterType
from hudi_core.evolve.compat import incompatibilities
from hudi_core.evolve.reconcile import Match, reconcile
from hudi_core.schema.json import schema_to_json
from hudi_core.schema.schema import Schema
from tests.conformance.deviations import find
from tests.conformance.deviations.evolution import DEVIATIONS
from tests.support.conformance import vectors
from tests.support.plans import apply_plan
from tests.support.vector_schemas import holding, persisted_type, schema_of, stepped, type_of
from tests.support.vector_values import decode

REFUSED = "refused"


class Ledger:
    """The questions that were answered otherwise without a rule, and the rules that applied without a difference."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.wrong: dict[str, list[str]] = defaultdict(list)
        self.asked = 0

    def settle(self, case: dict[str, Any], question: dict[str, Any], ours: object, theirs: object) -> bool:
        """Whether the answers are the same."""
        self.asked += 1
        rule = find(DEVIATIONS, self.subject, question)
        same = repr(ours) == repr(theirs)
        shown = f"{case['id']}: ours {str(ours)[:150]}, theirs {str(theirs)[:150]}"
        if not same and rule is None:
            self.wrong["no deviation"].append(shown)
        if same and rule is not None and ours != REFUSED:
            self.wrong[f"needless: {rule.name}"].append(shown)
        return same

    def close(self) -> None:
        assert self.asked
        assert not self.wrong, "\n".join(f"{why}\n    " + "\n    ".join(shown) for why, shown in self.wrong.items())


def attempt(call: Callable[[], object]) -> object:
    try:
        return call()
    except SchemaError:
        return REFUSED


def test_schema_changes_answer_like_hudi_or_deviate_with_a_reason() -> None:
    ledger = Ledger("schema_changes")
    for case in vectors("schema_changes"):
        schema = schema_of({"avro": case["input"]["avro"]})
        for step, result in zip(case["input"]["changes"], case["output"]["steps"], strict=False):
            question = {"ask": "step", "schema": schema, "step": step}
            if step["op"] == "type":
                question["type"] = persisted_type(step["type"])
            ours = attempt(lambda schema=schema, step=step: stepped(schema, step))
            theirs = result.get("value", REFUSED)
            document = json.loads(schema_to_json(ours).value) if isinstance(ours, Schema) else ours
            if not ledger.settle(case, question, document, theirs) or not isinstance(ours, Schema):
                break
            schema = ours
    ledger.close()


def test_promotions_answer_like_hudi_or_deviate_with_a_reason() -> None:
    ledger = Ledger("type_promotion")
    for case in vectors("type_promotion"):
        from_, to = type_of(case["input"]["from"]), type_of(case["input"]["to"])
        for ask, about, ours, theirs in promotion_questions(case, from_, to):
            ledger.settle(case, {"ask": ask, "from": from_, "to": to, **about}, ours, theirs)
    ledger.close()


def promotion_questions(
    case: dict[str, Any], from_: Any, to: Any
) -> Iterator[tuple[str, dict[str, Any], object, object]]:
    output = case["output"]
    changed = attempt(lambda: bool(evolve(holding(from_, optional=True), [AlterType("f", to)])))
    yield "alter", {}, changed, REFUSED if "error" in output["update_column_type"] else True
    if "compat" not in output:
        return
    compat = output["compat"]
    reasons = incompatibilities(holding(to).record, holding(from_).record)
    ours = [(reason.kind.name, reason.location) for reason in reasons]
    yield "check", {}, ours, checked(compat["checker"])
    yield "check", {}, bool(ours), not compat["is_schema_compatible"].get("value", False)
    yield "check", {}, bool(ours), "error" in compat["check_valid_evolution"]
    plan = attempt(lambda: reconcile(holding(from_), holding(to), Match.NAME))
    yield "covers", {}, plan != REFUSED, compat["is_compatible_projection"]["value"]
    for value in output["values"]:
        stored = decode(value["in"], from_)
        if stored is None:
            continue
        rewritten, encoded = value["rewrite_with_new_schema"], value.get("encodes", {})
        theirs = REFUSED if "error" in rewritten or "error" in encoded else decode(rewritten["value"], to)
        found = REFUSED if plan == REFUSED else attempt(lambda stored=stored: apply_plan(plan, (1, stored))[1])
        yield "value", {"value": stored}, found, theirs


def checked(answer: dict[str, Any]) -> object:
    if "error" in answer:
        return REFUSED
    return [(reason["kind"], reason["location"]) for reason in answer["value"]["incompatibilities"]]
