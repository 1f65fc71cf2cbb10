"""Known faults as data: each is planted in a copy of the sources, and the tests that stand for its rule have to fail."""
