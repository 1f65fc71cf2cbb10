"""What values become where the rules of promotion differ from Apache Hudi's: made from the value and both types."""

from __future__ import annotations

import re
import uuid
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext

import numpy as np

from hudi_core.types import nodes as t
from tests.conformance.deviations import REFUSED, Question


def does_not_fit(q: Question) -> object:
    """One reason, at the column; or just that there is one."""
    return [("TYPE_MISMATCH", f"/{q['column']}")] if q["form"] == "reasons" else True


def multiplied(q: Question) -> object:
    """A date's days, or a time's parts of a second, in the wanted unit."""
    if isinstance(q["from"], t.Date):
        return q["value"] * 86_400 * q["to"].unit.value
    return q["value"] * (q["to"].unit.value // q["from"].unit.value)


def cut(q: Question) -> object:
    return q["value"] // (q["from"].unit.value // q["to"].unit.value)


def rescaled(value: Decimal, to: t.Decimal, *, exact: bool = True) -> object:
    """The number with the scale of the type; refused where a digit would be lost, or one before the point has no room."""
    with localcontext(prec=1000):
        made = value.quantize(Decimal(1).scaleb(-to.scale), rounding=ROUND_HALF_UP) if value.is_finite() else value
    if not made.is_finite() or (exact and made != value) or len(made.as_tuple().digits) > to.precision:
        return REFUSED
    return made


def same_number(q: Question) -> object:
    return rescaled(q["value"], q["to"])


def _number_of(q: Question) -> Decimal | None:
    """The number that a value of any type says by its text."""
    try:
        return Decimal(text_of(q).strip())
    except ArithmeticError:
        return None


def text_of(q: Question) -> str:
    """The text of a value: of a number, as Java writes it."""
    match q["value"]:
        case bytes() as held:
            return held.decode("utf-8", "surrogateescape")
        case Decimal() as number:
            return f"{number:f}"
        case float():
            return _java_text(
                str(np.float32(q["value"])) if isinstance(q["from"], t.Float) else repr(q["value"]), q["value"]
            )
        case int() as days if isinstance(q["from"], t.Date):
            return (date(1970, 1, 1) + timedelta(days)).isoformat()
        case other:
            return str(other)


def _java_text(text: str, value: float) -> str:
    """The shortest digits of a number, two at least, in Java's form: scientific below a thousandth and from ten millions on."""
    number = Decimal(text)
    if not number.is_finite():
        return {"inf": "Infinity", "-inf": "-Infinity"}.get(text, "NaN")
    sign, digits, exponent = number.normalize().as_tuple()
    exponent += len(digits) - 1  # type: ignore[operator]
    if number == 0 or -3 <= exponent < 7:
        plain = f"{number:f}"
        return plain if "." in plain else f"{plain}.0"
    shown = "".join(map(str, digits)) if len(digits) > 1 else f"{abs(value):.1e}"[:3].replace(".", "").rstrip("0")
    return f"{'-' * sign}{shown[0]}.{shown[1:] or '0'}E{exponent}"


def plain(q: Question) -> object:
    return text_of(q)


def as_uuid(q: Question) -> object:
    try:
        return str(uuid.UUID(text_of(q)))
    except ValueError:
        return REFUSED


def as_decimal(q: Question) -> object:
    """A number that is a value, or the text of one, with what is finer than the scale rounded off."""
    number = _number_of(q)
    return REFUSED if number is None else rescaled(number, q["to"], exact=isinstance(q["from"], t.Int | t.Long))


def by_way_of_text(q: Question) -> object:
    if isinstance(q["to"], t.Binary):
        return text_of(q).encode()
    return as_decimal(q) if isinstance(q["from"], t.Binary) else REFUSED


def of_two_changes(q: Question) -> object:
    return as_day(q) if isinstance(q["to"], t.Date) else text_of(q).encode()


def as_day(q: Question) -> object:
    """The day that a text says by Spark's cast: a month or a day may be missing, what follows a blank or a T does not count."""
    found = _DAY.fullmatch(text_of(q).strip())
    try:
        return (date(*(int(part or 1) for part in found.groups())) - date(1970, 1, 1)).days if found else REFUSED
    except ValueError:
        return REFUSED


_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?", re.ASCII)


def truth(q: Question) -> object:
    return "true" if q["value"] else "false"
