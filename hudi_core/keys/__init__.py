"""Which key and partition path a row has."""
