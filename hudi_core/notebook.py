"""Tables of HTML, as notebooks show objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), title: str = "") -> str:
    """A table of texts, under a line of heads and a title if there are any.

    >>> html_table([("a", "<1>")], title="t")
    '<table><caption>t</caption><tr><td>a</td><td>&lt;1&gt;</td></tr></table>'
    """
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    heads = f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>" if head else ""
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{caption}{heads}{body}</table>"
