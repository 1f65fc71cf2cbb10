"""A nested type taken apart, so that many changes to it cost one pass in all; what is not touched stays whole."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import replace

from hudi_core.errors import UnknownColumnError, list_names
from hudi_core.schema.meta import is_meta
from hudi_core.schema.schema import Path
from hudi_core.types.nodes import Field, Type, children
from hudi_core.types.walk import with_children


class Draft:
    """The fields directly inside a type, to be changed in place; fields further in are taken apart on access."""

    def __init__(self, type: Type) -> None:
        self.type = type
        fields = children(type)
        self.order = [field.id for field in fields]
        self.fields = {field.id: field for field in fields}
        self._ids = {field.name: field.id for field in fields}
        self._folded = Counter(field.name.lower() for field in fields)
        self._inner: dict[int, Draft] = {}

    def get(self, path: Path, where: str) -> Field:
        """The field of the path's last name. Raises `UnknownColumnError` with the names that come close."""
        column_id = self._ids.get(path[-1])
        if column_id is not None:
            return self.fields[column_id]
        close = difflib.get_close_matches(path[-1].lower(), self._folded, n=3, cutoff=0.6)
        near = [".".join((*path[:-1], name)) for name in self._ids if name.lower() in close][:3]
        there = [".".join((*path[:-1], name)) for name in self._ids if not is_meta(name)]
        hint = f"; did you mean {' or '.join(near)}?" if near else f"; columns are {list_names(there)}" if there else ""
        missing = ".".join(path)
        raise UnknownColumnError(where, message=f"no such column{'' if missing == where else f' as {missing}'}{hint}")

    def holder(self, name: str, *, case_sensitive: bool) -> str | None:
        """The name of the field that has this name, or one that differs from it by case only."""
        if case_sensitive or not self._folded[name.lower()]:
            return name if name in self._ids else None
        return name if name in self._ids else next(held for held in self._ids if held.lower() == name.lower())

    def inside(self, field: Field) -> Draft:
        """The field's type, taken apart."""
        draft = self._inner.get(field.id)
        if draft is None:
            draft = self._inner[field.id] = Draft(field.type)
        return draft

    def add(self, field: Field, index: int) -> None:
        self.order.insert(index, field.id)
        self._hold(field)

    def remove(self, field: Field) -> None:
        self.order.remove(field.id)
        self._let_go(field)
        self._inner.pop(field.id, None)

    def put(self, field: Field) -> None:
        """The field in place of the one with its id; one that is equal changes nothing."""
        held = self.fields[field.id]
        if field != held:
            self._let_go(held)
            self._hold(field)

    def close(self) -> Type:
        """The type as it has become; the very same object when nothing has changed."""
        for column_id, inner in self._inner.items():
            field = self.fields[column_id]
            closed = inner.close()
            if closed is not field.type:
                self.fields[column_id] = replace(field, type=closed)
        return with_children(self.type, tuple(map(self.fields.__getitem__, self.order)))

    def _hold(self, field: Field) -> None:
        self.fields[field.id] = field
        self._ids[field.name] = field.id
        self._folded[field.name.lower()] += 1

    def _let_go(self, field: Field) -> None:
        del self.fields[field.id], self._ids[field.name]
        self._folded[field.name.lower()] -= 1
