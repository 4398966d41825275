"""The answer of a run, computed: which commit interval, what it costs, until when it keeps up; as values and as text.

`options` holds what each interval of the sweep means; `choice` picks one and says why; `sentences` puts that in words.
"""

from wasim.report.answer.choice import Answer, Choice, answer_run
from wasim.report.answer.measured import measured_line
from wasim.report.answer.options import LimitOutcome, Option, Verdict
from wasim.report.answer.sentences import answer_document, conclude, state_facts

__all__ = [
    "Answer",
    "Choice",
    "LimitOutcome",
    "Option",
    "Verdict",
    "answer_document",
    "answer_run",
    "conclude",
    "measured_line",
    "state_facts",
]
