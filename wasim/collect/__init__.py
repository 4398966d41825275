"""Journal ─► recording and requests, and the audit of the recording against a listing of the table.

`journal` walks the journal's lines; `requests` counts what S3 was asked; `audit` says what a file is, and compares the
events with what is there.
"""

from wasim.collect.audit import audit, classify, list_table
from wasim.collect.journal import read_journal
