"""What is refused changes nothing: every file of the table is what it was, byte by byte. META-232.

Held for writes of all kinds, schema changes, clusterings, index builds and drops, rollbacks, mending, locks and the creation of
tables.

Also covers: `index_builds/undo.py`.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.commit.lock import free_lock, table_lock
from hudi_core.errors import HudiError
from hudi_core.expr.build import col
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.validation.findings import Finding, Severity, rebuild
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("v", pa.int64()), ("s", pa.string()), ("ts", pa.int64())])
KINDS = [
    (kind, version, indexes)
    for kind, version in (("cow", 6), ("mor", 8), ("cow", 9), ("mor", 9))
    for indexes in (None, ("column_stats", "record_index"))
]


def batch(*keys: str, **columns: object) -> pa.Table:
    rows = [{"id": key[0], "p": key[1], "v": number, "s": f"s{number}", "ts": 1} for number, key in enumerate(keys)]
    given = pa.Table.from_pylist(rows, TYPES)
    for name, values in columns.items():
        given = (
            given.append_column(name, values)
            if name not in TYPES.names
            else given.set_column(TYPES.names.index(name), name, values)
        )
    return given


def contents(root: Path) -> dict[str, str]:
    """All files of a folder with digests of what they hold, and its folders."""
    return {
        path.relative_to(root).as_posix(): hashlib.md5(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in root.rglob("*")
    }


def damaged(table: Table) -> Table:
    """The table with base files that cannot be read."""
    for one in table.slices():
        if one.base is not None:
            path = Path(table.uri) / one.base.path
            path.write_bytes(b"PAR1" + bytes(path.stat().st_size - 8) + b"PAR1")
    return table.refresh()


def repeated(table: Table) -> Table:
    """The table with a key twice, in two partitions."""
    table.append(batch("ay"))
    return table.refresh()


def hide_record_index(folder: Path, write: Callable[[], object]) -> None:
    """Writes to a table while its properties do not name its record index, as a writer does that does not know it."""
    path = folder / ".hoodie/hoodie.properties"
    before = path.read_bytes()
    path.write_bytes(re.sub(rb"\nhoodie\.table\.(metadata\.partitions|checksum)=[^\n]*", b"", before))
    write()
    path.write_bytes(before)


Refused = Callable[[Table], object]
WRITES: dict[str, Refused] = {
    "an unknown operation": lambda table: table.write(batch("ax"), "merge"),
    "a null key": lambda table: table.upsert(batch("ax", "bx", id=pa.array(["a", None]))),
    "a type that does not fit": lambda table: table.upsert(batch("ax", v=pa.array([{"a": 1}]))),
    "text for numbers": lambda table: table.upsert(batch("ax", v=pa.array(["one"]))),
    "no key column": lambda table: table.upsert(batch("ax").drop(["id"])),
    "no partition column": lambda table: table.insert(batch("ax").drop(["p"])),
    "no rows at all": lambda table: table.upsert("nowhere.parquet"),
    "a path that leads out": lambda table: table.insert(batch("a.", p=pa.array([".."]))),
    "rows of two types": lambda table: table.upsert({"id": 1}),
    "delete by an unknown column": lambda table: table.delete(where="nothing = 1"),
    "delete without keys": lambda table: table.delete(batch("ax").select(["v"])),
    "update of a key": lambda table: table.update({"id": "z"}),
    "update of nothing": lambda table: table.update({}),
    "update to what does not fit": lambda table: table.update({"v": "'many'"}),
    "update beyond a type": lambda table: table.update({"v": col("v") * 1.5}),
    "update of an unknown column": lambda table: table.update({"w": 1}),
    "partitions that are not there": lambda table: table.delete_partitions(["x", "nowhere"]),
    "an option that is none": lambda table: table.upsert(batch("ax"), speed=1),
}
OTHERS: dict[str, Refused] = {
    "a change of nothing": lambda table: table.evolve("ALTER COLUMN v TYPE bigint"),
    "a change that is none": lambda table: table.evolve("ADD COLUMN"),
    "a column that is there": lambda table: table.evolve("ADD COLUMN v int"),
    "drop of the key": lambda table: table.evolve("DROP COLUMN id"),
    "a narrower type": lambda table: table.evolve("ALTER COLUMN v TYPE int"),
    "cluster by nothing": lambda table: table.cluster(columns=["nowhere"]),
    "cluster by too many": lambda table: table.cluster(columns=["v"] * 70, strategy="hilbert"),
    "cluster where nothing is": lambda table: table.cluster(columns=["v"], where="nowhere = 1"),
    "rollback of what is not there": lambda table: table.rollback("20200101000000000"),
    "rollback of what others build on": lambda table: table.rollback(table.timeline.commits[0].requested_time),
    "an index of no kind": lambda table: table.index("strange"),
    "an index of an unknown column": lambda table: table.index("column_stats", columns=["nowhere"], rebuild=True),
    "a secondary index of nothing": lambda table: table.index("secondary_index", columns=["nowhere"]),
    "an expression of nothing": lambda table: table.index("expression_index", columns=["s"], function="nothing"),
    "an expression of a zone": lambda table: table.index("expression_index", columns=["s"], function="hour"),
    "drop of no index": lambda table: table.drop_index("nowhere"),
    "clean without a policy": lambda table: table.clean(keep_commits=-1),
}
OF_SERVICES: dict[str, Refused] = {
    "savepoint of no write": lambda table: table.savepoint("20200101000000000"),
    "savepoint a second time": lambda table: table.savepoint(table.savepoints()[0].instant),
    "drop of no savepoint": lambda table: table.drop_savepoint("20200101000000000"),
    "restore to no savepoint": lambda table: table.restore("20200101000000000"),
    "restore to nothing": lambda table: table.restore(),
    "restore to a time without a savepoint": lambda table: table.restore(table.timeline.commits[-1].requested_time),
    "rollback of what a savepoint keeps": lambda table: table.rollback(table.savepoints()[0].instant),
    "archive of nothing": lambda table: table.archive(keep_min=-1),
    "archive of fewer than it keeps": lambda table: table.archive(keep_min=9, keep_max=3),
    "clean of hours and commits": lambda table: table.clean(keep_commits=3, keep_hours=2),
    "compact with a strange strategy": lambda table: table.compact(strategies="slowly"),
    "compact of no partition": lambda table: table.compact(target_partitions=-1),
    "compact by a count that asks for nothing": lambda table: table.compact(max_delta_commits=3),
    "compact of all partitions with a pattern": lambda table: table.compact(partition_pattern="x"),
    "cluster by a column twice": lambda table: table.cluster(columns=[table.schema.names[-1]] * 2),
    "cluster by nothing at all": lambda table: table.cluster(strategy="slowly"),
    "strange services": lambda table: table.run_services(["sweep"]),
    "services with a strange number": lambda table: table.run_services(properties={"hoodie.keep.min.commits": "x"}),
}
OF_DAMAGED: dict[str, Refused] = {
    "upsert": lambda table: table.upsert(batch("ax", "cy")),
    "upsert into a new partition too": lambda table: table.upsert(batch("ax", "en")),
    "overwrite of a partition": lambda table: table.overwrite_partitions(batch("ax")),
    "compact": lambda table: table.compact(),
    "services": lambda table: table.run_services(properties=CLUSTERING),
    "delete": lambda table: table.delete(batch("ax")),
    "delete by predicate": lambda table: table.delete(where="s LIKE '%1%'"),
    "update": lambda table: table.update({"v": 9}, where="s LIKE '%1%'"),
    "cluster": lambda table: table.cluster(columns=["v"]),
    "index": lambda table: table.index("bloom_filters"),
    "two indexes": lambda table: table.index("bloom_filters", "secondary_index", columns=["s"]),
    "expression index": lambda table: table.index("expression_index", columns=["s"], function="lower"),
}
CLUSTERING: dict[str, str] = {
    "hoodie.clustering.inline": "true",
    "hoodie.clustering.inline.max.commits": "1",
    "hoodie.clustering.plan.strategy.sort.columns": "v",
}
OF_REPEATED: dict[str, Refused] = {
    "record index": lambda table: table.index("record_index"),
    "secondary index": lambda table: table.index("secondary_index", columns=["s"]),
    "several": lambda table: table.index("column_stats", "record_index"),
}
OF_REBUILDS: dict[str, Refused] = {
    "files": lambda table: table.index("files", rebuild=True),
    "record index": lambda table: table.index("record_index", rebuild=True),
    "statistics and records": lambda table: table.index("column_stats", "record_index", rebuild=True),
    "a secondary index": lambda table: table.index("secondary_index", columns=["s"], rebuild=True),
    "another column": lambda table: table.index("secondary_index", columns=["v"], name="s", rebuild=True),
}
"""Builds of indexes that are there already, over rows that they cannot have."""
CASES: dict[str, dict[str, Refused]] = {
    "sound": WRITES | OTHERS | OF_SERVICES,
    "damaged": OF_DAMAGED,
    "repeated": OF_REPEATED,
}
STATES: dict[str, Callable[[Table], Table]] = {"sound": lambda table: table, "damaged": damaged, "repeated": repeated}


CREATIONS: dict[str, dict[str, object]] = {
    "where a table is": {},
    "with indexes where a table is": {"indexes": ["column_stats"]},
    "of strange indexes": {"indexes": ["strange"]},
    "without its key": {"key": "nowhere"},
    "of a strange kind": {"type": "fast"},
    "of a version that is not written": {"version": 7},
    "with an option that is none": {"options": {"hoodie.table.name": ""}, "partition_by": "nowhere"},
    "with a lock that a file system has not": {
        "options": {"hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.StorageBasedLockProvider"}
    },
}


@pytest.mark.parametrize("name", list(CREATIONS))
def test_a_refused_creation_leaves_every_byte(tmp_path: Path, name: str) -> None:
    """META-232, CREATE-6: beside a table, and where there is none."""
    given = {"key": "id", "partition_by": "p", **CREATIONS[name]}
    create_table(tmp_path / "t", TYPES, "id")
    before = contents(tmp_path)
    places = ["t"] if "where a table is" in name else ["t", "new"]
    for place in places:
        with pytest.raises(HudiError):
            create_table(tmp_path / place, TYPES, **given)  # type: ignore[arg-type]
        assert contents(tmp_path) == before


@pytest.mark.each_value
@pytest.mark.parametrize("state", ["damaged", "repeated"])
@pytest.mark.parametrize(("kind", "version"), [("cow", 8), ("mor", 9)])
def test_a_refused_rebuild_leaves_every_byte(tmp_path: Path, kind: str, version: int, state: str) -> None:
    """META-500: the old index stays."""
    source = tmp_path / "source"
    table = create_table(source, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version)
    table.upsert(batch("ax", "bx", "cy"))
    table = table.index("column_stats", "record_index").index("secondary_index", columns=["s"])
    if state == "damaged":
        damaged(table)
    else:
        hide_record_index(source, lambda: repeated(open_table(source)))
    before, changed = contents(source), {}
    for name, refused in OF_REBUILDS.items():
        path = tmp_path / "t"
        shutil.copytree(source, path)
        with pytest.raises(HudiError):
            refused(open_table(path))
        after = contents(path)
        differ = {key for key in {*after, *before} if after.get(key) != before.get(key)}
        if differ:
            changed[name] = sorted(differ)
        shutil.rmtree(path)
    assert changed == {}


@pytest.mark.each_value
@pytest.mark.parametrize("state", list(CASES))
@pytest.mark.parametrize(("kind", "version", "indexes"), KINDS)
def test_a_refused_operation_leaves_every_byte(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...] | None, state: str
) -> None:
    """META-232."""
    source = tmp_path / "source"
    table = create_table(
        source, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=indexes
    )
    table.upsert(batch("ax", "bx", "cy"))
    table.refresh().append(batch("dx"))
    table.refresh().upsert(batch("ax", "cy"))
    if state != "repeated":
        table.refresh().savepoint(table.refresh().timeline.commits[0].requested_time)
    STATES[state](table.refresh())
    before = contents(source)
    changed: dict[str, object] = {}
    for name, refused in CASES[state].items():
        path = tmp_path / "t"
        shutil.copytree(source, path)
        try:
            refused(open_table(path))
            changed[name] = "not refused"
        except HudiError:
            after = contents(path)
            differ = {key for key in {*after, *before} if after.get(key) != before.get(key)}
            if differ:
                changed[name] = sorted(differ)
        shutil.rmtree(path)
    assert changed == {}


MENDINGS: dict[str, Callable[[Table], object]] = {
    "over base files that cannot be read": lambda table: damaged(table),
    "of an index that nobody knows": lambda table: stated(table, "strange_index"),
    "of a version that is only read": lambda table: written_by(table, "5"),
}


def stated(table: Table, partition: str) -> None:
    """States a partition of the metadata table that there is not."""
    path = Path(table.uri) / ".hoodie/hoodie.properties"
    before = path.read_text("utf-8")
    path.write_text(re.sub(r"(\nhoodie\.table\.metadata\.partitions=)", rf"\1{partition},", before), "utf-8")


def written_by(table: Table, version: str) -> None:
    path = Path(table.uri) / ".hoodie/hoodie.properties"
    path.write_text(re.sub(r"(\nhoodie\.table\.version=)\d", rf"\g<1>{version}", path.read_text("utf-8")), "utf-8")


@pytest.mark.each_value
@pytest.mark.parametrize("name", list(MENDINGS))
@pytest.mark.parametrize("version", [6, 9])
def test_a_refused_mending_leaves_every_byte(tmp_path: Path, version: int, name: str) -> None:
    """VALID-20: leftovers of dead writes, which could be removed, stay too."""
    path = tmp_path / "t"
    table = create_table(path, TYPES, "id", partition_by="p", version=version, indexes=["column_stats"])
    table.upsert(batch("ax", "cy"))
    table = table.refresh()
    findings = [*leftover(path, table.timeline.commits[0].requested_time), broken(table)]
    MENDINGS[name](table)
    before = contents(tmp_path)
    with pytest.raises(HudiError):
        mend(open_table(path), findings)
    assert contents(tmp_path) == before


def leftover(path: Path, time: str) -> list[Finding]:
    """The findings of a folder of markers of a write that is over."""
    folder = path / f".hoodie/.temp/{time}"
    folder.mkdir(parents=True)
    (folder / "MARKERS.type").write_text("DIRECT")
    findings = [finding for finding in validate(open_table(path)) if finding.mending.removes]
    assert len(findings) == 1
    return findings


def broken(table: Table) -> Finding:
    """A finding that has the metadata table built again."""
    return Finding("column_stats", Severity.ERROR, table.uri, "one value", "another", rebuild("column_stats"))


def test_a_refused_unlock_leaves_every_byte(tmp_path: Path) -> None:
    """COMMIT-324: of a writer at work, and of another owner than the one that is named."""
    table = create_table(tmp_path / "t", TYPES, "id")
    with table_lock(table.storage):
        before = contents(tmp_path)
        for owner in (None, "nobody"):
            with pytest.raises(HudiError):
                free_lock(table.storage, owner)
            assert contents(tmp_path) == before
