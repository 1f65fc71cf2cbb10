"""Parquet's metadata, read from a footer's own bytes: which statistics may be trusted, and where pages lie.

chunks      column chunks of a Parquet file, read from the footer's own bytes
leaves      column statistics in a Parquet footer: of each leaf column over all row groups, in the form of `hudi_core.values`
page_index  which rows of a row group the pages of a column chunk hold, by Parquet's offset index
thrift      thrift's compact protocol, in which Parquet writes footers and page headers
"""
