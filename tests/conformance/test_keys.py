"""Keys and paths: what Apache Hudi makes of fields and texts, and the keys that its tables hold."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.front.opening import open_table
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.choose import choose, choose_kind
from hudi_core.keys.composite import key_parts
from hudi_core.keys.generator import AutoKey, Generator
from hudi_core.keys.options import AUTO_INSTANT, key_options
from hudi_core.keys.path_values import HIVE_DEFAULT, escape, escape_name, unescape
from hudi_core.options import generator_of_class, infer_generator
from hudi_core.schema.meta import PARTITION_PATH
from hudi_core.schema.meta import RECORD_KEY as KEY_COLUMN
from hudi_core.table.keying import table_generator
from hudi_core.table.table import Table
from tests.conformance.deviations.keys import DEVIATIONS
from tests.support.conformance import TableEntry, each_table_where, vectors
from tests.support.ledger import REFUSED, Ledger, attempt


def of_kind(subject: str, operation: str) -> list[dict[str, Any]]:
    return [case for case in vectors(subject) if case["op"] == operation]


def test_keys_are_taken_apart() -> None:
    ledger = Ledger("keys", DEVIATIONS)
    for case in of_kind("key_generators", "extract_keys"):
        text, fields = case["input"]["text"], case["input"]["fields"]
        for name, ours in (("plain", key_parts(text)), ("by_fields", key_parts(text, fields))):
            theirs = case["output"][name]
            endless = theirs.get("error", {}).get("class") == "does not return"
            question = {"ask": "parts", "endless": endless, **case["input"]}
            ledger.settle(case, question, list(ours), theirs.get("value", REFUSED))
    ledger.close()


def test_generators_are_inferred_from_fields() -> None:
    ledger = Ledger("keys", DEVIATIONS)
    for case in of_kind("key_generators", "infer"):
        key, partition = (_names(case["input"][name]) for name in ("record_key", "partition"))
        ledger.settle(case, {"ask": "infer"}, infer_generator(key, partition).value, case["output"])
    for case in of_kind("key_generators", "class_name"):
        ours = choose_kind(key_options(case["input"]["properties"]))
        ledger.settle(case, {"ask": "class"}, ours, generator_of_class(case["output"]["spark"]["value"]))
    ledger.close()


def test_keys_are_generated_where_no_field_is_stated() -> None:
    ledger = Ledger("keys", DEVIATIONS)
    for case in of_kind("key_generators", "auto_enabled"):
        properties = case["input"]["properties"]
        made: Any = choose({**properties, AUTO_INSTANT: "20240101000000000"})
        question = {"ask": "auto enabled", "properties": properties}
        ledger.settle(case, question, isinstance(made.key, AutoKey), case["output"])
    ledger.close()


def test_strings_of_paths_are_escaped() -> None:
    ledger = Ledger("keys", DEVIATIONS)
    for case in of_kind("partition_paths", "escape"):
        text, output = case["input"]["text"], case["output"]
        shown = escape(text) if text else HIVE_DEFAULT
        ledger.settle(case, {"ask": "escape"}, shown, output["escape_path_name"]["value"])
        ledger.settle(case, {"ask": "escape"}, shown, output["escape_partition_value"]["value"])
        ledger.settle(case, {"ask": "escape"}, unescape(shown), output["round_trip"]["value"])
        ledger.settle(case, {"ask": "escape"}, text and escape_name(text), output["escape_file_name"].get("value"))
    ledger.close()


def test_escapes_are_undone() -> None:
    ledger = Ledger("keys", DEVIATIONS)
    for case in of_kind("partition_paths", "unescape"):
        text = case["input"]["text"]
        if text is not None:  # no counterpart here
            ledger.settle(case, {"ask": "unescape", "text": text}, unescape(text), case["output"])
    ledger.close()


def _names(answer: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (answer or "").split(",") if part.strip())


@pytest.mark.one_of(2)
@each_table_where(
    lambda entry: entry.expected["table"]["populate_meta_fields"] and entry.expected["snapshot"]["rows"],
    "keys in its rows",
)
def test_keys_of_rows_are_those_that_tables_hold(entry: TableEntry) -> None:
    table = open_table(str(entry.unpacked()))
    generator = stated_generator(table)
    if generator is None:
        return
    names = {path.partition(".")[0] for path in (*generator.key.fields, *(part.field for part in generator.parts))}
    scan = table.scan(columns=[KEY_COLUMN, PARTITION_PATH, *sorted(names)])
    maker: KeyGenerator[Any, Any] = KeyGenerator(generator, scan.schema, table.engine.values)
    for batch in rows_of(entry, scan):
        found = maker.keys(table.engine.rows.root(batch))
        if not isinstance(generator.key, AutoKey):
            assert found.record_key.to_pylist() == batch.column(KEY_COLUMN).to_pylist()
        assert found.partition_path.to_pylist() == batch.column(PARTITION_PATH).to_pylist()


def stated_generator(table: Table) -> Generator | None:
    """The generator that a table's properties say; None where they do not say how times are printed, which is refused."""
    auto = {} if table.config.record_key_fields else {AUTO_INSTANT: "0"}
    made = attempt(lambda: table_generator(table, auto))
    if made == REFUSED:
        with pytest.raises(UsageError, match=r"timestamp\.type"):
            table_generator(table, auto)
        return None
    assert isinstance(made, Generator)
    return made


def rows_of(entry: TableEntry, scan: Any) -> Any:
    """The batches of a scan; for tables whose base files need a reader that is not there, none, and it is said so."""
    if not entry.requires:
        return scan.batches()
    with pytest.raises(UnsupportedError):
        list(scan.batches())
    return []
