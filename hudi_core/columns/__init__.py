"""Columns in memory, in the layout of Arrow: strings, lists, unions, 128-bit integers, hashes and orders of them.

byte_strings  many byte strings in two arrays, and their bytes eight at a time as numbers that sort as the bytes do
concat        parts of a column joined one after the other, so that each part's memory is free again when the next one is made
decimals      decimals: Avro's big-endian bytes to numbers of whole words and back, whole columns at a time. No loop over rows
hashes        hash ids, keys of the metadata table's indexes made of them, and key to file group. Rules FORMAT-9 to FORMAT-12
int128        integers of 128 bits, many at once: from and to bytes and strings that sort, and rescaled as long decimals
length_chain  where items lie of which each is an int32 length and that many bytes, so that one leads to the next
murmur        murmur2 as Hadoop has it, over whole columns of keys, round after round. Rule FORMAT-25
nodes         columns of decoded values: NumPy arrays in Arrow's memory layout, so that an engine wraps them without a copy
slicing       some of the rows of a column: from one to another without a copy, those that a mask keeps, those that are not
              null
spans         spans of bytes scattered in a buffer, copied into one array each after the other
string_index  where the strings of one column are in another: a prepared index over one side, probed with whole columns of the
              other
strings       columns of strings: made, chosen, joined, and put in order
unions        unions with and without a branch for null: Avro has one, engines have null flags in its place
xxh32         XXH32 over whole columns of strings. Rule INDEX-15
"""
