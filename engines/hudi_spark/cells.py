"""A column of values on Spark: its plan and its type; inside lists and maps the plan of all lists, changed item by item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import TypeAlias, cast

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, StructField, StructType

from hudi_core.types import nodes as t
from hudi_spark.structs import spark_type

Make: TypeAlias = Callable[..., Column]


@dataclass(frozen=True, eq=False)
class Cell:
    """Values of one type, or a mask (`type` is then Boolean, and no row is null).

    At depth 0 `plan` is the values. At depth n it is lists of ... lists of them, n deep, and operations run inside. Plans are
    made lazily and once: each piece of one is a call to the JVM.
    """

    source: Column | Callable[[], Column]
    type: t.Type
    depth: int = 0
    parts: tuple[Cell, ...] | None = None
    """The fields of records none of which is null, so that plans need not go through a struct."""
    always: bool | None = None
    """The answer of a mask that has one for all rows."""
    name: str | None = None
    """The name of a column of a DataFrame."""

    @cached_property
    def plan(self) -> Column:
        made = self.source
        return cast(Column, made() if isinstance(made, FunctionType) else made)


def lift(make: Make, *cells: Cell) -> Column:
    """The plan that `make` gives of the values' plans; cells have one depth, and lists of one length in it."""
    return _at_depth(make, [cell.plan for cell in cells], [cell.type for cell in cells], cells[0].depth)


def lift_plan(make: Make, type: t.Type, *cells: Cell) -> Cell:
    """A cell of the plan that `make` gives."""
    return Cell(lambda: lift(make, *cells), type, cells[0].depth)


def mask(make: Make, *cells: Cell) -> Cell:
    """A mask of the plan that `make` gives."""
    return lift_plan(make, t.Boolean(), *cells)


def constant(answer: bool, like: Cell) -> Cell:
    """The same answer for all rows of `like`."""
    return Cell(lambda: lift(lambda _: F.lit(answer), like), t.Boolean(), like.depth, always=answer)


def record(fields: Sequence[tuple[str, Cell]], type: t.Record) -> Cell:
    """Records of these fields, none of them null."""
    return Cell(
        lambda: F.struct(*[cell.plan.alias(name) for name, cell in fields]), type, 0, tuple(cell for _, cell in fields)
    )


def field_of(struct: Cell, position: int) -> Cell:
    """A field of records, or a branch of unions; null where they are null."""
    if struct.parts is not None:
        return struct.parts[position]
    field = t.children(struct.type)[position]
    return lift_plan(lambda plan: plan.getField(field.name), field.type, struct)


def struct_of(fields: Sequence[tuple[str, Cell]], type: t.Type, nulls: Cell) -> Cell:
    """Structs of these fields, null where `nulls` is true."""
    names = [name for name, _ in fields]

    def make(null: Column, *plans: Column) -> Column:
        whole = F.struct(*[plan.alias(name) for name, plan in zip(names, plans, strict=True)])
        return F.when(~null, whole)

    return lift_plan(make, type, nulls, *[cell for _, cell in fields])


def elements_of(array: Cell, element: t.Field, change: Callable[[Cell], Cell]) -> Cell:
    """Lists with what `change` makes of their elements."""
    assert isinstance(array.type, t.Array)
    changed = change(Cell(array.plan, array.type.element.type, array.depth + 1))
    return Cell(changed.plan, t.Array(element), array.depth)


def deep_type(type: DataType, depth: int) -> DataType:
    """The type of lists of lists of ... values, so many deep."""
    return type if depth == 0 else ArrayType(deep_type(type, depth - 1))


def _at_depth(make: Make, plans: list[Column], types: list[t.Type], depth: int) -> Column:
    if depth == 0:
        return make(*plans)
    if len(plans) == 1:
        return F.transform(plans[0], lambda item: _at_depth(make, [item], types, depth - 1))
    # Side by side before they go in: inside, Spark takes no plan that runs Python. The cast gives the parts their names.
    names = [f"x{number}" for number in range(len(plans))]
    fields = [
        StructField(name, deep_type(spark_type(logical), depth - 1)) for name, logical in zip(names, types, strict=True)
    ]
    together = F.arrays_zip(*plans).cast(ArrayType(StructType(fields)))
    return F.transform(
        together, lambda item: _at_depth(make, [item.getField(name) for name in names], types, depth - 1)
    )
