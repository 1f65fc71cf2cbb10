"""Which file holds the record of a key: tagLocation."""
