"""A history cut off at a commit."""

import numpy as np
import pytest

from wasim.years.flows import DELETES, Flow
from wasim.years.samples import Samples


def samples_at(*commits: float) -> Samples:
    numbered = np.arange(float(len(commits)))
    return Samples.of(np.column_stack([commits, *[numbered] * 8]), np.column_stack([numbered] * 30))


def test_a_history_until_a_commit_has_every_sample_of_it():
    """Those before its jobs and after them, as the history itself would have, had it ended there."""
    until = samples_at(0, 2, 2, 2, 5).until(2)
    assert until.commits.tolist() == [0, 2, 2, 2]
    assert until.flows[-1].tolist() == [3.0] * 30


def test_between_two_samples_the_last_one_is_drawn():
    until = samples_at(0, 2, 2, 6).until(3)
    assert until.commits.tolist() == [0, 2, 2, 3]
    assert until.list_bytes[-1] == pytest.approx(2.25)


def test_checkpoints_count_bytes_left_of_data_and_deletes():
    history = samples_at(0, 4)
    for place, size in ((0, 100.0), (DELETES, 10.0)):
        history.flows[:, Flow.WRITTEN_FILES + place + 1] = [0.0, 4 * size]
        history.flows[:, Flow.REMOVED_FILES + place + 1] = [0.0, size]
    assert history.checkpoints.live_bytes.tolist() == [82.0, 165.0, 248.0, 330.0]
    for place, size in ((0, 5.0), (DELETES, 2.0)):
        history.flows[:, Flow.WRITTEN_MANIFESTS + place + 1] = size
    history.flows[:, Flow.LIST_BYTES] = 1.0
    assert history.metadata_bytes.tolist() == [8.0, 8.0]


def test_flows_between_samples_are_those_after_maintenance():
    history = samples_at(0, 2, 2, 2, 5)
    found = [history.flows_after(commits)[0] for commits in (0.0, 1.0, 2.0, 3.5, 5.0, 9.0)]
    assert found == pytest.approx([0, 0.5, 3, 3.5, 4, 4], abs=0.01)


def test_each_deletion_vector_is_a_delete_file():
    """Of five entries two are of data files; the vectors of the other three are in one file."""
    history = samples_at(0, 4)
    history.entries[:] = 5.0
    history.flows[:, Flow.WRITTEN_FILES] = 3.0
    history.flows[:, Flow.REMOVED_FILES] = 1.0
    history.flows[:, Flow.WRITTEN_FILES + DELETES] = 1.0
    assert history.delete_files.tolist() == [3.0, 3.0]


def test_a_rest_of_sums_is_no_delete_file():
    history = samples_at(0, 4)
    history.entries[:] = 5.0 + 1e-11
    history.flows[:, Flow.WRITTEN_FILES] = 5.0
    history.flows[:, Flow.REMOVED_FILES] = 0.0
    assert history.delete_files.tolist() == [0.0, 0.0]
