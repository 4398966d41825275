"""Journal ─► recording, and the audit of its books against a listing of the table.

`journal` walks the journal's lines; `together` puts those of several writers in turn; `kinds` says what a file is;
`audit` holds the events against what is there.
"""

from wasim.spark.collect.audit import audit, list_table
from wasim.spark.collect.journal import read_recording
from wasim.spark.collect.kinds import classify

__all__ = ["audit", "classify", "list_table", "read_recording"]
