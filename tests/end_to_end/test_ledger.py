"""The contamination ledger over many runs: a learner counts once for each partition, and the price is told."""

import json
import math
from dataclasses import dataclass

import pytest
from scipy.stats import beta

pytestmark = pytest.mark.long
BAYES, NEIGHBOURS = "sklearn.naive_bayes.GaussianNB", "sklearn.neighbors.KNeighborsClassifier"
FIRST = [{"name": "bayes", "estimator": BAYES}, {"name": "neighbours", "estimator": NEIGHBOURS}]
RENAMED = [{**FIRST[0], "name": "another"}, {**FIRST[1], "name": "names"}]
SMOOTHED = {**FIRST[0], "params": {"var_smoothing": 0.5}}
SCALED = {**FIRST[0], "name": "scaled", "preprocess": "sklearn.preprocessing.StandardScaler"}
PATH = {**FIRST[0], "name": "path", "family": {"parameter": "var_smoothing", "values": [0.5, 0.1]}}
GREEDY = {"name": "greedy", "estimator": NEIGHBOURS, "params": {"n_neighbors": 1000}}
BREAST_CANCER = {"data": {"source": "sklearn:breast_cancer", "positive": None}}


@dataclass(frozen=True)
class Told:
    """What one run left in selection.json, and printed."""

    selection: dict
    words: str


@pytest.fixture(scope="module")
def story(clone, server, write_params, tmp_path_factory) -> dict[str, Told]:
    """One run after the other, in one checkout."""
    checkout, path = clone(server), tmp_path_factory.mktemp("user") / "params.yaml"

    def run(candidates, *overrides, **changes) -> Told:
        changes["intervals"] = {"E_cv": "Bayle within folds"}
        changes["data"] = {"labeled_rows": 60, **changes.get("data", {})}
        write_params(path, candidates=candidates, **changes)
        said = checkout.flow("validate", "--params", path, *(f"--set={override}" for override in overrides)).stdout
        return Told(json.loads((checkout.path / "reports/selection.json").read_text()), " ".join(said.split()))

    return {
        "two learners": run(FIRST),
        "the same with another seed": run(FIRST, "seed=1"),
        "the same under other names": run(RENAMED, selection={"rule": "indistinguishable"}),
        "one with another setting": run([SMOOTHED, FIRST[1]]),
        "one more behind preprocessing": run([FIRST[0], SCALED]),
        "a path, and one that fails": run([PATH, GREEDY]),
        "another experiment of the store": run(FIRST, "tracking.experiment=other"),
        "other data": run(FIRST, **BREAST_CANCER),
        "fewer labels of the same data": run(FIRST, data={"labeled_rows": 55}),
    }


COUNTS = {
    "two learners": 2,
    "the same with another seed": 4,
    "the same under other names": 4,
    "one with another setting": 5,
    "one more behind preprocessing": 6,
    "a path, and one that fails": 7,
    "another experiment of the store": 7,
    "other data": 2,
    "fewer labels of the same data": 9,
}


def test_each_learner_ever_compared_on_the_same_rows_counts_once_for_each_partition(story):
    assert COUNTS == {name: told.selection["contamination"] for name, told in story.items()}


def test_the_bound_pays_for_all_of_them_and_the_print_tells_the_price(story):
    for name, told in story.items():
        rows = 11 if name == "fewer labels of the same data" else 12
        bound, alone, count = told.selection["bound"], told.selection["bound_of_one"], COUNTS[name]
        errors = round(rows * (told.selection["bound_hoeffding"] - math.sqrt(math.log(count / 0.05) / (2 * rows))))
        # the candidates of this run may share the levels that they have among all that were compared
        shared = 1 if name == "a path, and one that fails" else 2
        low, high, one = (beta.isf(0.05 * part, errors + 1, rows - errors) for part in (shared / count, 1 / count, 1))
        assert high == pytest.approx(bound, abs=1e-9)
        assert one == pytest.approx(alone, abs=1e-9)
        joint = told.selection["bound_joint"]
        assert joint is None or (shared > 1 and low - 1e-9 <= joint < high)
        price, method = bound - alone, told.selection["bound_method"]
        assert "Clopper-Pearson" == method
        assert (
            f"at most {100 * bound:.1f} %: the upper {method} limit of its E_val, for all pairs of a learner"
            in told.words
        )
        assert f"compared on these labels, {count} so far" in told.words
        assert f"the comparison of more than one adds {100 * price:.1f} percentage points" in told.words


def test_a_rule_that_looks_for_the_simplest_takes_the_first_of_those_that_are_alike(story):
    told = story["the same under other names"].selection
    assert "indistinguishable" == told["rule"]
    assert told["indistinguishable"][0] == told["selected"]
