"""HFile version 3. Rules: `specs/formats.md`.

file     a file: open, read whole, look up, by prefix
trailer  its trailer, its protobuf messages and its file info
index    its block indexes
block    its blocks: frame, checksums, compression
cells    its rows: cells found in blocks, and found by key
"""
