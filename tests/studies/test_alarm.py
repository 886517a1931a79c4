"""The study of the alarm: its fast form is the alarm itself."""

import numpy as np
import pytest

from heldout.over_time.alarm import Alarm
from studies.alarm import drawn
from studies.detectors import evidence, ours, threshold


def test_the_evidence_of_many_shards_is_that_of_the_alarm():
    rng = np.random.default_rng(0)
    alarm = Alarm.of([*drawn(rng, 0.1, (4, 50))])
    shards = np.concatenate([drawn(rng, 0.1, (3, 20)), drawn(rng, 0.25, (3, 20))])
    one_by_one = []
    for rows in shards:
        alarm = alarm.after(rows)
        one_by_one.append(alarm.value)
    assert one_by_one == pytest.approx(evidence(Alarm.of([*drawn(np.random.default_rng(0), 0.1, (4, 50))]), shards))


def test_a_fixed_threshold_cries_wolf_and_the_alarm_does_not():
    rng = np.random.default_rng(0)
    reference, quiet = drawn(rng, 0.05, (4, 300)), drawn(rng, 0.05, (1000, 100))
    assert np.isfinite(threshold(reference, quiet))
    assert not np.isfinite(ours(reference, quiet[:200]))
