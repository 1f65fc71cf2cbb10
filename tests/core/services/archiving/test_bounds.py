"""What stays on a timeline. What needs a whole table is held in `test_operations.py`."""

from __future__ import annotations

from datetime import UTC

from hudi_core.options import table_config
from hudi_core.services.archiving.bounds import compaction_bounds, find_kept_numbers, pending_bounds
from hudi_core.services.archiving.options import ArchiveOptions, archive_settings
from hudi_core.timeline.timeline import Timeline, timeline_in
from tests.support.memory import Memory


def timeline(*names: str, layout: int = 2) -> Timeline:
    whole = timeline_in(Memory({f"t/{name}": b"" for name in names}), "t", layout)
    return Timeline(whole.storage, whole.folder, layout, whole.instants, zone=UTC)


COMMITS = ("10_11.commit", "20_21.commit", "30_31.commit")


def test_what_is_pending_holds_the_write_before_it() -> None:
    """ARCHIVE-382."""
    assert list(pending_bounds(timeline(*COMMITS))) == []
    for pending in ("25.inflight", "25.compaction.requested", "25.logcompaction.requested", "25.indexing.requested"):
        assert [bound.time for bound in pending_bounds(timeline(*COMMITS, pending))] == ["20"]
    assert [bound.time for bound in pending_bounds(timeline(*COMMITS, "05.inflight"))] == ["05"]
    assert list(pending_bounds(timeline(*COMMITS, "25.clean.requested", "25.rollback.inflight"))) == []


def test_delta_commits_that_a_compaction_counts_stay() -> None:
    """ARCHIVE-383."""
    deltas = ("10_11.deltacommit", "20_21.deltacommit", "30_31.deltacommit")
    assert [bound.time for bound in compaction_bounds(timeline(*deltas), 5)] == ["10"]
    assert [bound.time for bound in compaction_bounds(timeline(*deltas), 2)] == ["20"]
    late = (*deltas, "25_26.commit", "24_40.deltacommit")
    assert [bound.time for bound in compaction_bounds(timeline(*late), 5)] == ["25"]
    assert [bound.time for bound in compaction_bounds(timeline(*late), 2)] == ["24"]
    assert list(compaction_bounds(timeline(), 2)) == []


def test_more_stay_where_a_clean_retains_more() -> None:
    """ARCHIVE-381."""
    days = [f"202401{day:02}120000000" for day in range(1, 9)]
    whole = timeline(*(f"{day}.commit" for day in days), layout=1)
    config = table_config({"hoodie.table.name": "t", "hoodie.table.version": "6"})

    def numbers(**properties: str) -> tuple[int, int]:
        stated = {f"hoodie.clean.{name}.retained": text for name, text in properties.items()}
        options = ArchiveOptions(keep_min=2, keep_max=4, properties=stated)
        return find_kept_numbers(whole, archive_settings(config, options))

    assert numbers(commits="1") == (2, 4)
    assert numbers(commits="5") == (6, 8)
    assert numbers(commits="9") == (2, 4)
    assert numbers(hours="72") == (5, 7)
    assert numbers(fileversions="1") == (2, 4)
    assert find_kept_numbers(timeline(), archive_settings(config, ArchiveOptions())) == (20, 30)
