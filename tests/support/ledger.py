"""Answers compared with recorded ones: each is the same, or that of the one deviation that applies; strict both ways."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest

from hudi_core.errors import HudiError
from tests.conformance.deviations import REFUSED, Deviation, applying
from tests.conformance.deviations.queries import QUERIES
from tests.support.conformance import TableEntry

__all__ = ["REFUSED", "Ledger", "Settled", "alike", "attempt", "perturbed", "settle_rows"]


@dataclass(frozen=True)
class Settled:
    """A question with both answers, and what is wrong with ours."""

    subject: str
    case: str
    question: Mapping[str, Any]
    ours: object
    theirs: object
    rules: tuple[Deviation, ...]

    @property
    def wrong(self) -> str | None:
        """Why our answer is not right; None where it is."""
        return self.judged(self.ours)

    def judged(self, answer: object) -> str | None:
        """Why this answer would not be right in the place of ours."""
        if not self.rules:
            return None if alike(answer, self.theirs) else "no deviation"
        if len(self.rules) > 1:
            return f"several rules: {', '.join(rule.name for rule in self.rules)}"
        (rule,) = self.rules
        if alike(self._expected, self.theirs):
            return f"needless: {rule.name}"
        return None if alike(answer, self._expected) else f"not the answer of {rule.name}: {_shown(self._expected)}"

    @cached_property
    def _expected(self) -> object:
        return self.rules[0].expected({**self.question, "theirs": self.theirs})


class Ledger:
    """The questions of a test, with both answers."""

    def __init__(self, subject: str, deviations: Iterable[Deviation]) -> None:
        self._subject = subject
        self._deviations = tuple(deviations)
        self.settled: list[Settled] = []

    def settle(self, case: Mapping[str, Any], question: Mapping[str, Any], ours: object, theirs: object) -> None:
        """Notes an answer beside the recorded one."""
        rules = tuple(applying(self._deviations, self._subject, question))
        self.settled.append(Settled(self._subject, case["id"], question, ours, theirs, rules))

    def close(self) -> None:
        """Fails with every wrong answer, and with every rule that would have taken another answer for a right one."""
        if not self.settled:
            pytest.skip("nothing of this kind is recorded")
        wrong: dict[str, list[str]] = defaultdict(list)
        for item in self.settled:
            if (why := item.wrong) is not None:
                wrong[why].append(_line(item))
            elif item.rules:
                wrong[f"takes anything: {item.rules[0].name}"] += [
                    f"{_line(item)}, or {_shown(other)}" for other in perturbed(item) if item.judged(other) is None
                ]
        reported = {why: lines for why, lines in wrong.items() if lines}
        assert not reported, "\n".join(f"{why}\n    " + "\n    ".join(lines) for why, lines in reported.items())


def perturbed(settled: Settled) -> Iterator[object]:
    """Answers that are not ours: garbage, Apache Hudi's, and ours with one change."""
    yield object()
    yield settled.theirs
    for other in (REFUSED, None, True, False):
        if not alike(other, settled.ours):
            yield other
    match settled.ours:
        case dict() as parts:
            yield from ({key: part for key, part in parts.items() if key != gone} for gone in parts)
        case list() | tuple() as parts:
            yield from (type(parts)((*parts[:at], object(), *parts[at + 1 :])) for at in range(len(parts)))
        case str() as text:
            yield f"{text}?"


def alike(a: object, b: object) -> bool:
    """Whether two answers are the same: of one type, NaN like NaN, 0.0 unlike -0.0, fields and keys in whatever order."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return (
            isinstance(a, list) is isinstance(b, list)
            and len(a) == len(b)
            and all(alike(one, other) for one, other in zip(a, b, strict=True))
        )
    if isinstance(a, float) and isinstance(b, float):
        return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, bool | int | float) or isinstance(b, bool | int | float):
        return type(a) is type(b) and a == b
    return bool(a == b)


def settle_rows(entry: TableEntry, ask: str, ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> None:
    """Fails unless the rows of a query (`ask`) are the recorded ones, or those that a deviation declares; in no order."""
    ledger = Ledger("queries", QUERIES)
    question = {"ask": ask, "table": entry.expected, "shown": theirs, "form": _in_order}
    ledger.settle({"id": entry.name}, question, _in_order(ours), _in_order(theirs))
    ledger.close()


def _in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def _line(settled: Settled) -> str:
    requested = settled.question["ask"]
    return f"{settled.case} {requested}: ours {_shown(settled.ours)}, theirs {_shown(settled.theirs)}"


def _shown(answer: object) -> str:
    return str(answer)[:200]


def attempt(call: Callable[[], object]) -> object:
    """The result, or that it was refused."""
    try:
        return call()
    except HudiError:
        return REFUSED
