"""Journal ─► recording, and the audit of its books against a listing of the table.

`journal` walks the journal's lines; `together` puts those of several writers in turn; `kinds` says what a file is;
`audit` holds the events against what is there.
"""

from wasim.collect.audit import audit, list_table
from wasim.collect.journal import read_recording
from wasim.collect.kinds import classify

__all__ = ["audit", "classify", "list_table", "read_recording"]
