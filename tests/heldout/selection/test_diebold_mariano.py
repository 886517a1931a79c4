"""Differences of errors of forecasts from several cutoffs: Diebold and Mariano, with the correction of 1997."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import heldout
from heldout.errors import BadArgument
from heldout.losses.origins import Origins
from heldout.predictions.windows import Windows
from heldout.selection.diebold_mariano import by_cutoff, fixed_smoothing, harvey_leybourne_newbold

RNG = np.random.default_rng(3)


def test_the_variance_by_hand():
    """u - 3 is -2, 0, -1, 3: gamma_0 = 14/4, gamma_1 = -3/4, V = 2/4, the correction 1.5/4."""
    assert 4 / 3 == pytest.approx(harvey_leybourne_newbold(np.array([1.0, 3.0, 2.0, 6.0]), 2))


def test_without_overlap_it_is_the_paired_t():
    terms = RNG.normal(size=50)
    assert terms.var(ddof=1) / 50 == pytest.approx(harvey_leybourne_newbold(terms, 1))


@pytest.mark.parametrize("overlap", [2, 3, 7])
def test_the_variance_is_the_sum_over_pairs_of_cutoffs_that_overlap(overlap):
    """An oracle of another form: the sum of products over pairs nearer than the overlap, and Fisher's correction."""
    terms = np.convolve(RNG.normal(size=80), np.ones(3), mode="valid")
    count, centred = len(terms), terms - terms.mean()
    near = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) < overlap
    pairs = float((np.outer(centred, centred) * near).sum()) / count**2
    unbiased = (count + 1 - 2 * overlap + overlap * (overlap - 1) / count) / count
    assert pairs > 0
    assert pairs / unbiased == pytest.approx(harvey_leybourne_newbold(terms, overlap))


def test_a_variance_that_is_not_above_0_takes_bartletts_weights():
    terms = np.tile([1.0, -1.0], 20)
    assert harvey_leybourne_newbold(terms, 2) > 0


def test_fixed_smoothing_is_the_mean_of_the_first_ordinates_of_the_periodogram():
    terms, time = RNG.normal(size=100), np.arange(100)
    variance, degrees = fixed_smoothing(terms, 1)
    m = round(degrees / 2)
    assert 1 <= m <= 4  # the third root of 100 is 4.6
    ordinates = [
        (terms @ np.cos(2 * np.pi * j * time / 100)) ** 2 + (terms @ np.sin(2 * np.pi * j * time / 100)) ** 2
        for j in range(1, m + 1)
    ]
    assert np.mean(ordinates) / 100**2 == pytest.approx(variance)
    assert fixed_smoothing(terms, 6)[1] == 2.0


def test_cutoffs_of_unlike_many_rows_have_the_mean_of_the_rows():
    cutoff = np.repeat(np.arange(40), RNG.integers(1, 5, 40))
    rows = RNG.normal(size=len(cutoff))
    assert rows.mean() == pytest.approx(by_cutoff(rows, Origins(cutoff, 2)).mean())


def windows(cutoffs: int, horizon: int, step: int = 1, series: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(cutoffs + horizon)
    at = [(one, 5 + step * c, h) for one in range(series) for c in range(cutoffs) for h in range(1, horizon + 1)]
    of, since, ahead = (np.array(values) for values in zip(*at, strict=True))
    y = np.cumsum(rng.normal(size=(series, since.max() + horizon + 1)), axis=1)
    truth = y[of, since + ahead]
    means = np.array([y[one, at - 3 : at + 1].mean() for one, at in zip(of, since, strict=True)])
    known = {"series": of, "at": since + ahead, "since": since, "label": truth}
    return pd.DataFrame({**known, "naive": y[of, since], "mean": means})


def compared(table, **more):
    return heldout.from_predictions(
        table, **{"answer": ["naive", "mean"], "time": "at", "series": "series", "cutoff": "since", **more}
    )


@pytest.mark.parametrize(("step", "horizon", "overlap"), [(1, 1, 1), (1, 3, 3), (4, 12, 3), (3, 3, 1), (2, 3, 2)])
def test_the_overlap_is_the_number_of_cutoffs_before_the_last_time_of_one(step, horizon, overlap):
    table = windows(50, horizon, step)
    found = Windows.of(*(table[name].to_numpy() for name in ("series", "at", "since")))
    assert found.overlap == overlap


def test_a_difference_is_no_narrower_than_that_of_diebold_and_mariano():
    table = windows(60, 3, series=2)
    found = compared(table)
    (one,) = found.differences("naive")
    assert one.interval == "Diebold-Mariano, all pairs"
    losses = table.eval("(naive - label) ** 2 - (mean - label) ** 2")
    terms = losses.groupby(table["since"]).mean().to_numpy()
    assert terms.mean() == pytest.approx(one.difference)
    reach = stats.t.ppf(0.975, 59) * np.sqrt(harvey_leybourne_newbold(terms, 3))
    variance, degrees = fixed_smoothing(terms, 3)
    smoothed = stats.t.ppf(0.975, degrees) * np.sqrt(variance)
    assert max(reach, smoothed) == pytest.approx(one.high - one.difference)
    assert "no interval: errors of forecasts" in str(found)
    assert "E_prog of naive is shown to be" in str(found) or "E_prog of naive is not shown" in str(found)
    with pytest.raises(BadArgument, match="here is one of each cutoff"):
        found.bound()


def test_the_three_columns_are_those_of_statsforecast():
    table = windows(60, 3, series=2)
    names = {"series": "unique_id", "at": "ds", "since": "cutoff", "label": "y"}
    assert heldout.from_predictions(table.rename(columns=names)).differences() == compared(table).differences()


def test_few_cutoffs_show_no_difference():
    assert compared(windows(39, 3)).differences()[0].low is None
    assert compared(windows(60, 7)).differences()[0].low is None
    assert compared(windows(40, 3)).differences()[0].low is not None
    assert compared(windows(70, 1)).differences()[0].low is None  # nor are there 20 blocks
    assert compared(windows(100, 1)).differences()[0].interval == "Diebold-Mariano, all pairs"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"time": None}, "time is not named, but cutoff is"),
        ({"cutoff": None, "time": None}, "name their time and cutoff too"),
        ({"cutoff": None, "series": None}, "orders the rows of a stream"),
        ({"fold": "at"}, "rows are named by series, time and cutoff"),
        ({"metric": "r2"}, "rows are named by series, time and cutoff"),
        ({"time": "since", "cutoff": "at"}, "is no later than its cutoff"),
    ],
)
def test_what_forecasts_do_not_go_with_is_said(more, message):
    with pytest.raises(BadArgument, match=message):
        compared(windows(40, 2), **more)
