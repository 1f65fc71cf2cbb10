"""Where we differ from Apache Hudi on purpose: rules on a question's input, each with our answer and the reason.

`find` is strict both ways: a difference needs a rule that applies, and a rule that applies needs a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Question = Mapping[str, Any]
"""One question of a vector case: its input, and what the test made of it. Never its id."""


@dataclass(frozen=True)
class Deviation:
    """One rule. `docs/differences.md` is made from `ours` and `reason`."""

    subject: str
    name: str
    applies: Callable[[Question], bool]
    ours: str
    reason: str


def find(deviations: Iterable[Deviation], subject: str, question: Question) -> Deviation | None:
    """The first rule of the subject that applies to the question."""
    return next((rule for rule in deviations if rule.subject == subject and rule.applies(question)), None)
