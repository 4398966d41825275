"""Journal ─► recording and requests, and the audit of the recording against a listing of the table.

`journal` walks the journal's lines; `interleaved` orders several writers' by step; `requests` counts what S3
was asked; `kinds` says what a file is; `audit` compares the events with what is there.
"""

from wasim.collect.audit import audit, list_table
from wasim.collect.journal import JournalContents, read_journal
from wasim.collect.kinds import classify

__all__ = ["JournalContents", "audit", "classify", "list_table", "read_journal"]
