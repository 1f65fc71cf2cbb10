"""Makes the table of pairs in `docs/guides/concurrency.md` from the product's: `python -m tests.support.pairs_page`."""

from __future__ import annotations

from pathlib import Path

from hudi_core.transactions.pairs import PAIRS

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "concurrency.md"
_BEGIN, _END = "<!-- pairs: made by tests.support.pairs_page -->\n", "<!-- end of pairs -->\n"


def pairs_table() -> str:
    """The table as Markdown."""
    head = "| first | second | what they share | what happens | Apache Hudi 1.2 | rules |\n|---|---|---|---|---|---|\n"
    return head + "".join(
        f"| {pair.first} | {pair.second} | {pair.meeting.value} | {f'{pair.outcome.value} {pair.why}'.strip()} "
        f"| {pair.hudi} | {', '.join(pair.rules)} |\n"
        for pair in PAIRS
    )


def with_table(page: str) -> str:
    """A page with its table made anew. Raises ValueError where it has no place for it."""
    before, after = page.index(_BEGIN) + len(_BEGIN), page.index(_END)
    return f"{page[:before]}\n{pairs_table()}\n{page[after:]}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
