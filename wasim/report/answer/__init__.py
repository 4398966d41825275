"""The answer of a run, computed: which commit interval, what it costs, until when it keeps up; as values and as text.

`choice` holds what each interval of the sweep means, picks one and says why; `sentences` puts that in words.
"""

from wasim.report.answer.choice import Answer, Choice, Conclusion, LimitOutcome, Option, answer_run
from wasim.report.answer.sentences import answer_document, conclude, state_facts
from wasim.report.simulated import measured_line
