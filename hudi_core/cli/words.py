"""Counts, sizes and times in words for people."""

from __future__ import annotations

from collections.abc import Sequence

from hudi_core.parallel.requests import Traffic


def size(count: int) -> str:
    """Bytes.

    >>> size(0), size(1536), size(3_197_413)
    ('0 B', '1.5 KiB', '3.0 MiB')
    """
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:,.1f} PiB"


def duration(seconds: float) -> str:
    """
    >>> duration(4.1e-5), duration(0.0051), duration(2.5)
    ('41 µs', '5.1 ms', '2.50 s')
    """
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def traffic(sums: Traffic) -> str:
    """
    >>> traffic(Traffic(12, 30_000, 2, 0.125))
    '12 requests of 29.3 KiB in 2 waves, 125.0 ms waited'
    """
    requests, waves = format_count(sums.requests, "request"), format_count(sums.waves, "wave")
    return f"{requests} of {size(sums.bytes)} in {waves}, {duration(sums.seconds)} waited"


def share(count: int, total: int) -> str:
    """A part in percent. Some is never 0 %, and not all is never 100 %.

    >>> share(1, 3), share(1, 1_000), share(999, 1_000), share(0, 0)
    ('33 %', '<1 %', '>99 %', '0 %')
    """
    part = 100 * count / total if total else 0.0
    if 0 < part < 1:
        return "<1 %"
    return ">99 %" if 99 < part < 100 else f"{part:.0f} %"


def shorten(text: str, most: int = 200) -> str:
    """A text of more than so many characters by its beginning and its end.

    >>> shorten("city IN ('a', 'b', 'c', 'd') AND fare > 3", 30)
    "city IN ('a', 'b', … AND fare > 3 (41 characters)"
    """
    if len(text) <= most:
        return text
    end = most // 2 - most // 10
    return f"{text[: most - end]} … {text[-end:]} ({len(text):,} characters)"


def fit_names(names: Sequence[str], most: int = 120) -> str:
    """Names with commas. Of names of more than so many characters, the first ones that fit, and the last one; each is whole.

    >>> fit_names(["id", "ts", "fare"]), fit_names([f"c{number}" for number in range(500)], 20)
    ('id, ts, fare', 'c0, c1, c2, … c499')
    """
    whole = ", ".join(names)
    if len(whole) <= most or len(names) < 3:
        return whole
    *first, last = names
    room = most - len(last) - 2
    kept: list[str] = []
    for name in first:
        room -= len(name) + 2
        if room < 0 and kept:
            break
        kept.append(name)
    return f"{', '.join(kept)}, … {last}" if len(kept) < len(first) else whole


def format_count(count: int, one: str, many: str = "") -> str:
    """
    >>> format_count(1, "row"), format_count(2_000, "row"), format_count(0, "partition")
    ('1 row', '2,000 rows', '0 partitions')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
