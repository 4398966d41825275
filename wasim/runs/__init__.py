"""Runs: their values, their folders, what is saved of them, and under which circumstances they were made."""

from wasim.runs.documents import Bill, bill_case, summary_document
from wasim.runs.folder import RunFolder, RunMarker, find_run, make_durable, open_run_folder, write_atomically
from wasim.runs.limits import LimitDocument, judge, measure
from wasim.runs.provenance import key_versions, note_provenance
from wasim.runs.saved import keep_case, read_recording, read_run, save_case
from wasim.runs.values import CaseRun, Run, Simulation
