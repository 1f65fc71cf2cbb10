"""Which stored bloom filters are asked, for queries and for tagging.

Also covers: `planning/sources/bloom_filters.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.strings import string_column
from hudi_core.engine import Footer
from hudi_core.expr.predicate import ALWAYS_TRUE
from hudi_core.formats.bloom_write import FilterKind, FilterSettings, encode_bloom_filter
from hudi_core.keys.from_keys import RecordKeys
from hudi_core.planning.sources.bloom_filters import BloomFilters
from hudi_core.planning.sources.file_filters import (
    MAX_KEY,
    MIN_KEY,
    FilterState,
    make_sample_keys,
    parse_file_filter,
)
from hudi_core.planning.sources.file_headers import FileHeaders
from hudi_core.planning.sources.indexes import Lookup
from hudi_core.planning.sources.log_statistics import LogStatistics
from hudi_core.planning.sources.sources import Sources
from tests.core.planning.sources.test_indexes import GROUPS
from tests.support.made_tables import MadeTable

SETTINGS = FilterSettings(FilterKind.SIMPLE, 60, 1e-6)
HELD = ["a", "m", "z"]
OTHERS = ["b", "n", "y"]


def text_of(keys: list[str], settings: FilterSettings = SETTINGS) -> bytes:
    return encode_bloom_filter(string_column(keys), settings)


def slices() -> Any:
    return MadeTable(GROUPS).open().snapshot().slices


@pytest.mark.parametrize(
    ("text", "held", "state"),
    [
        (None, (), FilterState.MISSING),
        (b"no filter at all", (), FilterState.DAMAGED),
        (text_of(HELD)[:40], (), FilterState.DAMAGED),
        (text_of([f"k{n}" for n in range(500)], FilterSettings(FilterKind.SIMPLE, 8, 0.01)), (), FilterState.SATURATED),
        (text_of(HELD), (), FilterState.USABLE),
        (text_of(HELD), (b"a", b"z"), FilterState.USABLE),
        (text_of(OTHERS), (), FilterState.USABLE),
        (text_of(OTHERS), (b"a", b"z"), FilterState.DAMAGED),
        (text_of(["a"]), (b"a", b"z"), FilterState.DAMAGED),
        (text_of([]), (b"a",), FilterState.DAMAGED),
    ],
)
def test_a_filter_is_probed_unless_damaged_saturated_or_denying_a_key_of_its_file(
    text: bytes | None, held: tuple[bytes, ...], state: FilterState
) -> None:
    """INDEX-7, INDEX-8."""
    found = parse_file_filter(text, slices()[0], make_sample_keys(held))
    assert found.state is state
    assert (found.filter is not None) == (state is FilterState.USABLE)
    assert (found.problem is not None) == (state is FilterState.DAMAGED)


def test_a_denied_key_is_an_error_of_one_line_with_the_file() -> None:
    of = slices()[0]
    problem = str(parse_file_filter(text_of(OTHERS), of, make_sample_keys([b"a"])).problem)
    assert of.base is not None
    assert of.base.path in problem
    assert "the least and the greatest key" in problem
    assert "\n" not in problem


@pytest.mark.parametrize(("edges", "left_out"), [((), [0]), (("a", "z"), []), (("b", "y"), [0])])
def test_query_sets_a_filter_aside_that_denies_the_edges_in_the_footer(
    edges: tuple[str, ...], left_out: list[int]
) -> None:
    """The slice holds `m`, but has the filter of another file: only the footer's least and greatest key tell so."""
    snapshot = MadeTable(GROUPS).open().snapshot()
    of = snapshot.slices[0]
    assert of.base is not None
    schema = schema_from_avro('{"type": "record", "name": "r", "fields": []}', "made")
    footer = Footer(3, schema, dict(zip((MIN_KEY, MAX_KEY), edges, strict=False)))
    headers = FileHeaders(snapshot, {of.base.path: footer})
    logs = LogStatistics(Sources(snapshot).fallback)
    source = BloomFilters(headers, lambda: logs, RecordKeys(), lambda _: iter([(0, text_of(OTHERS))]), "filters")
    assert source.without(Lookup(frozenset({"m"}), ALWAYS_TRUE), np.array([0])).tolist() == left_out
    assert any("the least and the greatest key" in warning for warning in snapshot.warnings) == (edges == ("a", "z"))
