"""The weekly study: what a choice promises on half of the rows, and what the other half says."""

import sys
from pathlib import Path

import pytest

from tasks.outcome import later_rows
from tasks.params import load
from tasks.runtime.errors import UserError

SHIPPED = Path(__file__).parents[3] / "params.yaml"
NEIGHBOURS = "sklearn.neighbors.KNeighborsClassifier, params: {n_neighbors: "
CANDIDATES = ", ".join(f"{{name: '{k}', estimator: {NEIGHBOURS}{k}}}}}" for k in (1, 3, 5, 7))


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Four learners that are nearly alike, on labels that nothing but their own rows tell."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{(n * 7919) % 1009},{(n * 104729) % 1013},{(n * 48271) % 7 % 2}" for n in range(120))
    (tmp_path / "rows.csv").write_text(f"a,b,target\n{rows}\n")

    def made(*changes: str):
        small = ["data.source=rows.csv", "data.positive=null", "data.labeled_rows=null", "split.test_fraction=0"]
        few = ["split.folds=3", "covalidation.repeats=4", "execution.workers=1", f"candidates=[{CANDIDATES}]"]
        return load(SHIPPED, [*small, *few, *changes])

    return made


@pytest.mark.long
def test_the_winner_promises_too_much_and_each_halving_depends_on_its_number_alone(settings):
    found = list(later_rows.compare(settings(), 4, minutes=60))
    assert found[:2] == list(later_rows.compare(settings("covalidation.repeats=2"), 4, minutes=60))
    *winners, together = later_rows.table(found)
    assert 4 == together["won"] == sum(line["won"] for line in winners)
    assert together["too low by"] > 0
    assert together["too low by"] == pytest.approx(together["error on later rows"] - together["E_cv"], abs=2e-6)


def test_half_of_a_rare_class_has_fewer_folds(settings, monkeypatch):
    asked = []
    validate = later_rows.heldout.validate
    monkeypatch.setattr(
        later_rows.heldout,
        "validate",
        lambda *given, folds, **more: asked.append(folds) or validate(*given, folds=folds, **more),
    )
    rows = "".join(f"{n},{n % 7},{int(n % 30 == 0)}\n" for n in range(120))
    Path("rows.csv").write_text(f"a,b,target\n{rows}")
    next(later_rows.compare(settings(), 1, minutes=60))
    assert [2] == asked


def test_no_halving_begins_after_the_minutes_are_over(settings, monkeypatch):
    now = iter(range(0, 1000, 100))
    monkeypatch.setattr(later_rows.time, "monotonic", lambda: next(now))
    monkeypatch.setattr(later_rows, "_compare", lambda *_: later_rows.Halving("1", 0.1, 0.2))
    assert 2 == len(list(later_rows.compare(settings(), 4, minutes=4)))


def test_rows_in_time_are_not_halved_at_random(settings):
    with pytest.raises(UserError, match=r"data\.time is 'a'"):
        next(later_rows.compare(settings("data.time=a"), 4, minutes=60))
