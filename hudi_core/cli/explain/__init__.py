"""`explain`: why a query reads the file slices it reads, as text, as data, and as a page with pictures.

command   the command: steps, conditions, reasons, totals
picture   one column of a predicate on an axis: where matching values lie, and those of each file slice
scale     values of a column on an axis from 0 to 1
drawing   a picture as SVG
page      the explanation as one self-contained HTML page (with `page.css` and `page.js`)
"""
