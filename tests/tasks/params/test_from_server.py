"""What a run of a deployment may be given by whoever has the server's login."""

import shutil

import pytest

from tasks.params.from_server import check_given
from tasks.runtime.errors import UserError


@pytest.fixture
def params(shipped, checkout):
    shutil.copy(shipped, checkout / "params.yaml")
    (checkout / "away").symlink_to(checkout.parent)
    return "params.yaml"


@pytest.mark.parametrize(
    "override",
    [
        "split.folds=5",
        "candidates.0.name=other",
        "loss=null",
        "data={source: sklearn:iris}",
        "execution.workers=1",
        "tracking.experiment=other",
        "tracking.uri=sqlite:///mlruns/other.db",
        "tracking={uri: sqlite:///other.db, artifacts: null, experiment: heldout, registered_model: null, "
        "promote: scheduled}",
        "operations.promote_level=0.95",  # as the file has it
    ],
)
def test_the_method_may_be_overridden_and_the_store_stays_in_the_checkout(override, params):
    check_given(params, [override])


@pytest.mark.fault("hostile")
@pytest.mark.parametrize(
    ("override", "key", "value"),
    [
        ("tracking.uri=sqlite:////srv/mlflow.db", "tracking.uri", "sqlite:////srv/mlflow.db"),
        ("tracking.uri=sqlite:///../mlflow.db", "tracking.uri", "../mlflow.db"),
        ("tracking.uri=sqlite:///away/mlflow.db", "tracking.uri", "away/mlflow.db"),
        ("tracking.uri=sqlite:///file:/srv/x?uri=true", "tracking.uri", "uri=true"),
        ("tracking.uri=http://evil.example", "tracking.uri", "evil.example"),
        ("tracking.uri=[1]", "tracking.uri", "[1]"),
        ("tracking={uri: http://evil.example}", "tracking.uri", "evil.example"),
        ("tracking=null", "tracking", "None"),
        ("tracking.promote=always", "tracking.promote", "always"),
        ("operations.promote_level=0.5", "operations.promote_level", "0.5"),
        ("execution.allowed_modules=[os]", "execution.allowed_modules", "os"),
        ("execution={workers: 1, allowed_modules: [os]}", "execution.allowed_modules", "os"),
        ("execution.scheduler=tcp://evil.example:8786", "execution.scheduler", "evil.example"),
    ],
)
def test_where_results_go_whose_code_runs_and_what_is_promoted_is_what_the_file_says(override, key, value, params):
    with pytest.raises(UserError) as refused:
        check_given(params, ["split.folds=5", override])
    assert all(word in str(refused.value) for word in ("overrides", key, value, "execution.workers", params))


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("outside", ["../params.yaml", "away/params.yaml", "/etc/params.yaml"])
def test_the_parameters_lie_in_the_checkout(outside, params, checkout):
    shutil.copy(params, checkout.parent)
    with pytest.raises(UserError, match=r"params is .*checkout alone"):
        check_given(outside, [])
