"""Parquet's metadata, read from a footer's own bytes: which statistics may be trusted, and where pages lie.

calendars   the calendar in which a Parquet file counts its days and instants. Rule FORMAT-1571
chunks      column chunks of a Parquet file, read from the footer's own bytes, and files put together of them
key_values  the key-value pairs of a Parquet file's footer, read from its bytes
page_index  which rows of a row group the pages of a column chunk hold, by Parquet's offset index
statistics  column statistics in a Parquet footer, and which of its bounds may be trusted; in the form of `hudi_core.values`
thrift      thrift's compact protocol, in which Parquet writes footers and page headers
"""
