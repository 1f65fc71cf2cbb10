"""What comes after a write where properties ask for it: the services of the table. Rules UPKEEP-467, UPKEEP-1631."""

from __future__ import annotations

from collections.abc import Callable
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


def serve(table: Table, options: WriteOptions | None, write: Callable[[], WriteResult]) -> WriteResult:
    """Writes, and returns the result after the services that the table's properties or the writer's ask for.

    Nothing runs after a write that committed nothing. Raises `UsageError` before the write for properties of the writer that no
    service could go by, and what a service raises; the write is complete then.
    """
    properties = {} if options is None else options.properties
    asks = write_properties.asks_for_services(properties, table.config.properties)
    if asks:
        inline.refuse_unusable_request(table, properties)
    result = write()
    if asks and result.instant is not None:
        inline.run_inline(table, properties)
    return result
