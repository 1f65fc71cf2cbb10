"""Rows: rules that look at values, written once over an engine's operations.

truth            the truth of a predicate on every row of a batch
project          a batch of one schema as rows of another
merge_rules      how a table merges records, as its properties say
merge            which of the records with one key wins, column by column
comparable       ordering values as arrays that compare
binlog           places in MySQL's binary log as texts that sort
delete_ordering  ordering values of delete blocks
"""
