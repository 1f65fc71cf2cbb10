"""Rules with numbers: each stands in `specs/` once and is cited by a case or a test; each citation names a rule that exists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPECS = sorted(ROOT.glob("specs/*.md"))
DEFINED = [
    number
    for spec in SPECS
    for number in re.findall(r"^(?:- )?\*\*([A-Z]+-[1-9][0-9]*)\*\*", spec.read_text("utf-8"), re.MULTILINE)
]
PROOFS = [*sorted(ROOT.glob("specs/cases/*.jsonl")), *sorted(ROOT.glob("tests/**/*.py"))]
WRITTEN = sorted(
    path
    for pattern in ("hudi_core/**/*.py", "engines/**/*.py", "tests/**/*.py", "docs/**/*.md", "specs/**/*", "*.md")
    for path in ROOT.glob(pattern)
    if path.is_file()
)
_CITED = re.compile(
    rf"\b({'|'.join(sorted({number.split('-')[0] for number in DEFINED}))})-(\d+)(?:\s+to\s+(?:\1-)?(\d+))?\b"
)


def citations(text: str) -> Iterator[str]:
    """The rules that a text cites, one by one or as a run ("KEY-1 to KEY-6")."""
    for subject, first, last in _CITED.findall(text):
        yield from (f"{subject}-{number}" for number in range(int(first), int(last or first) + 1))


def test_citations_are_single_rules_and_runs() -> None:
    assert list(citations("Rules KEY-1, KEY-3 to\n KEY-5; see META-20 to 22.")) == [
        "KEY-1", "KEY-3", "KEY-4", "KEY-5", "META-20", "META-21", "META-22"
    ]  # fmt: skip
    assert list(citations("UTF-8 and SHA-256 and MONKEY-1")) == []


def test_every_number_is_given_once() -> None:
    assert len(DEFINED) > 300
    assert [number for number, times in Counter(DEFINED).items() if times > 1] == []


def test_every_rule_is_cited_by_a_case_or_a_test() -> None:
    cited = {number for path in PROOFS if path != Path(__file__) for number in citations(path.read_text("utf-8"))}
    assert [number for number in DEFINED if number not in cited] == []


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_citation_names_a_rule(path: Path) -> None:
    assert [number for number in citations(path.read_text("utf-8")) if number not in DEFINED] == []
