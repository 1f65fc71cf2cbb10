"""Records at the edge."""

from __future__ import annotations

import dataclasses

import pytest

from hudi_core.keys.records import HoodieKey, HoodieRecord, HoodieRecordGlobalLocation, HoodieRecordLocation


def test_keys_of_equal_parts_are_one_key() -> None:
    assert len({HoodieKey("a", "p"), HoodieKey("a", "p"), HoodieKey("a", "q")}) == 2


def test_a_key_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        HoodieKey("a", "p").record_key = "b"  # type: ignore[misc]


def test_a_global_location_has_its_local_one() -> None:
    location = HoodieRecordGlobalLocation("2024/01", "20240101000000000", "f-0", 7)
    assert location.local == HoodieRecordLocation("20240101000000000", "f-0", 7)


def test_a_record_without_data_is_a_delete_of_its_key() -> None:
    record = HoodieRecord(HoodieKey("a", ""), None)
    assert record.data is None and record.current_location is None and record.ordering == ()
