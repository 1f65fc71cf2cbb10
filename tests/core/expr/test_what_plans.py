"""Whatever Spark SQL takes in a WHERE clause is planned with: what the core does not know keeps files and says so on rows."""

from __future__ import annotations

import pytest

from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import unknowns_of
from hudi_core.expr.row import truth_of
from hudi_core.expr.text import to_sql
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t


def array(of: t.Type) -> t.Array:
    return t.Array(t.Field(0, "element", of))


def mapping(of: t.Type) -> t.Map:
    return t.Map(t.Field(0, "key", t.String(), optional=False), t.Field(0, "value", of))


def record(**columns: t.Type) -> t.Record:
    return t.Record(tuple(t.Field(0, name, of) for name, of in columns.items()))


COLUMNS = record(
    dt=t.Date(),
    d2=t.Date(),
    ts=t.Timestamp(),
    ts2=t.Timestamp(),
    ntz=t.Timestamp(zoned=False),
    x=t.Int(),
    y=t.Int(),
    l=t.Long(),
    c=t.String(),
    s=t.String(),
    b=t.Boolean(),
    f=t.Double(),
    dec=t.Decimal(10, 2),
    bin=t.Binary(),
    arr=array(t.Int()),
    sarr=array(record(field=t.Int(), name=t.String())),
    m=mapping(t.Int()),
    st=record(a=t.Int(), b=t.String(), l=array(t.Int())),
    mst=mapping(record(q=t.Int())),
)
SCHEMA = Schema(record_with_ids(COLUMNS))
TAKEN_BY_SPARK = r"""
dt - 1 > date'2024-01-01'
dt - date'2024-01-01' > interval '5' day
dt - d2 = interval '1' day
ts - ts2 > interval '1' hour
ts - timestamp'2024-01-01 00:00:00' < interval '1' day
ts - ts2 = ts - ts2
dateadd(day, 1, dt) > date'2024-01-01'
date_add(day, 1, dt) > date'2024-01-01'
dateadd(month, 1, ts) > ts2
datediff(day, dt, d2) > 3
date_diff(day, dt, d2) > 3
timestampadd(hour, 1, ts) > ts2
timestampdiff(minute, ts, ts2) > 5
position('x' in c) > 0
position('x', c) > 0
overlay(c placing 'x' from 2 for 3) = 'a'
overlay(c placing 'x' from 2) = 'a'
overlay(c, 'x', 2) = 'a'
exists(arr, x -> x > 3)
forall(arr, e -> e is not null)
filter(arr, e -> e > x)[0] = 1
size(filter(arr, (e, i) -> i > 1)) > 2
aggregate(arr, 0, (acc, e) -> acc + e) > 3
aggregate(arr, 0, (acc, e) -> acc + e, acc -> acc * 10) > 3
size(transform(arr, e -> e + x)) > 0
exists(sarr, e -> e.field = 3)
map_filter(m, (k, v) -> v > 3) is not null
(x, y) in ((1, 2))
(x, y) in ((1, 2), (3, 4))
(x, y) not in ((1, 2), (3, 4))
struct(x, y) in ((1, 2))
sarr.field[0] = 3
array_contains(sarr.field, 3)
size(sarr.field) > 0
sarr.field is not null
arr[0] = 1
arr[x] = 1
m['k'] = 1
m.k = 1
st.l[0] = 1
st['a'] = 1
mst['k'].q = 1
sarr[0].field = 1
sarr[0].name like 'x%'
element_at(arr, 1) = 2
arr = array(1, 2)
arr in (array(1), array(2))
arr <=> null
case arr[0] when 1 then true else false end
x <=> y
c rlike '^a'
c rlike s
c regexp s
regexp(c, s)
c like s
c like concat(s, '%')
c not like s
c like any ('a%', 'b%')
c like all ('a%', '%b')
c not like any ('a%', 'b%')
c not like all ('a%', 'b%')
c like any ('a%', s)
c ilike any ('a%', 'b%')
c ilike s
x not between 1 and 3
ts + interval '1' day > ts2
ts - interval 1 day > ts2
ts + interval '1 02:03:04' day to second > ts2
ts + interval 1 day 2 hours > ts2
ts > ts2 - interval '3 months'
dt + interval 1 month > d2
dt + interval 1 hour > ts
ts + make_interval(0,0,0,x) > ts2
interval '1' day * x > interval '2' day
ts + interval '1' day * 2 > ts2
ts + (interval 1 day + interval 2 hours) > ts2
- interval '1' day < ts - ts2
ts + make_dt_interval(1) > ts2
ts - dt > interval '1' day
dt - ts > interval '1' day
cast(arr as string) = 'x'
cast(arr as array<bigint>)[0] = 1
try_cast(c as tinyint) = 1
cast(x as tinyint) = 1
cast(x as smallint) = 1
cast(x as interval day) = interval 1 day
cast('5' as interval day to second) = interval 5 day
x & 1 = 1
x | 1 = 1
x ^ 1 = 1
~x = 1
shiftleft(x, 2) = 4
arr || array(1) = array(1, 2)
2 * x - 1 > 4
extract(second from ts) = 3
extract(dayofweek_iso from dt) = 1
extract(week from dt) = 1
trim(both from c) = 'a'
trim(from c) = 'a'
trim(leading 'x' from c) = 'a'
trim(both 'x' from c) = 'a'
btrim(c, 'x') = 'a'
current_date = dt
current_date() = dt
current_timestamp() > ts
now() > ts
current_timezone() = 'x'
current_user = 'x'
current_user() = 'x'
user = 'x'
user() = 'x'
named_struct('a', x).a = 1
array(1,2,3)[0] = x
array(1, 2)[x] = 1
map('a', x)['a'] = 1
sequence(1, x)[0] = 1
to_json(st) = 'x'
from_json(c, 'a int').a = 1
input_file_name() like 'x%'
assert_true(x > 1) is null
ts between '2024-01-01' and '2024-01-02'
ts > current_timestamp() - interval 7 days
dt >= current_date() - 7
dt >= date_sub(current_date(), 7)
dt >= current_date - interval 7 days
dt >= add_months(current_date(), -1)
greatest(x, y) > 3
least(x, y, 3) > 3
st > st
coalesce(arr, array(1))[0] = 1
nullif(arr, array(1)) is null
case when b then arr else array(1) end[0] = 1
case when b then st end.a = 1
if(b, st, null).a = 1
from_utc_timestamp(ts, 'UTC') > ts2
x between 1 and 3 and y between 2 and 4
tinyint(x) = 1
x = - 5
x::string = '1'
c collate utf8_lcase = 'x'
x << 2 = 4
cast(c as variant) is null
foo(a => x) = 1
db.foo(x) > 1
""".strip().splitlines()


@pytest.mark.parametrize("sql", TAKEN_BY_SPARK)
def test_expressions_that_spark_accepts_are_planned_with(sql: str) -> None:
    tree = parse_predicate(sql)
    assert parse_predicate(to_sql(tree)) == tree
    bind(tree, SCHEMA)


@pytest.mark.parametrize(
    "sql", ["no_such_function(arr) > 1", "exists(arr, x -> no_such_function(x))", "ts - ts2 > ts2 - ts"]
)
def test_rows_are_refused_with_the_unknown_expression(sql: str) -> None:
    predicate = bind(parse_predicate(sql), SCHEMA)
    assert unknowns_of(predicate) == [to_sql(parse_predicate(sql))]
    with pytest.raises(UnsupportedError, match="rows cannot be filtered by it"):
        truth_of(predicate, dict.fromkeys(SCHEMA.places))


@pytest.mark.parametrize(
    "sql",
    [
        "no_such_function(nosuch)",
        "exists(arr, e -> nosuch > e)",
        "size(filter(arr, e -> e > 1 and nosuch > 1)) > 1",
        "sarr.nosuch[0] = 1",
        "mst['k'].q = nosuch",
        "cast(nosuch as array<int>)[0] = 1",
    ],
)
def test_an_unknown_column_is_an_error_inside_an_unknown_expression(sql: str) -> None:
    with pytest.raises(ExpressionError, match="no column"):
        bind(parse_predicate(sql), SCHEMA)


def test_a_parameter_hides_the_column_of_its_name_inside_its_lambda_only() -> None:
    bind(parse_predicate("exists(arr, nosuch -> NoSuch > 1)"), SCHEMA)
    with pytest.raises(ExpressionError, match="no column nosuch"):
        bind(parse_predicate("exists(arr, nosuch -> nosuch > 1) and nosuch > 1"), SCHEMA)


@pytest.mark.parametrize(
    "sql", ["ts - timestamp'2024-01-01 00:00:00' > interval '1' day", "ts + interval '1' day > ts2"]
)
def test_expressions_that_depend_on_the_clock_are_known_in_utc_only(sql: str) -> None:
    assert unknowns_of(bind(parse_predicate(sql), SCHEMA, session_zone="Europe/Berlin"))
