"""A loss that cannot judge a target is refused before any fit, by every way in: a percentage error where y is 0."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from heldout import validate
from heldout.errors import BadArgument
from heldout.losses import choice, choose_loss
from heldout.losses.constant import at_quantile
from heldout.losses.kind import LossKind
from heldout.losses.loss import Loss, difference
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import forecast, run_schemes
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError


def _percentage(y, predicted):
    return np.abs(difference(y, predicted) / np.asarray(y))


def _refuses(target):
    zeros = int((target.y == 0).sum())
    return f"{target.called} is 0 in {zeros} rows, where no percentage is defined; use absolute" if zeros else None


PERCENTAGE = Loss(
    "percentage",
    _percentage,
    at_quantile(0.5, "the median"),
    limit=np.inf,
    binary=False,
    says="the share of y that an answer is off",
)
KIND = LossKind("percentage", "numbers", make=lambda *_: PERCENTAGE, refuses=_refuses)


class NeverFitted(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        raise AssertionError("a fit was made")

    def predict(self, X):
        raise AssertionError("an answer was asked for")


def first_line(settings):
    """What `python -m flows plan` does first."""
    return next(forecast.parts(settings)).text.splitlines()[0]


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """The percentage loss in the registry."""
    monkeypatch.setattr(choice, "KINDS", (*choice.KINDS, KIND))


@pytest.fixture
def settings_of(rows, settings_of_rows):
    """Settings for a target of numbers, the first of them as given, judged by the percentage loss."""

    def make(first, loss="percentage"):
        rows.assign(kind=[first, *np.linspace(1, 2, 59)]).to_csv("rows.csv", index=False)
        settings = settings_of_rows("candidates=[{name: ridge, estimator: sklearn.linear_model.Ridge}]")
        return settings.model_copy(update={"loss": loss})  # params.yaml accepts what is registered when it is loaded

    return make


def test_a_target_that_it_can_judge_is_judged():
    loss = choose_loss("percentage", np.array([1.0, 4.0]))
    assert [0.5, 0.25] == loss.pointwise([1.0, 4.0], [1.5, 3.0]).tolist()


def test_validate_refuses():
    with pytest.raises(BadArgument, match="^loss is percentage, but y is 0 in 2 rows, where no ") as error:
        validate({"any": NeverFitted()}, np.zeros((40, 1)), np.r_[0.0, 0.0, np.linspace(1, 2, 38)], loss="percentage")
    assert "loss" == error.value.argument


def test_prepare_refuses_so_that_nothing_is_written(settings_of):
    with pytest.raises(UserError, match="^loss is percentage, but kind is 0 in 1 rows, where no percentage is defined"):
        prepare(settings_of(0.0))
    prepare(settings_of(1.0))


@pytest.mark.parametrize(
    "door",
    [read_design, run_schemes.check_before_fits, first_line],
    ids=["design", "flows", "plan"],
)
def test_what_reads_prepared_rows_refuses(settings_of, door):
    write_prepared(prepare(settings_of(0.0, loss="absolute")))
    with pytest.raises(UserError, match="^loss is percentage, but the target is 0 in 1 rows, where no percentage"):
        door(settings_of(0.0))
