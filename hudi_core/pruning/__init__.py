"""Which files can hold matching rows: the statistics of all files as NumPy columns, searched at memory speed.

intervals   what each file may hold of a column, as two keys: the form in which statistics are searched
key_ranges  sets of keys: which values of a column give an outcome, as ranges of the integers that stand for its values
loaded      statistics as they were loaded, put to a predicate without being put into another form first
order_keys  keys: integers that sort as the values of a column do; and where a literal is among them, whatever literal it
            is
ordered     A column's files in the order of its lower bounds, in blocks with a summary each: most questions open a few blocks
            only
own_files   data skipping over files of any kind, by statistics that the caller has
program     A predicate's outcome as a program over statistics, and running it over files
promoted    statistics of a column under the type it was stored with, as statistics of the type that is wanted
ranks       texts as numbers in their order: their ranks among each other, and their places among a few literals
search      the numbers of the files for which a program is true: through the order of a column when few come that way, else
            by a mask over all files
statistics  statistics of one column over many files, as decoded: bounds and counts as arrays; and how values become numbers
store       the statistics of all files of a table, a column at a time, and the plans that are made from them
"""
