"""A params.yaml from a stranger: what is too large is refused in a short message, and nothing outside is written."""

import copy
from pathlib import Path

import pytest
import yaml

from tasks.params import load, read_yaml, written
from tasks.runtime.errors import UserError
from tests.tasks.mistakes import mistake_of

pytestmark = pytest.mark.fault("hostile")

SHIPPED = Path(__file__).parents[3] / "params.yaml"
TEXT = SHIPPED.read_text(encoding="utf-8")
RAW = yaml.safe_load(TEXT)
BAYES = {"estimator": "sklearn.naive_bayes.GaussianNB"}
SCALER = {"estimator": "sklearn.preprocessing.StandardScaler"}
STEPS = [["scale", SCALER], ["last", BAYES]]
PIPE = {"estimator": "sklearn.pipeline.Pipeline", "params": {"steps": STEPS}}
BIG = "x" * 20_000
MOST_LETTERS = 10_000
URI = "sqlite:///mlruns/mlflow.db"


def candidate(estimator, **more) -> dict:
    return {"candidates": [{"name": "a", "estimator": estimator, **more}]}


def search(**grid) -> dict:
    return candidate("sklearn.model_selection.GridSearchCV", params={"estimator": PIPE, "param_grid": grid})


GIANT = {
    "name": {"candidates": [{"name": BIG, **BAYES}]},
    "estimator": candidate(f"sklearn.{BIG}"),
    "no module": candidate(BIG),
    "parameter": candidate("sklearn.svm.SVC", params={BIG: 1}),
    "value": candidate("sklearn.svm.SVC", params={"kernel": BIG}),
    "key": {BIG: 1},
    "loss": {"loss": BIG},
    "interval": {"intervals": {"E_val": BIG}},
    "section": {"data": BIG},
    "allowed modules": {
        **candidate("os.system"),
        "execution": {"allowed_modules": [f"m{number}" for number in range(2_000)]},
    },
    "mistakes": {"candidates": [1] * 1000},
    # each has more learners than the limit of a thousand
    "grid": candidate("sklearn.svm.SVC", grid={"C": [*range(1, 1_100)]}),
    "family": candidate("sklearn.svm.SVC", family={"parameter": "C", "values": [*range(1, 1_100)]}),
    "search": search(steps=[STEPS] * 11, last=[BAYES] * 10, last__var_smoothing=[*range(1, 11)]),
}


def refused(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load(path)
    return str(caught.value)


@pytest.mark.parametrize("changes", GIANT.values(), ids=GIANT)
def test_what_is_too_large_is_refused_in_a_short_message(tmp_path, changes):
    path = tmp_path / "params.yaml"
    path.write_text(yaml.dump({**copy.deepcopy(RAW), **changes}, Dumper=yaml.CSafeDumper, width=10_000_000))
    assert len(refused(path)) < MOST_LETTERS


def test_a_file_beyond_the_limit_is_not_parsed(tmp_path, monkeypatch):
    path = tmp_path / "params.yaml"
    path.write_text(TEXT)
    load(path)
    monkeypatch.setattr(written, "_MOST_LETTERS", len(TEXT) - 1)
    monkeypatch.setattr(read_yaml, "read", lambda *_: pytest.fail("it was parsed"))
    assert str(len(TEXT) - 1) in refused(path)


def test_a_message_of_many_lines_keeps_the_first_and_the_last():
    lines = str(UserError("\n".join([*map(str, range(1000)), BIG]))).split("\n")
    assert ["0", "1"] == lines[:2]
    assert "… and 981 more" == lines[-2]
    assert (21, 903) == (len(lines), len(lines[-1]))


@pytest.mark.parametrize(
    "uri",
    [
        "sqlite:////srv/evil.db",
        "sqlite:///../evil.db",
        "sqlite:///mlruns/../../evil.db",
        "sqlite:///file:../evil.db?uri=true",
        "sqlite+pysqlite:////srv/evil.db",
        "sqlite://",
        "file:///srv/evil",
        "/srv/evil",
        "../evil",
        "evil",
    ],
)
def test_no_store_is_written_outside_of_the_checkout(tmp_path, uri):
    path = tmp_path / "params.yaml"
    path.write_text(TEXT.replace(URI, uri))
    mistake = mistake_of(refused(path))
    assert "tracking.uri" == mistake.key
    assert repr(uri) in mistake.text


@pytest.mark.parametrize("uri", ["sqlite:///other/x.db", "sqlite:///x.db", "https://a.example", "postgresql://a@b/c"])
def test_other_stores_may_be_named(tmp_path, uri):
    path = tmp_path / "params.yaml"
    path.write_text(TEXT.replace(URI, uri))
    assert uri == load(path).tracking.uri


def test_a_store_with_its_absolute_path_in_the_checkout_may_be_named(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(TEXT.replace(URI, f"sqlite:///{Path.cwd()}/x.db"))
    assert load(path).tracking.uri.endswith("/x.db")


def test_a_module_that_ends_the_process_when_it_is_imported_is_refused(tmp_path):
    (tmp_path / "leaves.py").write_text("raise SystemExit(0)\n")
    path = tmp_path / "params.yaml"
    execution = {"allowed_modules": ["sklearn", "leaves"]}
    path.write_text(yaml.safe_dump({**RAW, **candidate("leaves.Learner"), "execution": execution}))
    assert "candidates[0].estimator" == mistake_of(refused(path)).key
