"""The bloom filter of a base file as its footer has it, for records of `bloom_filters`."""

from __future__ import annotations

from typing import Final

from hudi_core.engine import Footer
from hudi_core.metadata_rows.rows import FileFilter
from hudi_core.planning.sources.file_filters import text_in_footer

_FILTER_KIND: Final = "hoodie_bloom_filter_type_code"


def footer_filter(partition: str, name: str, footer: Footer | None) -> FileFilter | None:
    """The filter that a footer has; None where it has none, or there is no footer."""
    content = text_in_footer(footer)
    if footer is None or content is None:
        return None
    return FileFilter(partition, name, footer.metadata.get(_FILTER_KIND, "SIMPLE"), content)
