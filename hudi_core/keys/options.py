"""`hoodie.*` options of key generators, checked once and typed."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hudi_core.errors import UsageError, describe
from hudi_core.options import Flag, KeyEncoding, KeyGeneratorType, Names, TableConfig

_WRITE = "hoodie.datasource.write"
_TIME = "hoodie.keygen.timebased"
_TIME_BEFORE = "hoodie.deltastreamer.keygen.timebased"
TIMESTAMP_TYPE = f"{_TIME}.timestamp.type"
SCALAR_UNIT = f"{_TIME}.timestamp.scalar.time.unit"
INPUT_FORMATS = f"{_TIME}.input.dateformat"
INPUT_DELIMITER = f"{_TIME}.input.dateformat.list.delimiter.regex"
OUTPUT_FORMAT = f"{_TIME}.output.dateformat"
INPUT_ZONE = f"{_TIME}.input.timezone"
OUTPUT_ZONE = f"{_TIME}.output.timezone"
ZONE = f"{_TIME}.timezone"
CONSISTENT = f"{_WRITE}.keygenerator.consistent.logical.timestamp.enabled"
OPTIONS_OF_TIMES: Final = frozenset(
    {
        TIMESTAMP_TYPE,
        SCALAR_UNIT,
        INPUT_FORMATS,
        INPUT_DELIMITER,
        OUTPUT_FORMAT,
        INPUT_ZONE,
        OUTPUT_ZONE,
        ZONE,
        CONSISTENT,
    }
)
"""The options of times in partition paths, by their current names. Writers of Apache Hudi get them with each write: it stores
them, except the last, with tables of TIMESTAMP alone, and not with those of CUSTOM."""
RECORD_KEY = f"{_WRITE}.recordkey.field"
PARTITION_PATH = f"{_WRITE}.partitionpath.field"
GENERATOR_CLASS = f"{_WRITE}.keygenerator.class"
GENERATOR_TYPE = f"{_WRITE}.keygenerator.type"
SLASHES = f"{_WRITE}.slash.separated.date.partitioning"
ENCODING = "hoodie.table.complex.keygenerator.encoding"
"""The property that states whether the key of one field has its name under the complex generator."""
BARE_SINGLE_KEY = "hoodie.write.complex.keygen.new.encoding"
AUTO_INSTANT = "_hoodie.record.key.gen.instant.time"
AUTO_TASK = "_hoodie.record.key.gen.partition.id"

_NEAR: Final = 0.9
"""How alike a name is to one of an option of keys if it is meant to be it. None of Apache Hudi's other options is."""

SINCE_NAMED = 9
"""The table version from which the key of one field has its name under the complex generator, whatever the option is."""


def _time(option: str) -> AliasChoices:
    return AliasChoices(option, option.replace(_TIME, _TIME_BEFORE))


def _upper(text: object) -> object:
    return text.upper() if isinstance(text, str) else text


class KeyOptions(BaseModel):
    """The options that concern keys. Where an option of the writer is missing, the table's property counts."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=False)

    record_key: Names = Field((), validation_alias=AliasChoices(RECORD_KEY, "hoodie.table.recordkey.fields"))
    partition_path: Names = Field((), validation_alias=AliasChoices(PARTITION_PATH, "hoodie.table.partition.fields"))
    generator_class: str | None = Field(
        None, validation_alias=AliasChoices(GENERATOR_CLASS, "hoodie.table.keygenerator.class")
    )
    generator_type: str | None = Field(
        None, validation_alias=AliasChoices(GENERATOR_TYPE, "hoodie.table.keygenerator.type")
    )
    hive_style: Flag = Field(False, validation_alias=f"{_WRITE}.hive_style_partitioning")
    url_encode: Flag = Field(False, validation_alias=f"{_WRITE}.partitionpath.urlencode")
    slash_separated_dates: Flag = Field(False, validation_alias=SLASHES)
    consistent: Flag = Field(False, validation_alias=CONSISTENT)
    bare_single_key: Flag = Field(False, validation_alias=BARE_SINGLE_KEY)
    encoding: Annotated[KeyEncoding | None, BeforeValidator(_upper)] = Field(None, validation_alias=ENCODING)
    """Wins over `bare_single_key` and the table's version."""
    table_version: int = Field(
        SINCE_NAMED, validation_alias=AliasChoices("hoodie.write.table.version", "hoodie.table.version")
    )
    auto_instant: str | None = Field(None, validation_alias=AUTO_INSTANT)
    auto_task: int = Field(0, validation_alias=AUTO_TASK)

    timestamp_type: str | None = Field(None, validation_alias=_time(TIMESTAMP_TYPE))
    scalar_unit: str = Field("SECONDS", validation_alias=_time(SCALAR_UNIT))
    input_formats: str | None = Field(None, validation_alias=_time(INPUT_FORMATS))
    input_delimiter: str = Field(",", validation_alias=_time(INPUT_DELIMITER))
    output_format: str | None = Field(None, validation_alias=_time(OUTPUT_FORMAT))
    input_zone: str | None = Field(None, validation_alias=_time(INPUT_ZONE))
    output_zone: str | None = Field(None, validation_alias=_time(OUTPUT_ZONE))
    zone: str | None = Field(None, validation_alias=_time(ZONE))
    """Counts for both when it is there."""

    @property
    def has_bare_single_key(self) -> bool:
        """Whether the key of one field is its value alone under the complex generator."""
        if self.encoding is not None:
            return self.encoding is KeyEncoding.VALUE_ONLY
        return self.bare_single_key and self.table_version < SINCE_NAMED


def table_options(config: TableConfig) -> dict[str, str]:
    """The options that a table's properties amount to."""
    options = dict(config.properties)
    if config.key_generator in (KeyGeneratorType.SIMPLE, KeyGeneratorType.COMPLEX) and config.slash_separated_dates:
        options[SLASHES] = "true"  # the option itself is not kept with a table; what reads its paths is
    return options


def is_time_option(name: str) -> bool:
    """Whether a name, current or older, is one of an option of times in partition paths."""
    return name.replace(_TIME_BEFORE, _TIME) in OPTIONS_OF_TIMES


def select_time_options(properties: Mapping[str, str]) -> dict[str, str]:
    """The options of times in partition paths among properties, by their current names. Raises `UsageError` for two values of one
    under both of its names. Rule KEY-1565."""
    selected: dict[str, str] = {}
    for option, value in properties.items():
        name, text = option.replace(_TIME_BEFORE, _TIME), value.strip()
        if not is_time_option(name) or not text:
            continue
        if selected.setdefault(name, text) != text:
            older = name.replace(_TIME, _TIME_BEFORE)
            raise UsageError(name, expected=f"one value, also as {older}", found=f"{selected[name]!r} and {text!r}")
    return selected


def refuse_misspelled(options: Mapping[str, str]) -> None:
    """Raises `UsageError` for options that have no effect on keys and are meant to: a name that is nearly one of theirs, or no
    name of Apache Hudi's at all. Rule KEY-1457."""
    if options and not any(isinstance(name, str) and name.startswith(("hoodie.", "_hoodie.")) for name in options):
        first = next(iter(options))
        raise UsageError("options of keys", expected=f"names as {RECORD_KEY}", found=describe(first))
    known = list(_names())
    for name in set(options) - set(known):
        if isinstance(name, str) and (near := difflib.get_close_matches(name, known, n=1, cutoff=_NEAR)):
            raise UsageError("options of keys", expected=near[0], found=name)


def _names() -> Iterator[str]:
    for field in KeyOptions.model_fields.values():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            yield from (str(choice) for choice in alias.choices)
        else:
            yield str(alias)


def key_options(properties: Mapping[str, str]) -> KeyOptions:
    """The options, typed. An empty value counts as absent. Raises `UsageError` with the option for one that cannot be meant."""
    for key, value in properties.items():
        if not isinstance(value, str):
            raise UsageError(str(key), expected="a value as text", found=describe(value))
    present: dict[str, Any] = {key: value.strip() for key, value in properties.items() if value.strip()}
    try:
        return KeyOptions.model_validate(present)
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        problem = first["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
        raise UsageError(key, expected=problem.removeprefix("expected "), found=repr(present.get(key))) from None
