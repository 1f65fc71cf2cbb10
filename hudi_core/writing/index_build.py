"""The former place of `hudi_core.index_builds.build`, kept for callers of version 0.2."""

from hudi_core.index_builds.build import build_indexes, build_metadata_table

__all__ = ["build_indexes", "build_metadata_table"]
