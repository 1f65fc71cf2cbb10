"""Modules that moved can still be imported from where version 0.2 had them.

Also covers: `writing/index_plan.py`.
"""

from __future__ import annotations

from hudi_core.index_builds import build
from hudi_core.index_kinds import build_plan
from hudi_core.writing import index_build, index_plan


def test_the_former_modules_hold_the_same_objects() -> None:
    assert index_build.build_indexes is build.build_indexes
    assert index_build.build_metadata_table is build.build_metadata_table
    assert index_plan.IndexOptions is build_plan.IndexOptions
