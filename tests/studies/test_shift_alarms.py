"""The streams of the study of alarms are of the kind that they say, and who is right is known."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from studies import shift_alarms as study
from studies import shifted_sets

OF = study.population("made", None)
CHAMPION = LogisticRegression().fit(OF.X[:500], OF.y[:500])
MOST, LEAST = (int(place) for place in np.argsort(np.abs(CHAMPION.coef_[0]))[[-1, 0]])
N = 40_000


def _drawn(kind: str, weight: float = 1.0) -> study.Population:
    return study.drawn(OF, kind, weight, CHAMPION, N, np.random.default_rng(0))


def _error(rows: study.Population) -> float:
    return float(np.mean(CHAMPION.predict(rows.X) != rows.y))


@pytest.mark.parametrize(("kind", "moved"), [("covariates", MOST), ("covariates-unused", LEAST)])
def test_covariates_move_by_half_a_standard_deviation_in_one_column(kind, moved):
    means = _drawn(kind).X.mean(axis=0)
    assert means[moved] == pytest.approx(study.TILT, abs=0.05)
    assert np.delete(means, moved) == pytest.approx(np.zeros(5), abs=0.05)


def test_labels_shift_and_the_columns_of_each_class_stay():
    rows = _drawn("labels")
    share = rows.y.mean()
    assert min(share, 1 - share) == pytest.approx(1 - study.SHARE, abs=0.01)
    for label in (0, 1):
        before = OF.X[OF.y == label].mean(axis=0)
        assert rows.X[rows.y == label].mean(axis=0) == pytest.approx(before, abs=0.05)


def test_a_concept_changes_a_sixth_of_the_labels_and_no_column():
    rows = _drawn("concept")
    assert rows.X.mean(axis=0) == pytest.approx(OF.X.mean(axis=0), abs=0.05)
    right = 1 - 2 * _error(_drawn("none"))  # a changed label changes the error by 1 where it was 0, and back
    assert right * study.REPLACED / 2 - 0.04 < _error(rows) - _error(_drawn("none")) < study.REPLACED / 2


def test_half_a_shift_is_half_of_the_rows():
    assert _drawn("covariates", 0.5).X[:, MOST].mean() == pytest.approx(study.TILT / 2, abs=0.05)


def test_who_sees_labels_sees_a_concept_and_who_does_not_cannot():
    with_labels, others = [], []
    for stream in (8, 9):  # MAPIE has the first ones alone, and takes its time
        found = {
            one["detector"]: one["raised"] for one in study.measure(study.Unit("made", "concept", True, stream), None)
        }
        with_labels += [found["errors"], found["ADWIN-errors"]]
        others += [found["columns"], found["half-models"]]
    assert np.isfinite(with_labels).all()
    assert min(with_labels) > 0
    assert not np.isfinite(others).any()


@pytest.mark.parametrize("kind", shifted_sets.KINDS)
def test_made_shifts_leave_what_their_kind_says(kind):
    made = shifted_sets.shift(f"digits, made: {kind}", None, np.random.default_rng(0))
    known = {row.tobytes(): label for row, label in zip(*_digits(), strict=True)}
    changed = np.mean([known[row.tobytes()] != label for row, label in zip(made.target, made.target_y, strict=True)])
    assert (changed > 0.1) == (kind == "concept")
    shares = np.bincount(made.target_y, minlength=10) / len(made.target_y)
    assert (shares.std() > 0.05) == (kind in ("labels", "covariates"))  # what a picture looks like decides its digit


def _digits() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)
