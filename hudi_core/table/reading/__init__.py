"""The rows of file slices.

slices      the way to read each slice
base_files  base files read, brought to a wanted schema by column id
ahead       streams read side by side in threads, given one after the other
wanted      the columns a query gives and looks at, and the rows that match
"""
