"""Which of the records with one key wins, and which columns of it. Rules: `specs/merging.md`."""
