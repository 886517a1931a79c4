"""Which runs are trials, that never register a model or move the alias `champion`."""

from types import SimpleNamespace

import pytest

from flows import night, trigger
from tasks.runtime.errors import UserError
from tasks.storage import files
from tasks.track import known_store
from tasks.track.trial import opens_sealed, why_trial

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


@pytest.mark.parametrize(
    ("changes", "trial", "said"),
    [
        (["selection.open_test=false"], "", True),
        (["selection.open_test=true"], "", False),
        (["selection.open_test=false", "split.test_fraction=0"], "", False),
        (["selection.open_test=false"], "by hand", False),
    ],
)
def test_a_run_that_opens_a_test_set_which_no_key_opens_says_so(settings_with, changes, trial, said):
    settings = settings_with("split.test_fraction=0.2", *changes)
    assert said == ("selection.open_test is false" in opens_sealed(settings, trial))


def test_only_the_first_night_says_that_it_opens_the_test_set(settings_with, checkout, monkeypatch, caplog):
    settings = settings_with("split.test_fraction=0.2", "selection.open_test=false")
    monkeypatch.setattr(night, "_end", lambda *_: None)
    for said in (1, 0):
        caplog.clear()
        with night.night(settings, ""):
            assert said == caplog.text.count("opens the sealed test set")
        files.write_json(known_store.HEADS, {settings.tracking.address: "3 0123456789abcdef"})


@pytest.mark.parametrize(
    ("flow", "open_test", "said"), [("validate", "false", 1), ("validate", "true", 0), ("watch", "false", 0)]
)
def test_the_line_of_a_trigger_says_that_the_night_opens_the_test_set(shipped, flow, open_test, said):
    client = SimpleNamespace(read_flow=lambda _: SimpleNamespace(name=flow))
    given = {"params": str(shipped), "overrides": [f"selection.open_test={open_test}", "tracking.promote=always"]}
    opens = trigger._opens(client, SimpleNamespace(flow_id=1, parameters=given))
    assert said == opens.count("opens the sealed test set")
