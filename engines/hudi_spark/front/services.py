"""Services and index builds of a table whose tasks run on executors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self, Unpack

from pyspark.sql import SparkSession

from hudi_core.front.keywords import CleanKeywords, ClusterKeywords, CompactionKeywords, IndexKeywords, IndexName
from hudi_core.front.table import Table as FrontTable
from hudi_core.table.table import Table
from hudi_spark.runner import SparkRunner

if TYPE_CHECKING:
    from hudi_core.cluster.result import ClusterResult
    from hudi_core.services.cleaning.result import CleanResult
    from hudi_core.services.compaction.result import CompactionResult
    from hudi_core.services.upkeep.services import ServiceName, ServiceRun
    from hudi_core.validation.findings import Finding


class ServicesOnExecutors:
    """Services with the names, options and results that they have on a table of `hudi_core`; tasks read and write on executors,
    and the driver commits. Options are given by name."""

    spark: SparkSession
    table: Table

    def compact(self, **named: Unpack[CompactionKeywords]) -> CompactionResult:
        """Merges log files into base files, with `of_logs=True` into fewer log files."""
        return self._served.compact(runner=self._runner, **named)

    def cluster(self, **named: Unpack[ClusterKeywords]) -> ClusterResult:
        """Rewrites rows in an order in which queries skip files. The rows move between executors."""
        return self._served.cluster(runner=self._runner, **named)

    def clean(self, **named: Unpack[CleanKeywords]) -> CleanResult:
        """Deletes files that no query needs which the policy promises."""
        return self._served.clean(runner=self._runner, **named)

    def index(self, *kinds: IndexName, **named: Unpack[IndexKeywords]) -> Self:
        """Builds indexes from the table's files. Their records move between executors. Returns the table with them."""
        self._served.index(*kinds, runner=self._runner, **named)
        return self.refresh()

    def run_services(self, only: Sequence[ServiceName] = (), **named: Any) -> list[ServiceRun]:
        """Runs the services that are due by the table's properties."""
        return self._served.run_services(only, runner=self._runner, **named)

    def validate(self, only: Sequence[str] | None = None) -> Iterator[Finding]:
        """Checks the consistency of the table. Executors read its files."""
        return self._served.validate(only, runner=self._runner)

    def refresh(self) -> Self:
        """The table with the commits that were made since."""
        raise NotImplementedError

    @property
    def _served(self) -> FrontTable:
        return FrontTable.from_opened(self.table)

    @property
    def _runner(self) -> SparkRunner:
        return SparkRunner(self.spark)
