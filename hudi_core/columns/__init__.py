"""Columns in memory, in the layout of Arrow: strings, lists, unions, 128-bit integers, hashes and orders of them."""
