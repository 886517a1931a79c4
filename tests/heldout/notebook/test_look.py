"""What `validate` knows of the table is in its verdict, and the forms in which candidates and rows are given."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GroupKFold, PredefinedSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline

import heldout
from heldout.errors import BadArgument, FitFailure

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
y = (X[:, 0] + 0.5 * RNG.normal(size=120) > 0).astype(int)
QUICK = {"estimates": ["E_cv"], "folds": 5, "progress": False}


@pytest.fixture(scope="module")
def visits() -> tuple[pd.DataFrame, np.ndarray]:
    """150 patients with four visits each, in random order: their visits are alike, and so are their labels."""
    rng = np.random.default_rng(0)
    of_patient = rng.normal(size=(150, 8))
    label = of_patient[:, 0] + 1.2 * rng.normal(size=150) > 0
    rows = rng.permutation(np.repeat(np.arange(150), 4))
    table = pd.DataFrame(of_patient[rows] + 0.3 * rng.normal(size=(600, 8)), columns=list("abcdefgh"))
    return table.assign(patient=1000 + 7 * rows), label[rows].astype(int)


def test_visits_of_patients_ship_with_care_until_groups_are_given_or_the_check_is_muted(visits):
    rows, labels = visits
    forest = RandomForestClassifier(20, random_state=0)
    made = heldout.validate(forest, rows, labels, **QUICK)
    [finding] = made.findings
    assert ("HLD006", ("patient",)) == (finding.code, finding.columns)
    decision = made.decide()
    assert "ship_with_care" == decision.verdict
    assert [caveat[:15] for caveat in decision.caveats] == ["HLD006 patient:"]
    assert "give heldout.validate groups, X['patient']" in str(made)
    assert "docs/checks.md; muted_checks=['HLD006'] mutes it" in made._repr_html_().replace("&#x27;", "'")
    muted = heldout.validate(forest, rows, labels, muted_checks=["HLD006"], **QUICK)
    assert ((), "ship") == (muted.findings, muted.decide().verdict)
    assert () == heldout.validate(forest, rows, labels, groups=rows["patient"], **QUICK).findings
    folds = {**QUICK, "folds": 10, "cv": GroupKFold(5).split(rows, labels, rows["patient"])}
    assert () == heldout.validate(forest, rows, labels, **folds).findings


def test_a_column_that_gives_the_answer_away_stops_the_verdict_also_of_a_saved_result(tmp_path):
    rows = pd.DataFrame(X, columns=list("abc")).assign(fee=5.0 * y)
    made = heldout.validate({"bayes": GaussianNB()}, rows, y, **QUICK)
    assert any(caveat.startswith("HLD001 fee: it alone predicts") for caveat in made.decide().caveats)
    assert "not_yet" == made.decide().verdict
    read = heldout.load(made.save(tmp_path / "result"))
    assert (made.findings, made.decide()) == (read.findings, read.decide())
    assert ["HLD001"] == made.findings.to_frame()["code"].tolist()


def test_a_table_that_cannot_be_looked_at_is_said_and_the_verdict_stays(monkeypatch):
    from scipy import sparse

    made = heldout.validate({"ridge": RidgeClassifier()}, sparse.csr_matrix(X), y, **QUICK)
    assert ((), "ship") == (made.findings, made.decide().verdict)
    assert "not looked at: the checks of a table need columns" in str(made)
    monkeypatch.setitem(sys.modules, "heldout.checks.doubts", None)
    monkeypatch.delattr("heldout.checks.doubts", raising=False)
    plain = heldout.validate({"ridge": RidgeClassifier()}, X, y, **QUICK)
    assert "need pandas, which is not installed" in str(plain)


def test_one_estimator_a_list_and_pairs_are_candidates():
    assert ("gaussiannb",) == heldout.validate(GaussianNB(), X, y, **QUICK).candidates
    both = [make_pipeline(GaussianNB()), GaussianNB(), RidgeClassifier()]
    assert ("gaussiannb-1", "gaussiannb-2", "ridgeclassifier") == heldout.validate(both, X, y, **QUICK).candidates
    pairs = [("a", GaussianNB()), ("b", RidgeClassifier())]
    assert heldout.validate(dict(pairs), X, y, **QUICK) == heldout.validate(pairs, X, y, **QUICK)
    for wrong, said in (([*pairs, pairs[0]], "the name 'a' twice"), ([], "must map"), ([GaussianNB], "call it")):
        with pytest.raises(BadArgument, match=said):
            heldout.validate(wrong, X, y, **QUICK)


@pytest.mark.parametrize("form", [pd.Series, list, np.array])
def test_a_text_for_each_row_reaches_the_learner_as_scikit_learn_gives_it(form):
    words = RNG.choice(["good", "bad", "film", "plot"], size=(120, 6), p=[0.2, 0.2, 0.3, 0.3])
    texts = [" ".join(of_row) for of_row in words]
    labels = ((words == "good").sum(axis=1) > (words == "bad").sum(axis=1)).astype(int)
    learner, cv = make_pipeline(TfidfVectorizer(), MultinomialNB()), PredefinedSplit(np.arange(120) % 5)
    made = heldout.validate(learner, form(texts), labels, cv=cv, estimates=["E_cv"], progress=False)
    assert made["multinomialnb"]["E_cv"].value == pytest.approx(
        1 - cross_val_score(learner, texts, labels, cv=cv).mean()
    )
    assert 1 == len(made.columns())


def test_a_single_split_is_a_test_set_of_ones_own():
    fold = np.where(np.arange(120) < 80, -1, 0)
    made = heldout.validate(GaussianNB(), X, y, cv=PredefinedSplit(fold), progress=False)
    wrong = GaussianNB().fit(X[:80], y[:80]).predict(X[80:]) != y[80:]
    assert ["E_in", "E_val"] == [*made["gaussiannb"]]
    assert wrong.mean() == made["gaussiannb"]["E_val"].value
    with pytest.raises(BadArgument, match="estimates has 'E_cv', and cv is PredefinedSplit"):
        heldout.validate(GaussianNB(), X, y, cv=PredefinedSplit(fold), estimates=["E_cv"], progress=False)
    with pytest.raises(BadArgument, match="has 1 rows in no part"):
        heldout.validate(GaussianNB(), X, y, cv=[(np.arange(80), np.arange(80, 119))], progress=False)


def profit(labels, answers, sample_weight=None):
    return float(np.average(np.where(labels == answers, 3.0, -10.0), weights=sample_weight))


def test_a_profit_has_a_direction_and_the_error_is_less_it():
    made = heldout.validate([GaussianNB(), RidgeClassifier()], X, y, **QUICK)
    with pytest.raises(BadArgument, match="greater_is_better=True takes - it as the error"):
        made.metric(profit)
    one, _ = made.metric(profit, greater_is_better=True).estimates
    assert one.value == pytest.approx(13 * made["gaussiannb"]["E_cv"].value - 3)
    assert one.low < one.value < one.high
    assert "- profit" in str(made.metric(profit, greater_is_better=True))
    with pytest.raises(BadArgument, match="True or False, of a function alone"):
        made.metric("AUC", greater_is_better=True)


def test_strings_and_early_stopping_say_what_to_do():
    from heldout.learners.remedies import with_remedy

    rows = pd.DataFrame({"a": X[:, 0], "s": np.where(X[:, 1] > 0, "x", "y")})
    with pytest.raises(FitFailure, match=r"heldout\.preprocessing\.auto\(learner\), learner\)"):
        heldout.validate(LogisticRegression(), rows, y, on_error="raise", **QUICK)
    said = "ValueError: For early stopping, at least one dataset and eval metric is required for evaluation"
    assert "leave it out and set the number of rounds" in with_remedy(said)
    assert "RuntimeError: no" == with_remedy("RuntimeError: no")


def test_what_a_result_returns_of_one_kind_is_a_data_frame_too():
    made = heldout.validate({"ridge": Ridge()}, pd.DataFrame(X), X[:, 0] + RNG.normal(size=120), progress=False)
    for one in (
        made["ridge"],
        made.baseline,
        made.columns(),
        made.prediction_powered(),
        made.differences(),
        made.more_rows(),
    ):
        assert len(one) == len(one.to_frame())
