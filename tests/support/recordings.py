"""Cases that engine `spark` carried out, and the tables that it left."""

import json

from support.paths import DATA
from wasim.scenario import Case, case_from_document

RECORDINGS = DATA / "recordings"
RECORDED = sorted(path.name for path in RECORDINGS.iterdir())


def recorded_case(name: str) -> Case:
    """The case of that recording."""
    return case_from_document(json.loads((RECORDINGS / name / "case.json").read_text()))
