"""Options to key generator, as Apache Hudi chooses: a class, else a type, else by the fields. Rules KEY-1 to KEY-6.

A key generator of your own is a Python class with the methods `record_key(row)` and `partition_path(row)`. Rule KEY-6.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.keys import options as named
from hudi_core.keys.clock import Clock, TimeUnit
from hudi_core.keys.generator import (
    AnyGenerator,
    AutoKey,
    BareKey,
    CompositeKey,
    Generator,
    PathPart,
    PathStyle,
    RecordKey,
    TimePart,
    UserGenerator,
    ValuePart,
    WritePath,
)
from hudi_core.keys.joda import parse_pattern
from hudi_core.keys.options import KeyOptions, key_options
from hudi_core.keys.zones import UTC, Zone, parse_zone
from hudi_core.options import KeyGeneratorType as Kind
from hudi_core.options import TableConfig, generator_of_class, generator_of_type, infer_generator

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", re.ASCII)
_METHODS = ("record_key", "partition_path")


def load_generator(name: str, option: str) -> UserGenerator:
    """An instance of the class `module:Class`.

    Raises `UnsupportedError` for a class in Java, `UsageError` for one that is not there or lacks a method.
    """
    if not _NAME.fullmatch(name):
        raise UnsupportedError(
            option, message=f"{name} is a Java class that is not Hudi's own; name a Python class as module:Class"
        )
    module, _, called = name.partition(":")
    try:
        loaded = getattr(importlib.import_module(module), called, None)
    except ModuleNotFoundError as missing:
        raise UsageError(option, expected="a module that can be imported", found=str(missing)) from missing
    except Exception as problem:  # of code that is not ours: any
        raise UsageError(option, expected="a module that can be imported", found=_show(problem)) from problem
    if not isinstance(loaded, type):
        raise UsageError(option, expected=f"a class {called} in the module {module}", found="none")
    try:
        generator = loaded()
    except Exception as problem:  # of code that is not ours: any
        raise UsageError(
            option, expected=f"a class {called} that takes no arguments", found=_show(problem)
        ) from problem
    return check_generator(generator, option)


def _show(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"


def check_generator(generator: object, where: str) -> UserGenerator:
    """The generator. Raises `UsageError` when it lacks a method."""
    for method in _METHODS:
        if not callable(getattr(generator, method, None)):
            raise UsageError(where, expected=f"a method {method}(row)", found=f"none in {type(generator).__name__}")
    return generator  # type: ignore[return-value]  # what was checked is what the protocol requires


@dataclass(frozen=True, slots=True)
class WriterEnvironment:
    """The settings that Apache Hudi takes from the writer's machine: its zone, and the current year (for two-digit years)."""

    zone: Zone = UTC
    year: int = 2025


UTC_MACHINE = WriterEnvironment()
"""A machine whose clock is set to UTC."""

_COUNTS = {
    "UNIX_TIMESTAMP": TimeUnit.SECONDS,
    "EPOCHMILLISECONDS": TimeUnit.MILLISECONDS,
    "EPOCHMICROSECONDS": TimeUnit.MICROSECONDS,
}
_TEXTS = ("DATE_STRING", "MIXED")
_TIMESTAMP_TYPES = ", ".join((*_COUNTS, "SCALAR", *_TEXTS))


def choose(
    properties: Mapping[str, str], *, writer: WritePath = WritePath.ROW, machine: WriterEnvironment = UTC_MACHINE
) -> AnyGenerator:
    """The generator that options of a write name; properties of a table count where options are missing.

    Raises `UsageError` with the option for what does not fit together,
    `UnsupportedError` for a class in Java that is not one of Hudi's.
    """
    options = key_options(properties)
    kind = choose_kind(options)
    if not isinstance(kind, Kind):
        return kind
    key = _record_key(kind, options, writer)
    style = PathStyle(options.hive_style, options.url_encode, options.slash_separated_dates)
    return Generator(kind, key, _parts(kind, options, machine), style, writer, options.consistent, machine.zone)


def generator_of_table(
    config: TableConfig,
    *,
    writer: WritePath = WritePath.ROW,
    machine: WriterEnvironment = UTC_MACHINE,
    bare_single_key: bool = False,
) -> AnyGenerator:
    """The generator of a table, by its properties.

    Where the complex generator has one key field, tables before version 9 do not record whether keys have its name:
    `bare_single_key` does (`table/keying.py` finds out). Raises what `choose` raises.
    """
    bare = {named.BARE_SINGLE_KEY: str(bare_single_key).lower()}
    return choose({**named.table_options(config), **bare}, writer=writer, machine=machine)


def choose_kind(options: KeyOptions) -> Kind | AnyGenerator:
    """The kind of generator, or the user's own, where the options name its class."""
    if options.generator_class:
        kind = generator_of_class(options.generator_class)
        return load_generator(options.generator_class, named.GENERATOR_CLASS) if kind is None else kind
    if options.generator_type:
        kind = generator_of_type(options.generator_type)
        if kind is None:
            raise UsageError(
                named.GENERATOR_TYPE, expected=f"one of {', '.join(Kind)}", found=repr(options.generator_type)
            )
        return kind
    return infer_generator(options.record_key, options.partition_path)


def _record_key(kind: Kind, options: KeyOptions, writer: WritePath) -> RecordKey:
    fields = options.record_key
    if not fields:
        if options.auto_instant is None:
            raise UsageError(
                named.RECORD_KEY,
                expected=f"key fields, or {named.AUTO_INSTANT} for generated keys",
                found="none",
            )
        return AutoKey(options.auto_instant, options.auto_task)
    match kind:
        case Kind.SIMPLE | Kind.TIMESTAMP:
            return BareKey(_one(fields, named.RECORD_KEY, kind))
        case Kind.COMPLEX:
            return BareKey(fields[0]) if options.has_bare_single_key and len(fields) == 1 else CompositeKey(fields)
        case Kind.CUSTOM:
            return BareKey(fields[0]) if len(fields) == 1 else CompositeKey(fields)
        case Kind.NON_PARTITION:
            # Spark's rows go through a check for simple keys there, which takes no null in any part.
            return BareKey(fields[0]) if len(fields) == 1 else CompositeKey(fields, whole=writer is not WritePath.AVRO)
        case Kind.GLOBAL_DELETE:
            return CompositeKey(fields)
        case Kind.METADATA_TABLE | Kind.USER_PROVIDED:
            raise UnsupportedError(
                named.GENERATOR_TYPE,
                message=f"{kind.value} has no rule of its own; give a class in Python as {named.GENERATOR_CLASS}=module:Class",
            )


def _parts(kind: Kind, options: KeyOptions, machine: WriterEnvironment) -> tuple[PathPart, ...]:
    fields = options.partition_path
    match kind:
        case Kind.SIMPLE:
            return (ValuePart(_one(_bare(fields), named.PARTITION_PATH, kind)),)
        case Kind.COMPLEX:
            return tuple(map(ValuePart, _bare(fields)))
        case Kind.TIMESTAMP:
            return (TimePart(_one(_bare(fields), named.PARTITION_PATH, kind), clock(options, machine)),)
        case Kind.CUSTOM:
            return tuple(_custom_part(field, options, machine) for field in fields)
        case _:
            return ()


def _one(fields: tuple[str, ...], option: str, kind: Kind) -> str:
    if len(fields) != 1:
        raise UsageError(
            option, expected=f"one field, as the generator {kind.value} has it", found=", ".join(fields) or "none"
        )
    return fields[0]


def _bare(fields: tuple[str, ...]) -> tuple[str, ...]:
    """Without what tables append to partition fields for generators that need it."""
    return tuple(field.partition(":")[0].strip() for field in fields)


def _custom_part(stated: str, options: KeyOptions, machine: WriterEnvironment) -> PathPart:
    field, _, how = stated.partition(":")
    match how.upper():
        case "SIMPLE":
            return ValuePart(field)
        case "TIMESTAMP":
            return TimePart(field, clock(options, machine))
        case _:
            raise UsageError(
                named.PARTITION_PATH, expected="fields as `name:simple` or `name:timestamp`", found=repr(stated)
            )


def list_lacking_times(options: KeyOptions) -> list[str]:
    """The names of the options that a clock needs and that are missing."""
    wanted = {named.TIMESTAMP_TYPE: options.timestamp_type, named.OUTPUT_FORMAT: options.output_format}
    if (options.timestamp_type or "").upper() in _TEXTS:
        wanted[named.INPUT_FORMATS] = options.input_formats
    return [name for name, value in wanted.items() if value is None]


def clock(options: KeyOptions, machine: WriterEnvironment) -> Clock:
    """How the options of timestamp-based paths read and print times."""
    kind = (options.timestamp_type or "").upper()
    if kind not in _COUNTS and kind != "SCALAR" and kind not in _TEXTS:
        timestamp_type = repr(options.timestamp_type) if options.timestamp_type else "none"
        raise UsageError(named.TIMESTAMP_TYPE, expected=f"one of {_TIMESTAMP_TYPES}", found=timestamp_type)
    if options.output_format is None:
        raise UsageError(named.OUTPUT_FORMAT, expected="the pattern of partition paths", found="none")
    if kind in _TEXTS and options.input_formats is None:
        raise UsageError(named.INPUT_FORMATS, expected=f"the patterns of texts, for {kind}", found="none")
    forms = _split(options.input_formats, options.input_delimiter) if kind in _TEXTS and options.input_formats else []
    return Clock(
        parse_pattern(options.output_format, named.OUTPUT_FORMAT),
        _COUNTS.get(kind, _unit(options.scalar_unit) if kind == "SCALAR" else None),
        tuple(parse_pattern(form, named.INPUT_FORMATS) for form in forms),
        _zone(options.zone or options.input_zone, named.ZONE if options.zone else named.INPUT_ZONE),
        _zone(options.zone or options.output_zone, named.ZONE if options.zone else named.OUTPUT_ZONE),
        machine.year,
    )


def _split(forms: str, delimiter: str) -> list[str]:
    try:
        parts = re.split(delimiter, forms)
    except re.error as problem:
        raise UsageError(
            named.INPUT_DELIMITER, expected="a regular expression", found=f"{delimiter!r} ({problem})"
        ) from None
    return [form.strip() for form in parts if form and form.strip()]


def _unit(name: str) -> TimeUnit:
    unit = TimeUnit.__members__.get(name.upper())
    if unit is None:
        raise UsageError(named.SCALAR_UNIT, expected=f"one of {', '.join(TimeUnit.__members__)}", found=repr(name))
    return unit


def _zone(name: str | None, option: str) -> Zone | None:
    return parse_zone(name, option) if name else None
