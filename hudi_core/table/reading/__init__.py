"""The rows of file slices.

slices  base files read, brought to the wanted schema by column id, filtered
"""
