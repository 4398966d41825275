"""The machine: a table, stepped through its commits by Iceberg's rules, event by event.

An event is a merge, a compaction, a rewrite of manifests or a statement; what appends do between two of them is summed
in closed form. All is plain numbers in rows, and its functions use scalars and loops alone: `compiled` compiles them
where numba is installed, and without it they run as they stand, on lists.

A row of manifests stands for some that are equal, a row of partitions for those that are open at the same time. Counts
are means, so no whole numbers.
"""
