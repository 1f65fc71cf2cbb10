"""The command line: `hudi-core`. It finds engines by entry point and names none.

main      the application: commands, errors to exit status
options   what several commands share: table, engine, metadata mode, output form
output    NDJSON or tables for people
tables    inspect, timeline, schema, files
explain   which step removed what, and why
read      rows to the terminal or a file
demo      a guided tour on a table it brings along
page      the explanation as one self-contained HTML page
"""
