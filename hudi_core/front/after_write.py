"""What comes after a write where properties ask for it: the services of the table. Rule UPKEEP-467."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hudi_core.by_need import ModuleByNeed
from hudi_core.table.table import Table

if TYPE_CHECKING:
    from hudi_core.services.upkeep import inline
    from hudi_core.writing import write_properties
    from hudi_core.writing.operation import WriteOptions
    from hudi_core.writing.result import WriteResult
else:
    inline = ModuleByNeed("hudi_core.services.upkeep.inline")
    write_properties = ModuleByNeed("hudi_core.writing.write_properties")


def serve(table: Table, result: WriteResult, options: WriteOptions | None) -> WriteResult:
    """Returns the result of a write, after the services that the table's properties or the writer's ask for.

    Nothing runs after a write that committed nothing. Raises what a service raises; the write is complete then.
    """
    properties = {} if options is None else options.properties
    if result.instant is not None and write_properties.asks_for_services(properties, table.config.properties):
        inline.run_inline(table, properties)
    return result
