"""Answers compared with recorded ones: each is the same, or a deviation says why not; strict both ways."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hudi_core.errors import HudiError
from tests.conformance.deviations import Deviation, find

REFUSED = "refused"


class Ledger:
    """The questions that were answered otherwise without a rule, and the rules that applied without a difference."""

    def __init__(self, subject: str, deviations: Iterable[Deviation]) -> None:
        self._subject = subject
        self._deviations = tuple(deviations)
        self._wrong: dict[str, list[str]] = defaultdict(list)
        self._asked = 0

    def settle(self, case: Mapping[str, Any], question: Mapping[str, Any], ours: object, theirs: object) -> None:
        """Compares an answer with the recorded one."""
        self._asked += 1
        rule = find(self._deviations, self._subject, question)
        shown = f"{case['id']} {question['ask']}: ours {str(ours)[:200]}, theirs {str(theirs)[:200]}"
        if ours != theirs and rule is None:
            self._wrong["no deviation"].append(shown)
        if ours == theirs != REFUSED and rule is not None:
            self._wrong[f"needless: {rule.name}"].append(shown)

    def close(self) -> None:
        """Fails with all that was not settled."""
        assert self._asked
        assert not self._wrong, "\n".join(f"{why}\n    " + "\n    ".join(each) for why, each in self._wrong.items())


def attempt(call: Callable[[], object]) -> object:
    """The result, or that it was refused."""
    try:
        return call()
    except HudiError:
        return REFUSED
