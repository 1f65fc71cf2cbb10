"""Where we differ from Apache Hudi on purpose: rules on a question's input, each with our answer and the reason.

Our answer is compared with what the rule computes. The rules are strict both ways: a difference needs a rule that applies, a rule
that applies needs a difference, and of all rules of a subject exactly one applies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Question = Mapping[str, Any]
"""One question of a vector case: its input, and what the test made of it. Never its id.

`expected` sees Apache Hudi's answer beside it, under `theirs`; `applies` does not.
"""

REFUSED = "refused"
"""The answer to bad input: one error, whatever it says."""


@dataclass(frozen=True)
class Deviation:
    """One rule. `docs/differences.md` is made from `ours` and `reason`."""

    subject: str
    name: str
    applies: Callable[[Question], bool]
    expected: Callable[[Question], object]
    """Our answer, made from the question and never by the code that is tested."""

    ours: str
    reason: str


def always(answer: object) -> Callable[[Question], object]:
    """The same answer to every question."""
    return lambda _: answer


refused = always(REFUSED)


def applying(deviations: Iterable[Deviation], subject: str, question: Question) -> list[Deviation]:
    """The rules of the subject that apply to the question: at most one, where rules are well cut."""
    return [rule for rule in deviations if rule.subject == subject and rule.applies(question)]
