"""Which runs are trials, that never register a model or move the alias `champion`."""

import pytest

from tasks.runtime.errors import UserError
from tasks.track.trial import why_trial

SCHEDULED, ASKED, BY_HAND = {"scheduled": True}, {"asked": True}, {}


@pytest.fixture(autouse=True)
def no_experiment(monkeypatch):
    for name in ("DVC_EXP_NAME", "DVC_EXP_BASELINE_REV"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("promote", "started", "overrides", "why"),
    [
        ("scheduled", SCHEDULED, [], ""),
        ("scheduled", ASKED, [], ""),
        ("scheduled", BY_HAND, [], "by hand"),
        ("scheduled", SCHEDULED, ["split.folds=5"], "split.folds"),
        ("scheduled", BY_HAND, ["split.folds=5"], "split.folds"),
        ("scheduled", ASKED, ["execution.workers=1", "tracking.uri=sqlite:///x.db"], ""),
        ("always", BY_HAND, [], ""),
        ("always", BY_HAND, ["split.folds=5"], ""),
        ("never", SCHEDULED, [], "never"),
        ("never", BY_HAND, [], "never"),
    ],
)
def test_only_a_run_of_the_schedule_or_one_that_is_asked_to_may_promote(
    settings_with, promote, started, overrides, why
):
    told = why_trial(settings_with(f"tracking.promote={promote}"), overrides, **started)
    assert why in told
    assert bool(why) == bool(told)


@pytest.mark.parametrize("name", ["DVC_EXP_NAME", "DVC_EXP_BASELINE_REV"])
@pytest.mark.parametrize("promote", ["scheduled", "always"])
def test_an_experiment_of_dvc_is_always_a_trial(settings_with, monkeypatch, name, promote):
    monkeypatch.setenv(name, "of DVC's")
    assert "experiment" in why_trial(settings_with(f"tracking.promote={promote}"), asked=True, scheduled=True)


@pytest.mark.parametrize(
    ("promote", "overrides", "key"),
    [("never", [], "tracking.promote is never"), ("scheduled", ["split.folds=5"], "split.folds is overridden")],
)
def test_what_cannot_be_promoted_is_refused_where_it_is_asked_for(settings_with, promote, overrides, key):
    with pytest.raises(UserError, match=f"^--promote: {key}.*leave --promote out"):
        why_trial(settings_with(f"tracking.promote={promote}"), overrides, asked=True)
