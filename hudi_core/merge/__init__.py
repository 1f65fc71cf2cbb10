"""Which of the records with one key wins, and which columns of it. Rules: `specs/merging.md`.

binlog           places in a binary log as texts that sort: what MySQL's change records are ordered by. Rule MERGE-19
delete_ordering  ordering values of delete blocks as columns of the ordering fields' types. Rule MERGE-6
ordering_values  values of a column as a NumPy array whose items compare as the values do, so that whole columns can be
                 ordered
records          which of the records with one key wins, column by column where updates are partial. Rules: MERGE-1 to
                 MERGE-12
rules            how a table merges records: the mode Hudi infers from its properties, and what old payload classes mean. Rule
                 MERGE-1
"""
