"""The former place of `hudi_core.index_kinds.build_plan.IndexOptions`, kept for callers of version 0.2."""

from hudi_core.index_kinds.build_plan import IndexOptions

__all__ = ["IndexOptions"]
