"""Times as they are typed."""

from __future__ import annotations

import pytest

from hudi_core.cli.times import seconds_of
from hudi_core.errors import UsageError


def test_times_are_read_and_others_refused() -> None:
    assert [seconds_of("--every", text) for text in ("30s", "10m", "1.5h", "1d", "7")] == [30, 600, 5400, 86400, 7]
    with pytest.raises(UsageError, match="--every: expected a time, as 30s, 10m, 1h or 1d, found 'soon'"):
        seconds_of("--every", "soon")
