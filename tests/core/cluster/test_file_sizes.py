"""The sizes of files, and the files of rows, before a clustering runs."""

from __future__ import annotations

import numpy as np

from hudi_core.cluster.file_sizes import WrittenSizes, divide_files


def test_files_that_are_much_too_large_are_cut_by_number() -> None:
    """CLUSTER-670: as a run cuts them."""
    files, file_of = divide_files(np.zeros(60, np.int64), 1, 6)
    assert files == 6
    assert np.bincount(file_of).tolist() == [10] * 6
    assert np.flatnonzero(file_of == 0).tolist() == list(range(10))
    files, file_of = divide_files(np.array([0] * 6 + [1] * 3), 2, 3)
    assert (files, file_of.tolist()) == (2, [0] * 6 + [1] * 3)


def test_a_file_has_its_fixed_part_and_a_part_for_each_row() -> None:
    assert WrittenSizes(100.0, 2.0).sizes(np.array([0.0, 10.0])).tolist() == [0.0, 120.0]
