"""A candidate whose fits of E_prog and of the half models fail keeps its E_cv in a run too, as in a notebook."""

import sys

import pytest

import heldout
from heldout.errors import LearnerWarning
from tasks.fits import half_model_disagreement, run_schemes, saved_fits
from tasks.fits.compare_halves import compare_halves
from tasks.fits.fit_schemes import fit_schemes
from tasks.outcome.read_validation import choose, read_validation
from tasks.runtime.errors import UserError
from tasks.storage import files

MODULE = """
from sklearn.naive_bayes import GaussianNB


class Oversampled(GaussianNB):
    def fit(self, X, y):
        if len(X) < 45:
            raise ValueError("too few rows of a class")
        return super().fit(X, y)
"""
BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
OVER = "{name: over, estimator: own_oversampling.Oversampled}"
LACKING = {"E_prog", "E_2cv", "E_train"}


@pytest.fixture
def ran(prepared, checkout, monkeypatch):
    """A function: what every stage but `prepare` and `select` does, with fits in this process; the settings."""
    (checkout / "own_oversampling.py").write_text(MODULE)
    monkeypatch.syspath_prepend(checkout)

    def here(_settings, _what, todo, *_more, **_further):
        return [one.function(*one.arguments) for one in todo]

    for module in (run_schemes, half_model_disagreement):
        monkeypatch.setattr(module, "run_all", here)

    def run(*candidates, deliver="final"):
        changes = f"candidates=[{', '.join(candidates)}]", f"deliver={deliver}", "covalidation.repeats=3"
        settings = prepared(*changes, "execution.allowed_modules=[sklearn, own_oversampling]")
        fitted = fit_schemes(settings)
        saved_fits.write(settings, fitted, compare_halves(settings, fitted))
        return settings

    yield run
    sys.modules.pop("own_oversampling", None)


def test_the_numbers_and_the_reasons_are_those_of_a_notebook(ran):
    settings = ran(BAYES, OVER)
    validation = read_validation(settings)
    assert {} == validation.failed
    assert ("bayes", "over") == validation.candidates
    assert LACKING == {*validation.lacking["over"]}
    assert "too few rows" in validation.evidence["over"].failed["covalidation"]
    X, y = files.read_table(files.LABELED)
    learners = {one.name: one.learner() for one in settings.candidates}
    with pytest.warns(LearnerWarning, match="over: no E_prog"):
        made = heldout.validate(learners, X, y, folds=5, repeats=3, race="off", progress=False)
    for name in made:
        found = {estimate: record.value for estimate, record in validation[name].items()}
        assert {estimate: made[name][estimate].value for estimate in found} == pytest.approx(found)
    assert not LACKING & {*validation["over"]}
    assert {"bayes", "over"} == {*choose(settings, validation).values}
    by_halves = settings.model_copy(update={"selection": settings.selection.model_copy(update={"criterion": "E_2cv"})})
    assert {"bayes"} == {*choose(by_halves, read_validation(by_halves)).values}


def test_where_all_candidates_lack_them_the_run_goes_on_unless_they_decide(ran):
    settings = ran(OVER)
    assert "over" == choose(settings, read_validation(settings)).selected
    by_halves = settings.model_copy(update={"selection": settings.selection.model_copy(update={"criterion": "E_2cv"})})
    with pytest.raises(UserError, match="selection.criterion.*E_2cv.*too few rows"):
        choose(by_halves, read_validation(by_halves))


def test_what_is_delivered_may_not_fail(ran):
    validation = read_validation(ran(BAYES, OVER, deliver="progressive"))
    assert ["over"] == [*validation.failed]
    assert ("bayes",) == validation.candidates
