"""What `Values` has to answer: the core's order, functions and casts, on every type, in every row.

Also covers: `engine.py`, `functions/casts.py`, `functions/registry.py`, `functions/record.py`,
`functions/scalar/cast.py`.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import reject
from hypothesis import strategies as st

from hudi_core.errors import HudiError, SchemaError
from hudi_core.expr.predicate import Cut
from hudi_core.functions.casts import CAST
from hudi_core.functions.record import Function
from hudi_core.functions.registry import FUNCTIONS, function
from hudi_core.functions.scalar import regex
from hudi_core.functions.scalar.cast import can_cast
from hudi_core.functions.scalar.like import AnyChar, AnyRun
from hudi_core.types import nodes as t
from hudi_core.types.promote import promotion
from hudi_core.values.cast import cast
from hudi_core.values.order import distinct, equal, is_ordered, less
from tests.contract.harness import Columns, law
from tests.support.calls import calls_of
from tests.support.promotions import CASTS, PAIRS, casts_named, named, values_at_the_ends
from tests.support.strategies import PRIMITIVES, fields, types, values_of

ORDERED = types(unions=False, disguised=False).filter(is_ordered)
"""Types whose values SQL compares."""

OF_COLUMNS = [known for known in FUNCTIONS if known.arity.stop > 1]
"""Functions that an engine is asked for: a call without arguments is a constant."""

PROMOTED = [pair for pairs in PAIRS.values() for pair in pairs]
"""Pairs of a stored type and one that it is read as."""

_WORDS = st.text("ab%_\\é\n", max_size=4)
_PATTERNS = st.lists(_WORDS | st.just(AnyChar()) | st.just(AnyRun()), max_size=4).map(tuple)
_RUN = AnyRun()
_FORMS: list[Any] = [
    (),
    (_RUN,),
    ("a",),
    ("a", _RUN),
    (_RUN, "a"),
    (_RUN, "a", _RUN),
    ("a", AnyChar()),
    ("b", _RUN, "b"),
    ("x", _RUN),
]
_REGEXES = st.sampled_from(
    [
        "a",
        "^a",
        "a$",
        "^(a|b)+$",
        "a.b",
        "(?i)A",
        "[^a]",
        "\\s",
        "\\d+",
        "b{2}",
        "é?b",
        "(?s)a.b",
        "(a)\\1",
        "a(?=b)",
        "",
    ]
)


@st.composite
def columns(draw: st.DrawFn, of: st.SearchStrategy[t.Type], width: int = 1) -> tuple[t.Type, list[list[Any]]]:
    """A type, and columns of one length whose rows repeat values now and then."""
    kind = draw(of)
    pool = draw(st.lists(values_of(kind), min_size=1, max_size=4))
    rows = draw(st.integers(0, 6))
    value = st.none() | st.sampled_from(pool)
    return kind, [draw(st.lists(value, min_size=rows, max_size=rows)) for _ in range(width)]


REFUSED = object()


def attempt(source: t.Type, to: t.Type, value: Any) -> Any:
    """A stored value as the core reads it; `REFUSED` where it has no counterpart."""
    try:
        return cast(source, to)(value)
    except SchemaError:
        return REFUSED


def _rounded(value: Any) -> str:
    """A real without its last digits, in which libraries of mathematics differ."""
    return f"{value:.13g}" if isinstance(value, float) else repr(value)


class ValuesContract:
    """Give a fixture `engine` of `tests.contract.harness.Columns`."""

    @law(columns(types()))
    def test_is_null_distinguishes_null_from_every_value(self, engine: Columns, column: Any) -> None:
        of, (rows,) = column
        assert engine.mask(engine.values.is_null, (rows, of)) == [row is None for row in rows]

    @law(columns(ORDERED), st.data())
    def test_below_cuts_where_the_order_does(self, engine: Columns, column: Any, data: st.DataObject) -> None:
        """ENGINE-3."""
        of, (rows,) = column
        value = data.draw(
            values_of(of) | st.sampled_from([row for row in rows if row is not None] or [data.draw(values_of(of))])
        )
        for after in (False, True):
            found = engine.mask(lambda v, after=after: engine.values.below(v, Cut(value, after), of), (rows, of))
            assert found == [
                row is not None and (not less(value, row, of) if after else less(row, value, of)) for row in rows
            ]

    @law(columns(ORDERED, width=2))
    def test_less_orders_two_columns(self, engine: Columns, column: Any) -> None:
        """ENGINE-3."""
        of, (left, right) = column
        for or_equal in (False, True):
            found = engine.mask(
                lambda a, b, or_equal=or_equal: engine.values.less(a, b, or_equal, of), (left, of), (right, of)
            )
            assert found == [
                a is not None and b is not None and (less(a, b, of) or (or_equal and equal(a, b, of)))
                for a, b in zip(left, right, strict=True)
            ]

    @law(columns(ORDERED), st.data())
    def test_one_of_finds_members(self, engine: Columns, column: Any, data: st.DataObject) -> None:
        of, (rows,) = column
        pool = [row for row in rows if row is not None]
        choices = tuple(
            data.draw(st.lists(values_of(of) | (st.sampled_from(pool) if pool else st.nothing()), max_size=4))
        )
        found = engine.mask(lambda v: engine.values.one_of(v, choices, of), (rows, of))
        assert found == [row is not None and any(equal(row, choice, of) for choice in choices) for row in rows]

    @law(columns(ORDERED.filter(lambda of: not isinstance(of, t.Nested))), st.data())
    def test_within_finds_members_and_what_lies_between(
        self, engine: Columns, column: Any, data: st.DataObject
    ) -> None:
        """ENGINE-3."""
        of, (rows,) = column
        pool = [row for row in rows if row is not None]
        drawn = data.draw(
            st.lists(values_of(of) | (st.sampled_from(pool) if pool else st.nothing()), min_size=1, max_size=5)
        )
        listed = distinct(tuple(drawn), of)
        size = 2 * len(listed) + 1
        members = tuple(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
        found = engine.mask(lambda v: engine.values.within(v, listed, members, of), (rows, of))
        places = [
            row is not None
            and 2 * sum(less(value, row, of) for value in listed) + any(equal(value, row, of) for value in listed)
            for row in rows
        ]
        assert found == [row is not None and members[place] for row, place in zip(rows, places, strict=True)]

    @pytest.mark.parametrize("of", [t.Float(), t.Double()])
    def test_nan_is_greatest_and_equals_itself_and_zeros_are_equal(self, engine: Columns, of: t.Type) -> None:
        """ENGINE-2."""
        rows = [math.nan, math.inf, 0.0, -0.0, None]
        values = engine.values
        column = (rows, of)
        assert engine.mask(lambda v: values.below(v, Cut(math.nan), of), column) == [False, True, True, True, False]
        assert engine.mask(lambda v: values.below(v, Cut(math.nan, True), of), column) == [
            True,
            True,
            True,
            True,
            False,
        ]
        assert engine.mask(lambda v: values.below(v, Cut(math.inf, True), of), column) == [
            False,
            True,
            True,
            True,
            False,
        ]
        assert engine.mask(lambda v: values.below(v, Cut(0.0), of), column) == [False] * 5
        assert engine.mask(lambda v: values.one_of(v, (math.nan, -0.0), of), column) == [True, False, True, True, False]

    @pytest.mark.parametrize("of", [t.String(), t.Enumeration(("\uffff", "\U00010000", "z", "é"))])
    def test_strings_are_ordered_by_utf8_bytes_not_by_utf16_units(self, engine: Columns, of: t.Type) -> None:
        """ENGINE-2."""
        rows = ["\uffff", "\U00010000", "z", "é"]
        assert engine.mask(lambda v: engine.values.below(v, Cut("\U00010000"), of), (rows, of)) == [
            True,
            False,
            True,
            True,
        ]

    @law(columns(st.just(t.String())), _PATTERNS)
    def test_like_matches_the_whole_string(self, engine: Columns, column: Any, pattern: Any) -> None:
        """ENGINE-6."""
        of, (rows,) = column
        found = engine.mask(lambda v: engine.values.matches(v, pattern), (rows, of))
        assert found == [row is not None and bool(regex.like(pattern).compiled.search(row)) for row in rows]

    @law(columns(st.just(t.String())), st.lists(_PATTERNS | _REGEXES, max_size=6))
    def test_one_of_several_patterns_matches(self, engine: Columns, column: Any, patterns: Any) -> None:
        """ENGINE-6."""
        of, (rows,) = column
        found = engine.mask(lambda v: engine.values.matches_one(v, tuple(patterns)), (rows, of))
        wanted = [regex.parse(p) if isinstance(p, str) else regex.like(p) for p in patterns]
        assert found == [row is not None and any(w.compiled.search(row) for w in wanted) for row in rows]

    @law(st.lists(st.none() | st.text("aAbé 1\n\r", max_size=5), max_size=6), _REGEXES)
    def test_a_regular_expression_is_found_anywhere(self, engine: Columns, rows: Any, pattern: str) -> None:
        """ENGINE-6."""
        found = engine.mask(lambda v: engine.values.matches(v, pattern), (rows, t.String()))
        assert found == [row is not None and bool(regex.parse(pattern).compiled.search(row)) for row in rows]

    @pytest.mark.one_of(2)
    @pytest.mark.parametrize("known", OF_COLUMNS, ids=lambda known: known.name)
    @law(data=st.data(), most=36, part=6)
    def test_functions_give_the_results_of_the_core(
        self, engine: Columns, known: Function, data: st.DataObject
    ) -> None:
        types, of = data.draw(calls_of(known).types)
        length = data.draw(st.integers(0, 9))
        arguments = [
            data.draw(st.lists(st.none() | calls_of(known).values(number, of), min_size=length, max_size=length))
            for number, of in enumerate(types)
        ]
        given_columns = list(zip(arguments, types, strict=True))
        try:
            wanted = [known.apply(row, types, of) for row in zip(*arguments, strict=True)]
        except HudiError:  # rows that SQL refuses, such as a null key of a map
            reject()
        found = engine.column(lambda *args: engine.values.apply(known, args, types, of), of, *given_columns)
        if known.last_digit:
            assert [_rounded(value) for value in found] == [_rounded(value) for value in wanted]
        else:
            assert list(map(repr, found)) == list(map(repr, wanted))

    @law(st.sampled_from(CASTS) | st.tuples(PRIMITIVES, PRIMITIVES).filter(lambda pair: can_cast(*pair)), st.data())
    def test_casts_give_the_results_of_the_core(
        self, engine: Columns, pair: tuple[t.Type, t.Type], data: st.DataObject
    ) -> None:
        """ENGINE-7."""
        source, to = pair
        rows = data.draw(st.lists(st.none() | calls_of(function("cast")).values(0, source), max_size=5))
        found = engine.column(lambda v: engine.values.apply(function("cast"), [v], [source], to), to, (rows, source))
        assert list(map(repr, found)) == [repr(function("cast").apply([row], [source], to)) for row in rows]

    @law(st.sampled_from(PROMOTED) | st.tuples(PRIMITIVES, PRIMITIVES).filter(lambda pair: promotion(*pair)), st.data())
    def test_stored_values_are_read_as_the_core_promotes_them(
        self, engine: Columns, pair: tuple[t.Type, t.Type], data: st.DataObject
    ) -> None:
        """ENGINE-7."""
        source, to = pair
        rows = data.draw(st.lists(st.none() | values_of(source), max_size=5))
        try:
            wanted = [cast(source, to)(row) for row in rows]
        except SchemaError:
            with pytest.raises(SchemaError):
                engine.column(lambda v: engine.values.convert(v, source, to), to, (rows, source))
            return
        found = engine.column(lambda v: engine.values.convert(v, source, to), to, (rows, source))
        assert list(map(repr, found)) == list(map(repr, wanted))

    @pytest.mark.parametrize("to", [t.Timestamp(t.Unit.MILLIS), t.Timestamp(t.Unit.MILLIS, zoned=False)], ids=str)
    @pytest.mark.parametrize("source", [t.Timestamp(), t.Timestamp(zoned=False)], ids=str)
    def test_times_under_a_wrong_label_keep_their_numbers(
        self, engine: Columns, source: t.Timestamp, to: t.Timestamp
    ) -> None:
        """RECON-260."""
        rows = [None, 0, 1_720_631_224_939, -1, -62_135_596_800_000, 253_402_300_799_999]
        assert engine.column(lambda v: engine.values.relabel(v, source, to), to, (rows, source)) == rows

    @pytest.mark.parametrize("key", PAIRS, ids=named)
    def test_every_promotion_is_made_as_the_core_makes_it(self, engine: Columns, key: Any) -> None:
        for source, to in PAIRS[key][: self.pairs_of_a_promotion]:
            rows = [value for value in values_at_the_ends(source) if self.holds(source, value)]
            found = {place: attempt(source, to, value) for place, value in enumerate(rows)}
            taken = [place for place, value in found.items() if value is not REFUSED]
            self._are_converted(engine, source, to, [rows[place] for place in taken], [found[at] for at in taken])
            for place in taken[
                : self.pairs_of_a_promotion and 0
            ]:  # alone: an engine may have another way for some values
                self._are_converted(engine, source, to, [rows[place]], [found[place]])
            refused = [row for place, row in enumerate(rows) if found[place] is REFUSED]
            for row in refused[: self.pairs_of_a_promotion]:
                with pytest.raises(SchemaError):
                    engine.column(lambda v, s=source, to=to: engine.values.convert(v, s, to), to, ([row, None], source))

    pairs_of_a_promotion: int | None = None
    """So many pairs of types, and refused values of each, are asked about for each promotion; None: all, value by value."""

    def holds(self, of: t.Type, value: object) -> bool:
        """The engine has a form for the value."""
        return True

    def _are_converted(self, engine: Columns, source: t.Type, to: t.Type, rows: list[Any], wanted: list[Any]) -> None:
        found = engine.column(lambda v: engine.values.convert(v, source, to), to, ([*rows, None], source))
        assert list(map(repr, found)) == [*map(repr, wanted), "None"], (source, to)

    @pytest.mark.parametrize("pair", CASTS, ids=casts_named)
    def test_every_cast_is_what_the_core_defines(self, engine: Columns, pair: tuple[t.Type, t.Type]) -> None:
        source, to = pair
        rows = [value for value in values_at_the_ends(source) if self.holds(source, value)]
        wanted = [repr(CAST.apply([row], [source], to)) for row in rows]

        def answers(some: list[Any]) -> list[str]:
            found = engine.column(lambda v: engine.values.apply(CAST, [v], [source], to), to, (some, source))
            return list(map(repr, found))

        assert answers([*rows, None]) == [*wanted, "None"]
        if self.pairs_of_a_promotion is None:
            assert [answers([row])[0] for row in rows] == wanted

    @pytest.mark.parametrize("pattern", _FORMS, ids=str)
    def test_patterns_of_every_form_match_whole_strings(self, engine: Columns, pattern: Any) -> None:
        rows = ["a", "ab", "ba", "bab", "", "a\n", "\na", "éa", "b", None]
        found = engine.mask(lambda v: engine.values.matches(v, pattern), (rows, t.String()))
        assert found == [row is not None and bool(regex.like(pattern).compiled.search(row)) for row in rows]

    @pytest.mark.parametrize("pattern", _FORMS, ids=str)
    def test_bytes_match_as_the_text_that_they_are(self, engine: Columns, pattern: Any) -> None:
        """EXPR-1657."""
        rows = [b"a", b"ab", b"\xffa", b"a\xff", b"\xc3", b"b\xc3\xa9", b"", None]
        found = engine.mask(
            lambda v: engine.values.matches(engine.values.apply(CAST, [v], [t.Binary()], t.String()), pattern),
            (rows, t.Binary()),
        )
        texts = [None if row is None else row.decode("utf-8", "replace") for row in rows]
        assert found == [text is not None and bool(regex.like(pattern).compiled.search(text)) for text in texts]

    @law(columns(types(), width=2), st.data())
    def test_choose_takes_from_one_column_or_the_other(self, engine: Columns, column: Any, data: st.DataObject) -> None:
        of, (left, right) = column
        which = data.draw(st.lists(st.booleans(), min_size=len(left), max_size=len(left)))
        found = engine.column(
            lambda w, a, b: engine.values.choose(engine.values.one_of(w, (True,), t.Boolean()), a, b, of),
            of,
            (which, t.Boolean()),
            (left, of),
            (right, of),
        )
        assert list(map(repr, found)) == [repr(a if w else b) for w, a, b in zip(which, left, right, strict=True)]

    @law(columns(st.just(t.Boolean()), width=3))
    def test_masks_combine(self, engine: Columns, column: Any) -> None:
        """ENGINE-1."""
        of, rows = column
        values = engine.values

        def masks(arguments: Any) -> list[Any]:
            return [values.one_of(argument, (True,), of) for argument in arguments]

        inputs = [(row, of) for row in rows]
        flags = [[bool(value) for value in row] for row in zip(*rows, strict=True)]
        assert engine.mask(lambda *args: values.every(masks(args), args[0]), *inputs) == [all(row) for row in flags]
        assert engine.mask(lambda *args: values.some(masks(args), args[0]), *inputs) == [any(row) for row in flags]
        assert engine.mask(lambda a, *_: values.no(masks([a])[0]), *inputs) == [not row[0] for row in flags]
        assert engine.mask(lambda a, *_: values.every([], a), *inputs) == [True] * len(flags)
        assert engine.mask(lambda a, *_: values.some([], a), *inputs) == [False] * len(flags)

    @law(types(), st.data())
    def test_a_literal_has_its_value_in_every_row(self, engine: Columns, of: t.Type, data: st.DataObject) -> None:
        value = data.draw(st.none() | values_of(of))
        rows = data.draw(st.lists(st.none() | st.booleans(), max_size=4))
        found = engine.column(lambda like: engine.values.literal(value, of, like), of, (rows, t.Boolean()))
        assert list(map(repr, found)) == [repr(value)] * len(rows)

    @law(st.lists(fields(PRIMITIVES, "x", plain=True), max_size=3), st.data())
    def test_structs_come_apart_as_they_were_put_together(
        self, engine: Columns, inner: list[t.Field], data: st.DataObject
    ) -> None:
        """ENGINE-4."""
        named = [t.Field(0, f"x{number}", field.type) for number, field in enumerate(inner)]
        record = t.Record(tuple(named))
        rows = data.draw(st.lists(st.none() | values_of(record), max_size=5))
        for number, field in enumerate(named):
            found = engine.column(lambda s, n=number: engine.values.field(s, n), field.type, (rows, record))
            assert list(map(repr, found)) == [repr(None if row is None else row[number]) for row in rows]

        def rebuilt(struct: Any) -> Any:
            parts = [(field, engine.values.field(struct, number)) for number, field in enumerate(named)]
            return engine.values.struct(parts, engine.values.is_null(struct), struct)

        assert list(map(repr, engine.column(rebuilt, record, (rows, record)))) == list(map(repr, rows))

    @law(fields(PRIMITIVES, "element", plain=True), st.data())
    def test_elements_are_changed_where_they_are(self, engine: Columns, element: t.Field, data: st.DataObject) -> None:
        """ENGINE-5."""
        array = t.Array(element)
        rows = data.draw(st.lists(st.none() | values_of(array), max_size=5))
        flags = t.Field(0, "element", t.Boolean())
        values = engine.values

        def nulls(item: Any) -> Any:
            one = values.literal(True, t.Boolean(), item)
            return values.choose(values.is_null(item), one, values.literal(None, t.Boolean(), item), t.Boolean())

        found = engine.column(lambda a: values.elements(a, flags, nulls), t.Array(flags), (rows, array))
        assert found == [None if row is None else tuple(True if part is None else None for part in row) for row in rows]

    @law(fields(PRIMITIVES, "value", plain=True), st.data())
    def test_values_of_maps_are_changed_where_they_are(
        self, engine: Columns, value: t.Field, data: st.DataObject
    ) -> None:
        """ENGINE-5."""
        key = t.Field(0, "key", t.String(), optional=False)
        rows = data.draw(st.lists(st.none() | values_of(t.Map(key, value)), max_size=5))
        of = t.Map(key, t.Field(0, "value", t.Int()))
        changed = engine.column(
            lambda m: engine.values.entries(m, of, lambda v: engine.values.literal(7, t.Int(), v)),
            of,
            (rows, t.Map(key, value)),
        )
        assert changed == [None if row is None else tuple((name, 7) for name, _ in row) for row in rows]

    @law(st.data())
    def test_unions_come_apart_as_they_were_put_together(self, engine: Columns, data: st.DataObject) -> None:
        """ENGINE-4."""
        branches = [
            t.Field(0, f"member{n}", of, optional=False) for n, of in enumerate([t.Int(), t.String(), t.Double()])
        ]
        union = t.Union(tuple(branches))
        rows = data.draw(st.lists(st.none() | values_of(union), max_size=6))
        values = engine.values
        for number, branch in enumerate(branches):
            taken = engine.column(lambda u, n=number: values.branch(u, n), branch.type, (rows, union))
            assert list(map(repr, taken)) == [repr(row[1] if row and row[0] == number else None) for row in rows]
            of_branch = engine.mask(lambda u, n=number: values.is_branch(u, n), (rows, union))
            assert of_branch == [row is not None and row[0] == number for row in rows]

        def rebuilt(column: Any) -> Any:
            parts = [(values.is_branch(column, n), n, values.branch(column, n)) for n in range(len(branches))]
            return values.union(union, parts, column)

        assert list(map(repr, engine.column(rebuilt, union, (rows, union)))) == list(map(repr, rows))
