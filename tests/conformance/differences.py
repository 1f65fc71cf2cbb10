"""Makes `docs/differences.md` from the declared deviations: `python -m tests.conformance.differences`."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from tests.conformance import deviations
from tests.conformance.deviations import Deviation

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"
_HEAD = """# Where we differ from Apache Hudi

Made from the rules in `tests/conformance/deviations/`, which the conformance tests hold to be true: a difference needs a rule,
and a rule needs a difference. Each rule is about a kind of input, never about one case. What other libraries do otherwise:
[beside hudi-rs](versions.md#beside-hudi-rs).
"""


def declared() -> list[Deviation]:
    """Every declared deviation, each once, in the order of their files."""
    found: dict[tuple[str, str], Deviation] = {}
    for module in pkgutil.iter_modules(deviations.__path__):
        names = vars(importlib.import_module(f"{deviations.__name__}.{module.name}"))
        for value in names.values():
            for item in value if isinstance(value, tuple | list) else ():
                if isinstance(item, Deviation):
                    found.setdefault((item.subject, item.name), item)
    return list(found.values())


def page() -> str:
    """The page's text."""
    lines = [_HEAD]
    rules = declared()
    for subject in dict.fromkeys(rule.subject for rule in rules):
        lines += [f"## {subject.replace('_', ' ').capitalize()}\n", "| input | here | why |", "|---|---|---|"]
        for rule in rules:
            if rule.subject == subject:
                cells = (rule.name, rule.ours, rule.reason)
                lines.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
