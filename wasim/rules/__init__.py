"""Iceberg's rules as plain functions over numbers, each once: what merges, what compaction takes and makes, when
maintenance is due, what expires.

The exact twin asks them of single files, the machine of counts in flat arrays. They read and write nothing. Those that
the machine asks use scalars and loops alone, so that they may be compiled.
"""
