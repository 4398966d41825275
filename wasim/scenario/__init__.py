"""Scenarios: one YAML file per question. The only gate to YAML.

`parts` is the language, `load` reads it and says what is wrong and where, `sweep` takes it apart into cases.
"""

from wasim.scenario.case import Case, case_from_document
from wasim.scenario.load import load_scenario
from wasim.scenario.parts import Arrivals
from wasim.scenario.scenario import Scenario
from wasim.scenario.sweep import LoadedScenario
