"""Long histories of a table, stepped from event to event over flat arrays.

`columns` says what stands where. `lookups`, `draws`, `manifests`, `files`, `commits`, `statements` and `stepping` are
plain functions over lists, or compiled by `compiled` over arrays of the same layout; they ask `wasim.rules`.
"""
