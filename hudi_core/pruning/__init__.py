"""Which files can hold matching rows: the statistics of all files as NumPy columns, asked at memory speed.

columns    one column's statistics over many files as decoded; what carries the bounds of each type
texts      many byte texts in two arrays, and their bytes as words
wide       decimals of more than 18 digits: rescaling, many at once
promoted   statistics under the stored type as statistics of the wanted one
ranks      texts as numbers in their order, without comparing text by text
keysets    sets of keys as ranges: union, intersection, complement
keys       integers that sort as a column's values do, and where a literal stands among them
intervals  what each file may hold, as two keys; unknown, empty, NaN and contradiction are folded in
ordered    files in the order of a column's lower bounds, with the hull of each block
program    an outcome as a program over columns, and running it over files
search     the numbers of the files for which a program says yes
store      `FileStatistics` and `Plan`: columns read when needed, predicates put to all files
plain      the same questions about one file in plain Python, as the reference
"""
