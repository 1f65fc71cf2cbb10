"""Counts, sizes and times in words."""

from __future__ import annotations

import pytest

from hudi_core.cli.words import duration, fit_names, format_count, share, size


@pytest.mark.parametrize(("count", "answer"), [(1023, "1023 B"), (1024, "1.0 KiB"), (5 * 2**50, "5.0 PiB")])
def test_sizes(count: int, answer: str) -> None:
    assert size(count) == answer


@pytest.mark.parametrize(
    ("seconds", "answer"), [(0.0, "0 µs"), (0.00099, "990 µs"), (0.5, "500.0 ms"), (61.0, "61.00 s")]
)
def test_durations(seconds: float, answer: str) -> None:
    assert duration(seconds) == answer


@pytest.mark.parametrize(("count", "answer"), [(0, "0 %"), (1, "<1 %"), (500, "50 %"), (999, ">99 %"), (1000, "100 %")])
def test_shares_of_a_thousand(count: int, answer: str) -> None:
    assert share(count, 1000) == answer


def test_counts_agree_in_number() -> None:
    assert format_count(1, "file") == "1 file"
    assert format_count(0, "entry", "entries") == "0 entries"


@pytest.mark.parametrize("most", [5, 30, 60, 200])
def test_names_that_do_not_fit_are_left_out_whole(most: int) -> None:
    """CLI-1351."""
    names = [f"a_long_name_{number}" for number in range(12)]
    shown = fit_names(names, most)
    parts = shown.replace(", … ", ", ").split(", ")
    assert set(parts) <= set(names)
    assert (parts[0], parts[-1]) == (names[0], names[-1])
    assert ("…" in shown) == (parts != names)
