"""The latest slices, found for all file groups at once, are those that the rule gives for one group after the other."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from hudi_core.engine import FileInfo
from hudi_core.formats.names import BaseFileName, LogFileName, parse_base_file, parse_log_file
from hudi_core.timeline.files import files_in
from hudi_core.timeline.slice_building import Visibility, latest_slices
from hudi_core.timeline.slices import FileSlice

_TIMES = [str(time) for time in range(10, 20)]
_TOKENS = st.sampled_from(["0-1-2", "1-1-2"])
_IDS = st.sampled_from(["f-0", "f-1", "é"])
_NAMES = (
    st.builds("{}_{}_{}.parquet".format, _IDS, _TOKENS, st.sampled_from(_TIMES))
    | st.builds(".{}_{}.log.{}_{}".format, _IDS, st.sampled_from(_TIMES), st.sampled_from([1, 2, 10]), _TOKENS)
    | st.sampled_from([".f-0_12.log.1_0-1-2.cdc", ".hoodie_partition_metadata", ".f-1_13.log.3", "x.crc"])
)
_FOLDERS = st.dictionaries(st.sampled_from(["", "p", "q"]), st.lists(_NAMES, max_size=8, unique=True))


@st.composite
def _visible(draw: st.DrawFn) -> Visibility:
    """Some instants are completed, at once or while others began; some of the others are compactions to come."""
    lasted = draw(st.dictionaries(st.sampled_from(_TIMES), st.sampled_from([0, 1, 3, 6])))
    pending = draw(st.sets(st.sampled_from(_TIMES), max_size=3)) - lasted.keys()
    replaced = draw(st.sets(st.tuples(st.sampled_from(["", "p", "r"]), _IDS), max_size=1))

    def completion_time(time: str) -> str:
        return str(int(time) + lasted.get(time, 0))

    long_ago = draw(
        st.dictionaries(st.tuples(st.sampled_from(["", "p", "r"]), _IDS), st.sampled_from(_TIMES), max_size=2)
    )
    layout = draw(st.sampled_from([1, 2]))
    return Visibility(layout, lasted.__contains__, completion_time, pending, replaced, lambda _: long_ago)


@given(_FOLDERS, _visible())
def test_all_at_once_is_one_by_one(folders: Mapping[str, Sequence[str]], visible: Visibility) -> None:
    infos = {
        folder: [FileInfo(f"{folder}/{name}".lstrip("/"), size) for size, name in enumerate(names)]
        for folder, names in folders.items()
    }
    assert list(latest_slices(files_in(infos), visible)) == _one_by_one(infos, visible)


def _one_by_one(folders: Mapping[str, Sequence[FileInfo]], visible: Visibility) -> list[FileSlice]:
    found: list[FileSlice] = []
    for folder in sorted(folders):
        named = [(parse_base_file(info.name) or parse_log_file(info.name), info) for info in folders[folder]]
        long_ago = visible.replaced_before(_TIMES)
        names = [
            (name, info)
            for name, info in named
            if name is None or name.instant > long_ago.get((folder, name.file_id), "")
        ]
        for file_id in sorted({name.file_id for name, _ in names if name is not None}):
            bases: dict[str, FileInfo] = {}
            logs: list[tuple[LogFileName, FileInfo]] = []
            for name, info in names:
                if isinstance(name, BaseFileName) and name.file_id == file_id and visible.is_committed(name.instant):
                    bases[name.instant] = info
                counts = visible.layout == 1 or (name is not None and visible.is_committed(name.instant))
                if isinstance(name, LogFileName) and name.file_id == file_id and not name.is_cdc and counts:
                    logs.append((name, info))
            latest = _latest(folder, file_id, bases, logs, visible)
            if latest is not None and (folder, file_id) not in visible.replaced:
                found.append(latest)
    return found


def _latest(
    folder: str,
    file_id: str,
    bases: Mapping[str, FileInfo],
    logs: list[tuple[LogFileName, FileInfo]],
    visible: Visibility,
) -> FileSlice | None:
    slices: dict[str, list[FileInfo]] = {instant: [] for instant in bases}
    alone = [
        log.instant for log, _ in logs if _is_of_layout_2(log, bases, visible) and log.instant < min(bases, default="9")
    ]
    for log, info in sorted(logs, key=lambda entry: entry[0].order):
        if visible.layout == 1 and _is_of_layout_2(log, bases, visible):
            begun = [instant for instant in bases if instant < log.instant]
            slices.setdefault(max(begun) if begun else min(alone), []).append(info)
        else:
            slices.setdefault(_slice_of(log, slices, visible), []).append(info)
    opened = sorted(i for i in slices if i in visible.pending_compactions or visible.is_committed(i))
    if not opened:
        return None
    first = len(opened) - 1
    while first and opened[first] in visible.pending_compactions and opened[first] not in bases:
        first -= 1
    instant = opened[first]
    chosen = tuple(info for item in opened[first:] for info in slices[item])
    return FileSlice(folder, file_id, instant, bases.get(instant), chosen)


def _is_of_layout_2(log: LogFileName, bases: Collection[str], visible: Visibility) -> bool:
    """Whether a log file in layout 1 names the delta commit that wrote it: before a downgrade. Rule TIME-1386."""
    of_slice = log.instant in bases or log.instant in visible.pending_compactions
    return visible.is_committed(log.instant) and not of_slice


def _slice_of(log: LogFileName, slices: Collection[str], visible: Visibility) -> str:
    if visible.layout == 1:
        return log.instant
    completed = visible.completion_time(log.instant)
    begun = [instant for instant in slices if instant <= completed]
    scheduled = [instant for instant in visible.pending_compactions if begun and min(begun) < instant <= completed]
    return max([*begun, *scheduled], default=log.instant)
