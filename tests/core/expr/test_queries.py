"""Files of past queries."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.errors import ExpressionError, StorageError, UnknownColumnError, UsageError
from hudi_core.expr.build import col
from hudi_core.expr.queries import Query, as_queries, read_queries


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "queries.sql"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_predicate_a_line_counts_as_often_as_it_comes(tmp_path: Path) -> None:
    """ADVICE-7."""
    lines = "\ufeff-- of last week\n n = 1 ;\n\nn=1 -- again\r\n# by hand\ncity = '# no; comment'\n(n = 1)\n"
    assert read_queries(written(tmp_path, lines)) == (Query("n = 1", 3), Query("city = '# no; comment'", 1))


@pytest.mark.parametrize("line", ["n >", "n = 1; m = 2", "n = 'open"])
def test_invalid_predicates_are_reported_with_their_line(tmp_path: Path, line: str) -> None:
    """ADVICE-7."""
    path = written(tmp_path, f"-- one\nn = 1\n{line}\n")
    with pytest.raises(ExpressionError, match=r"queries\.sql, line 3: ") as caught:
        read_queries(path)
    assert len(str(caught.value).splitlines()) == 1


def test_a_query_that_does_not_fit_is_reported_with_its_line(tmp_path: Path) -> None:
    """ADVICE-7: each query is put once."""
    put: list[str] = []

    def check(where: str) -> None:
        put.append(where)
        if "zone" in where:
            raise UnknownColumnError("zone", message="there is no such column")

    with pytest.raises(ExpressionError, match="line 3: zone: there is no such column"):
        read_queries(written(tmp_path, "n = 1\nn = 1\nzone = 2\n"), check)
    assert put == ["n = 1", "zone = 2"]


def test_files_without_predicates_are_refused(tmp_path: Path) -> None:
    """ADVICE-7."""
    with pytest.raises(UsageError, match="expected a predicate a line, found no predicate"):
        read_queries(written(tmp_path, "-- nothing\n"))
    with pytest.raises(UsageError, match="UTF-8"):
        read_queries(written(tmp_path, b"n = '\xff'\n"))
    with pytest.raises(StorageError, match="No such file"):
        read_queries(tmp_path / "missing.sql")


def test_predicates_of_any_form_are_queries() -> None:
    given = as_queries(["n < 3", col("n") > 3, Query("n = 1", 7)])
    assert [(query.text, query.weight) for query in given] == [("n < 3", 1), ("n > 3", 1), ("n = 1", 7)]
