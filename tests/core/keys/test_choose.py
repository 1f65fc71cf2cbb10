"""Options to generator.

Also covers: `keys/options.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.keys.choose import WriterEnvironment, choose, generator_of_table
from hudi_core.keys.clock import TimeUnit
from hudi_core.keys.generator import BareKey, CompositeKey, Generator, PathStyle, TimePart, ValuePart, WritePath
from hudi_core.keys.options import refuse_misspelled
from hudi_core.keys.zones import UTC, Zone
from hudi_core.options import KeyGeneratorType as Kind
from hudi_core.options import table_config

WRITE = "hoodie.datasource.write."
TIME = "hoodie.keygen.timebased."
SECONDS = {f"{TIME}timestamp.type": "UNIX_TIMESTAMP", f"{TIME}output.dateformat": "yyyy"}
LEAST = {"hoodie.table.name": "t", "hoodie.table.type": "COPY_ON_WRITE"}


def chosen(answer: dict[str, str], **options: Any) -> Generator:
    found = choose({key if "." in key else f"{WRITE}{key.replace('_', '.')}": answer[key] for key in answer}, **options)
    assert isinstance(found, Generator)
    return found


def test_a_class_counts_before_a_type_and_both_before_fields() -> None:
    """KEY-1."""
    fields = {f"{WRITE}recordkey.field": "a", f"{WRITE}partitionpath.field": "p"}
    kinds = {
        f"{WRITE}keygenerator.type": "complex",
        f"{WRITE}keygenerator.class": "org.apache.hudi.keygen.SimpleKeyGenerator",
    }
    assert chosen(fields).kind is Kind.SIMPLE
    assert chosen(fields | dict(list(kinds.items())[:1])).kind is Kind.COMPLEX
    assert chosen(fields | kinds).kind is Kind.SIMPLE


@pytest.mark.parametrize(
    "name",
    ["GlobalAvroDeleteKeyGenerator", "GlobalDeleteKeyGenerator", "org.apache.hudi.keygen.GlobalAvroDeleteKeyGenerator"],
)
def test_classes_of_the_avro_path_are_the_same_generators(name: str) -> None:
    assert chosen({f"{WRITE}recordkey.field": "a", f"{WRITE}keygenerator.class": name}).kind is Kind.GLOBAL_DELETE


def test_a_single_complex_key_has_its_name_but_for_old_tables_that_state_otherwise() -> None:
    """KEY-3."""
    answer = {f"{WRITE}recordkey.field": "a", f"{WRITE}partitionpath.field": "p,q"}
    bare = {"hoodie.write.complex.keygen.new.encoding": "true"}
    assert chosen(answer).key == CompositeKey(("a",))
    assert chosen(answer | bare).key == CompositeKey(("a",))
    assert chosen(answer | bare | {"hoodie.write.table.version": "8"}).key == BareKey("a")


def test_only_rows_refuse_nulls_in_every_part_of_a_key_without_partitions() -> None:
    """KEY-10."""
    answer = {f"{WRITE}recordkey.field": "a,b"}
    assert chosen(answer).key == CompositeKey(("a", "b"), whole=True)
    assert chosen(answer, writer=WritePath.AVRO).key == CompositeKey(("a", "b"))


def test_properties_of_a_table_make_its_generator() -> None:
    answer = {
        "hoodie.table.version": "6",
        "hoodie.table.recordkey.fields": "a",
        "hoodie.table.partition.fields": "p",
        "hoodie.table.keygenerator.class": "org.apache.hudi.keygen.ComplexKeyGenerator",
        f"{WRITE}hive_style_partitioning": "true",
    }
    found: Any = generator_of_table(table_config(LEAST | answer), bare_single_key=True)
    assert (found.key, found.parts, found.style) == (BareKey("a"), (ValuePart("p"),), PathStyle(hive=True))


def test_a_table_whose_paths_are_read_as_dates_with_slashes_writes_them_so() -> None:
    """KEY-12."""
    answer = {
        "hoodie.table.version": "9",
        "hoodie.table.recordkey.fields": "a",
        "hoodie.table.partition.fields": "p",
        "hoodie.table.partition_extractor_class": "org.apache.hudi.hive.SlashEncodedDayPartitionValueExtractor",
    }
    found: Any = generator_of_table(table_config(LEAST | answer))
    assert found.style.slashes


def test_one_zone_for_both_counts_before_one_for_each() -> None:
    """KEY-16."""
    answer = {
        f"{WRITE}recordkey.field": "a",
        f"{WRITE}partitionpath.field": "p",
        f"{WRITE}keygenerator.type": "TIMESTAMP",
    }
    zones = {f"{TIME}output.timezone": "GMT+1", f"{TIME}input.timezone": "GMT+2"}
    (part,) = chosen(answer | SECONDS | zones).parts
    assert isinstance(part, TimePart)
    assert (part.clock.unit, part.clock.input_zone, part.clock.output_zone) == (
        TimeUnit.SECONDS,
        Zone(7200),
        Zone(3600),
    )
    (part,) = chosen(answer | SECONDS | zones | {f"{TIME}timezone": "UTC"}).parts
    assert isinstance(part, TimePart)
    assert (part.clock.input_zone, part.clock.output_zone) == (UTC, UTC)


def test_the_settings_of_a_machine_are_kept() -> None:
    answer = {f"{WRITE}recordkey.field": "a", f"{WRITE}partitionpath.field": "p:timestamp"}
    found = chosen(answer | SECONDS, machine=WriterEnvironment(Zone(3600), 2001))
    (part,) = found.parts
    assert isinstance(part, TimePart)
    assert (found.zone, part.clock.this_year) == (Zone(3600), 2001)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({}, "recordkey.field: expected key fields, or _hoodie.record.key.gen.instant.time"),
        ({"recordkey_field": "a,b", "keygenerator_type": "SIMPLE", "partitionpath_field": "p"}, "found a, b"),
        ({"recordkey_field": "a", "keygenerator_type": "SIMPLE"}, "partitionpath.field: expected one field"),
        ({"recordkey_field": "a", f"{WRITE}hive_style_partitioning": "maybe"}, "expected true or false, found 'maybe'"),
        (
            {"recordkey_field": "a", "partitionpath_field": "p:timestamp"},
            "timestamp.type: expected one of UNIX_TIMESTAMP",
        ),
        (
            {"recordkey_field": "a", "partitionpath_field": "p:timestamp"}
            | SECONDS
            | {f"{TIME}output.dateformat": "q"},
            "output.dateformat: expected letters of a date pattern, found `q` in 'q'",
        ),
        (
            {"recordkey_field": "a", "partitionpath_field": "p:timestamp"}
            | SECONDS
            | {f"{TIME}timestamp.type": "SCALAR", f"{TIME}timestamp.scalar.time.unit": "WEEKS"},
            "scalar.time.unit: expected one of NANOSECONDS",
        ),
        (
            {"recordkey_field": "a", "partitionpath_field": "p:timestamp"}
            | SECONDS
            | {f"{TIME}timestamp.type": "DATE_STRING"},
            "input.dateformat: expected the patterns of texts, for DATE_STRING, found none",
        ),
        (
            {"recordkey_field": "a", "partitionpath_field": "p:timestamp"}
            | SECONDS
            | {
                f"{TIME}timestamp.type": "MIXED",
                f"{TIME}input.dateformat": "yyyy",
                f"{TIME}input.dateformat.list.delimiter.regex": "(",
            },
            "delimiter.regex: expected a regular expression",
        ),
    ],
)
def test_an_invalid_value_names_the_option(answer: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        chosen(answer)
    assert message in str(refused.value)


@pytest.mark.parametrize("name", ["USER_PROVIDED", "HOODIE_TABLE_METADATA"])
def test_kinds_without_a_rule_are_not_supported(name: str) -> None:
    with pytest.raises(UnsupportedError, match="has no rule of its own"):
        chosen({"recordkey_field": "a", "keygenerator_type": name})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_such_module:Keys", "a module that can be imported"),
        ("json:Keys", "a class Keys in the module json"),
        ("json:JSONDecoder", r"a method record_key\(row\)"),
    ],
)
def test_invalid_generators_of_the_user_are_refused(name: str, message: str) -> None:
    """KEY-6."""
    with pytest.raises(UsageError, match=message):
        choose({f"{WRITE}keygenerator.class": name})


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        (f"{WRITE}partitionpath.filed", f"{WRITE}partitionpath.field"),
        (f"{WRITE}recordKey.field", f"{WRITE}recordkey.field"),
        (f"{WRITE}hive.style.partitioning", f"{WRITE}hive_style_partitioning"),
        ("hoodie.table.recordkey.field", "hoodie.table.recordkey.fields"),
        (f"{TIME}output.dateformats", f"{TIME}output.dateformat"),
        ("<!doctype", f"names as {WRITE}recordkey.field"),
    ],
)
def test_options_that_would_have_no_effect_are_refused(name: str, meant: str) -> None:
    """KEY-1457."""
    others = {} if name == "<!doctype" else {f"{WRITE}recordkey.field": "id"}
    with pytest.raises(UsageError) as raised:
        refuse_misspelled({**others, name: "x"})
    assert raised.value.expected == meant and name in str(raised.value.found)


def test_other_options_of_apache_hudi_are_passed_over() -> None:
    """KEY-1457."""
    names = ("precombine.field", "payload.class", "operation", "table.name", "table.type", "reconcile.schema")
    given = {f"{WRITE}{name}": "x" for name in names} | {
        "hoodie.table.ordering.fields": "t",
        f"{WRITE}recordkey.field": "id",
    }
    refuse_misspelled(given)
    assert chosen(given).key == BareKey("id")
