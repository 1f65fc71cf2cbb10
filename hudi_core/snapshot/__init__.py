"""A table at an instant: schema, listing, file slices, footers kept between processes."""
