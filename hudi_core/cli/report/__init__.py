"""`report`: what there is to know of a table at a glance, as text, as JSON, and as a page with pictures.

The modules:
command   the command, and its text for people
facts     the facts, read once
page      the page
pictures  the pictures of the page: commits over time, sizes of files
"""
