"""Log files: whole blocks to the end, and each can be read. Rule VALID-14."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hudi_core.validation.contents import ContentCheck, FileFacts, KeyWatch
from hudi_core.validation.findings import Finding, Severity, by_hand, problem
from hudi_core.validation.subject import Subject

LOGS: Final = "logs"
_LOST: Final = by_hand("restore the file from a copy, or write again what its commit wrote")


@dataclass(frozen=True)
class Logs(ContentCheck):
    """The check of log files."""

    subject: Subject

    def take(self, facts: FileFacts, watch: KeyWatch | None) -> Iterator[Finding]:
        if not facts.file.is_log:
            return
        if facts.problem is not None:
            yield problem(LOGS, self.subject.root, facts.problem, _LOST)
        for offset, length in facts.damaged:
            # In layout 1 a writer that died left a part of a block, behind which others went on, or which has a file of its own.
            passed_by = self.subject.table.timeline.layout == 1 and offset < facts.last_block
            severity = Severity.WARNING if passed_by or facts.is_whole else Severity.ERROR
            where = f"{facts.file.info.path}, from byte {offset:,} on"
            yield Finding(LOGS, severity, where, "a whole block", f"{length:,} bytes that are none", _LOST)
