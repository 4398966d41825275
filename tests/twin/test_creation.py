"""The simulated table before its first commit: what its properties make of it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.synthetic import synthetic_case

from wasim.iceberg import properties as keys
from wasim.model import read_appends
from wasim.scenario.changes import Evolution
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.twin.creation import new_table
from wasim.twin.data_files import data_files_of
from wasim.twin.event_log import EventLog
from wasim.twin.table import SimulatedTable

BOOLEANS = st.sampled_from(["true", "TRUE", "false", "yes", "1", ""])
MODES = st.sampled_from(["none", "counts", "full", "truncate(16)", "Truncate(4)"])
PROPERTIES = st.fixed_dictionaries(
    {},
    optional={
        keys.MANIFEST_MERGE_ENABLED: BOOLEANS,
        keys.MANIFEST_MIN_MERGE_COUNT: st.integers(-2, 200).map(str),
        keys.MANIFEST_TARGET_SIZE_BYTES: st.integers(1, 2**40).map("{:+d}".format),
        keys.METADATA_PREVIOUS_VERSIONS_MAX: st.integers(-2, 200).map(str),
        keys.METADATA_COMPRESSION: st.sampled_from(["gzip", "GZIP", "none", "None"]),
        keys.METRICS_MAX_INFERRED_COLUMN_DEFAULTS: st.integers(-2, 20).map(str),
        keys.DEFAULT_WRITE_METRICS_MODE: MODES,
        f"{keys.METRICS_MODE_COLUMN_CONF_PREFIX}a_1": MODES,
    },
)


@given(properties=PROPERTIES)
def test_the_table_and_the_model_read_properties_alike(properties):
    case = synthetic_case(writer="batch", properties=properties)
    table, appends = table_of(case), read_appends(case)
    assert appends.merges == table.rules.policy.enabled
    assert appends.min_count_to_merge == table.rules.policy.min_count
    assert appends.target_manifest_bytes == table.rules.policy.target_bytes
    assert appends.log_limit == table.json.properties.metadata_previous_versions_max
    assert appends.gzip_json == table.json.is_gzip
    leaves = data_files_of(case, shipped_profile(case)).leaves
    assert appends.statistics_columns == sum(leaf.bound_length is not None for leaf in leaves)


@pytest.mark.parametrize("text", ["yes", "1", "on", " true"])
def test_what_is_not_true_is_false_in_table_and_model(text):
    case = synthetic_case(writer="batch", properties={keys.MANIFEST_MERGE_ENABLED: text})
    assert not read_appends(case).merges
    assert not table_of(case).rules.policy.enabled


def table_of(case) -> SimulatedTable:
    profile, rng = shipped_profile(case), np.random.default_rng(1)
    return new_table(case, profile, data_files_of(case, profile), site=Site(), log=EventLog(folder=None), rng=rng)


def test_properties_that_the_table_has_already_commit_nothing():
    case, given = synthetic_case(horizon_s=6.0), {"k": "v"}
    evolutions = tuple(Evolution(at=at, set_properties=given) for at in (2.0, 4.0))
    profile, versions = shipped_profile(case), []
    for count in (0, 1, 2):
        evolved = replace(case, evolution=evolutions[:count])
        versions.append(simulate_table(evolved, profile, np.random.default_rng(3)).table.version)
    assert versions == [versions[0], versions[0] + 1, versions[0] + 1]
