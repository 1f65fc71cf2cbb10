"""Which of the records with one key wins, and which columns of it. Rules: `specs/merging.md`.

delete_ordering  ordering values of delete blocks as columns of the ordering fields' types. Rule MERGE-6
ordering_values  values of a column as a NumPy array whose items compare as the values do, so that whole columns can be
                 ordered; positions in a binary log as strings that sort. Rules MERGE-5, MERGE-19
records          which of the records with one key wins, column by column where updates are partial. Rules: MERGE-1 to
                 MERGE-12
rules            how a table merges records: the merge mode that Hudi infers, and the rules of payload classes. Rule MERGE-1
"""
