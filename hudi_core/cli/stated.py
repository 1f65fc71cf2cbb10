"""Properties of services on the command line: `--option`, over what the table states. Rule UPKEEP-1241."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from hudi_core.cli.arguments import names_and_values
from hudi_core.errors import UsageError
from hudi_core.services.given_properties import read_given

_FORM: Final = "hoodie.NAME=VALUE"

ServiceOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="K=V", help="A hoodie.* property of services, over the table's; repeatable."),
]


def service_properties(given: list[str] | None) -> dict[str, str]:
    """The properties that were typed. Raises `UsageError` for another form, and for a property that no service reads."""
    properties = names_and_values("--option", given, _FORM)
    other = next((name for name in properties if not name.startswith("hoodie.")), None)
    if other is not None:
        raise UsageError("--option", expected=_FORM, found=other)
    return read_given(properties, "--option")
