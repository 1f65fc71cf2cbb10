"""`hoodie.*` options of key generators, checked once and typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hudi_core.errors import CorruptFileError, UsageError, describe
from hudi_core.options import KeyEncoding, KeyGeneratorType, TableConfig, flag, names
from hudi_core.stated_records import (
    Reader,
    choice,
    default_to,
    read_as,
    take,
    text,
    text_or_none,
    whole_number,
)

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

SINCE_NAMED = 9
"""The table version from which the key of one field has its name under the complex generator, whatever the option is."""


def _of_time(option: str, read: Reader[Any]) -> Any:
    return take(option, option.replace(_TIME, _TIME_BEFORE), read=read)


@dataclass(frozen=True, slots=True)
class KeyOptions:
    """The options that concern keys. Where an option of the writer is missing, the table's property counts."""

    record_key: tuple[str, ...] = take(RECORD_KEY, "hoodie.table.recordkey.fields", read=names)
    partition_path: tuple[str, ...] = take(PARTITION_PATH, "hoodie.table.partition.fields", read=names)
    generator_class: str | None = take(GENERATOR_CLASS, "hoodie.table.keygenerator.class", read=text_or_none)
    generator_type: str | None = take(GENERATOR_TYPE, "hoodie.table.keygenerator.type", read=text_or_none)
    hive_style: bool = take(f"{_WRITE}.hive_style_partitioning", read=flag)
    url_encode: bool = take(f"{_WRITE}.partitionpath.urlencode", read=flag)
    slash_separated_dates: bool = take(SLASHES, read=flag)
    consistent: bool = take(f"{_WRITE}.keygenerator.consistent.logical.timestamp.enabled", read=flag)
    bare_single_key: bool = take(BARE_SINGLE_KEY, read=flag)
    encoding: KeyEncoding | None = take(ENCODING, read=default_to(None, choice(KeyEncoding)))
    """Wins over `bare_single_key` and the table's version."""
    table_version: int = take(
        "hoodie.write.table.version", "hoodie.table.version", read=default_to(SINCE_NAMED, whole_number)
    )
    auto_instant: str | None = take(AUTO_INSTANT, read=text_or_none)
    auto_task: int = take(AUTO_TASK, read=default_to(0, whole_number))

    timestamp_type: str | None = _of_time(TIMESTAMP_TYPE, text_or_none)
    scalar_unit: str = _of_time(SCALAR_UNIT, default_to("SECONDS", text))
    input_formats: str | None = _of_time(INPUT_FORMATS, text_or_none)
    input_delimiter: str = _of_time(INPUT_DELIMITER, default_to(",", text))
    output_format: str | None = _of_time(OUTPUT_FORMAT, text_or_none)
    input_zone: str | None = _of_time(INPUT_ZONE, text_or_none)
    output_zone: str | None = _of_time(OUTPUT_ZONE, text_or_none)
    zone: str | None = _of_time(ZONE, text_or_none)
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


def key_options(properties: Mapping[str, str]) -> KeyOptions:
    """The options, typed. An empty value counts as absent. Raises `UsageError` with the option for one that cannot be meant."""
    for key, value in properties.items():
        if not isinstance(value, str):
            raise UsageError(str(key), expected="a value as text", found=describe(value))
    present = {key: value.strip() for key, value in properties.items() if value.strip()}
    try:
        return read_as(KeyOptions, present)
    except CorruptFileError as error:
        raise UsageError(error.where, expected=error.expected, found=repr(present.get(error.where))) from None
