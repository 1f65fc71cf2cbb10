"""`ServedTable`: an open table with its services as methods. Each method calls the function that does the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Unpack

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import UsageError
from hudi_core.front.keywords import (
    ArchiveKeywords,
    CleanKeywords,
    ClusterKeywords,
    CompactionKeywords,
    options_from,
)
from hudi_core.notebook import Listing
from hudi_core.schema.names import names
from hudi_core.table import table as opened
from hudi_core.table.open import refreshed

if TYPE_CHECKING:
    from hudi_core.cluster import operations as clustering
    from hudi_core.cluster import options as cluster_options
    from hudi_core.cluster.options import ClusterOptions
    from hudi_core.cluster.result import ClusterResult
    from hudi_core.engine import Runner
    from hudi_core.services.archiving import operations as archiving
    from hudi_core.services.archiving import options as archive_options
    from hudi_core.services.archiving.options import ArchiveOptions
    from hudi_core.services.archiving.result import ArchiveResult
    from hudi_core.services.cleaning import operations as cleaning
    from hudi_core.services.cleaning import options as clean_options
    from hudi_core.services.cleaning.options import CleanOptions
    from hudi_core.services.cleaning.result import CleanResult
    from hudi_core.services.compaction import operations as compaction
    from hudi_core.services.compaction import options as compaction_options
    from hudi_core.services.compaction.options import CompactionOptions
    from hudi_core.services.compaction.result import CompactionResult
    from hudi_core.services.upkeep import clustering as clustering_properties
    from hudi_core.services.upkeep import rounds
    from hudi_core.services.upkeep.services import ServiceName, ServiceRun
    from hudi_core.table import runners
else:
    # A table that is only read loads none of these.
    archive_options = ModuleByNeed("hudi_core.services.archiving.options")
    archiving = ModuleByNeed("hudi_core.services.archiving.operations")
    clean_options = ModuleByNeed("hudi_core.services.cleaning.options")
    cleaning = ModuleByNeed("hudi_core.services.cleaning.operations")
    cluster_options = ModuleByNeed("hudi_core.cluster.options")
    clustering_properties = ModuleByNeed("hudi_core.services.upkeep.clustering")
    clustering = ModuleByNeed("hudi_core.cluster.operations")
    compaction = ModuleByNeed("hudi_core.services.compaction.operations")
    compaction_options = ModuleByNeed("hudi_core.services.compaction.options")
    rounds = ModuleByNeed("hudi_core.services.upkeep.rounds")
    runners = ModuleByNeed("hudi_core.table.runners")


@dataclass(frozen=True, repr=False)
class ServedTable(opened.Table):
    """An open table and the services that keep it in order while others write to it.

    A `runner` runs the tasks of a service elsewhere, as `hudi_spark.SparkRunner` on Spark's executors. All services take
    `properties`, which are `hoodie.*` properties of services. They count before those of the table, and options by name count
    before both.
    """

    def run_services(
        self,
        only: Sequence[ServiceName | Literal["rollback", "compact", "log-compact", "cluster", "clean", "archive"]] = (),
        *,
        properties: Mapping[str, str] | None = None,
        seconds: float | None = None,
        bytes: int | None = None,
        memory: int | None = None,
        runner: Runner | None = None,
    ) -> list[ServiceRun]:
        """Runs the services that are due by the table's properties, or those of `properties`, in order; lists what each did.

        They are, unless `only` names some: rollback of writes that died, compaction, log compaction, clustering, clean and
        archive: as `hudi_core.run_services`. None is begun after so many `seconds`; compactions and clusterings
        read and write so many `bytes` at once, with so much `memory`. Writers may go on meanwhile.
        """
        given = properties or {}
        options = rounds.ServiceOptions(names(only, "only"), given, seconds=seconds, bytes=bytes, memory=memory)
        return Listing(rounds.run_services(runners.on_runner(self, runner), options))

    def cluster(
        self,
        options: ClusterOptions | None = None,
        *,
        properties: Mapping[str, str] | None = None,
        runner: Runner | None = None,
        **named: Unpack[ClusterKeywords],
    ) -> ClusterResult:
        """Rewrites rows in an order in which queries skip files: `cluster.operations.cluster`.

        For example `table.cluster(columns=["city", "fare"], strategy="hilbert")`. File groups that writers change while it
        runs are left as they are. What has no name here is read from `properties`, then from those of the table.
        """
        latest = refreshed(runners.on_runner(self, runner))
        if options is None:
            options = clustering_properties.options_on_request(properties, latest.config.properties)
        else:
            _refuse_both(properties)
        return clustering.cluster(latest, options_from(cluster_options.ClusterOptions, options, named))

    def clean(
        self, options: CleanOptions | None = None, *, runner: Runner | None = None, **named: Unpack[CleanKeywords]
    ) -> CleanResult:
        """Deletes old files that no query of a kept state needs: `services.cleaning.operations.clean`. The policy says which
        states are kept.

        For example `table.clean(keep_commits=10)`; with `dry_run=True` the result names the files, and nothing is deleted.
        """
        return cleaning.clean(runners.on_runner(self, runner), options_from(clean_options.CleanOptions, options, named))

    def compact(
        self,
        options: CompactionOptions | None = None,
        *,
        properties: Mapping[str, str] | None = None,
        runner: Runner | None = None,
        **named: Unpack[CompactionKeywords],
    ) -> CompactionResult:
        """Merges log files into base files, where the table is merge-on-read: `services.compaction.operations.compact`.

        For example `table.compact(if_due=True, max_delta_commits=10)`. A plan that waits is run before a new one is made.
        What has no name here is read from `properties`, then from those of the table. Raises `UsageError` for an option by name
        that has no effect, as `max_delta_commits` without `if_due`.
        """
        latest = refreshed(runners.on_runner(self, runner))
        kind = compaction_options.CompactionOptions
        if options is None:
            of_logs = bool(named.get("of_logs"))
            options = kind.on_request(properties, latest.config.properties, of_logs=of_logs)
        else:
            _refuse_both(properties)
        chosen = options_from(kind, options, named)
        idle = chosen.find_idle(named)
        if idle is not None:
            raise UsageError(idle[0], expected=f"{idle[1]} beside it, without which it has no effect", found="none")
        return compaction.compact(latest, chosen)

    def archive(self, options: ArchiveOptions | None = None, **named: Unpack[ArchiveKeywords]) -> ArchiveResult:
        """Takes old instants off the active timeline and puts them into the history: `services.archiving.operations.archive`.

        For example `table.archive(keep_min=20, keep_max=30)`; with `dry_run=True` the result names the instants, and nothing
        changes.
        """
        return archiving.archive(self, options_from(archive_options.ArchiveOptions, options, named))


def _refuse_both(properties: Mapping[str, str] | None) -> None:
    if properties is not None:
        raise UsageError("properties", expected="no properties beside `options`, whose fields all count", found="both")
