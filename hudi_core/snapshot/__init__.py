"""A table at an instant: schema, listing, file slices, footers kept between processes.

complete_listing  whether a listing has the files that the latest commit wrote: a test of metadata whose bytes are inferred.
                  Rule META-710
external_files  files of other writers that were registered where they are: their names in metadata have a suffix. Rule
                TABLE-741
footer_cache  statistics in footers of base files, kept in a local file between processes. Rule SOURCE-19
mode          whether the metadata table is read
snapshot      `Snapshot`: a table at an instant: its schema, file slices and metadata, each looked up when first needed; whether
              a timeline is lost. Rule TABLE-1370
time_travel   which times a table can still be read at: not those whose files were cleaned away. Rules QUERY-1 to QUERY-4
"""
