"""The error on shifted rows, none of whose labels is known: a lower bound and an upper bound, on 59 shifts.

A logistic regression is trained on rows of one population and asked about rows of another. Its half models give E_dis
there (Madani, Pennock, Flake), the lower bound. DIS2 (Rosenfeld, Garg 2023), the upper bound, adds to the error on
labelled rows the largest discrepancy of a linear critic, which agrees with the hypothesis there and disagrees on the
shifted rows. ATC (Garg et al. 2022), DoC and importance weighting are estimates; here they are valid where they are not
below the error. The interval is from E_dis to DIS2 with a normal limit by its measured variance. Repeats are shifts.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from heldout.learners.fitting import test as losses_at
from heldout.losses import ZERO_ONE
from heldout.unlabelled.disagreement import disagreements
from heldout.unlabelled.implied_error import error_bound
from studies import shift_estimates as estimates
from studies import shift_pictures, shifted_sets
from studies.half_models import half_models
from studies.study import Finding, Record, mean_interval, share_interval

SEED, NEEDS_DATA = 0, True
TRAINING, LABELLED, SHIFTED = 2000, 6000, 6000  # rows at most: that train, that test with labels, without labels
QUICK_TRAINING, QUICK_LABELLED = 300, 600
PAIRS, QUICK_PAIRS = 10, 4  # of half models
DELTA, AIM = 0.01, 0.95  # of DIS2, as in its source; share of intervals that hold the error
PUBLISHED = {"atc": (0.066, 0.29), "dis2": (0.153, 0.99)}  # mean absolute error, share of valid bounds
HARDER = (
    "these shifts are harder: the error of a linear hypothesis nearly doubles, and its confidence does not fall "
    "with it; the source has deep networks on images"
)
SEPARABLE = (
    "the critic sees the columns of a table, by which two groups are easily told apart, not the features of a deep "
    "network; a critic that sees the scores of the hypothesis alone is nearer, and less often valid"
)
BOUNDS = ("edis", "edis-of-half-models", "two-sided")  # which have to be valid as often as the aim says
WHY = {"atc": HARDER, "dis2": SEPARABLE}
Unit = tuple[str, bool]  # a shift, whether the form is quick


def units(quick: bool) -> Sequence[Unit]:
    """Each shift once."""
    return [(name, quick) for name in (shifted_sets.QUICK_NAMES if quick else shifted_sets.NAMES)]


def measure(unit: Unit, data: Path | None) -> list[Record]:
    """The error on the shifted rows, and what each method says of it without their labels."""
    name, quick = unit
    rng = np.random.default_rng([SEED, quick, units(quick).index(unit)])
    shift = shifted_sets.shift(name, data, rng)
    rows = rng.permutation(len(shift.source_y))[: QUICK_TRAINING + QUICK_LABELLED if quick else TRAINING + LABELLED]
    trains, tests = np.split(rows, [min(QUICK_TRAINING if quick else TRAINING, len(rows) // 2)])
    asked = rng.permutation(len(shift.target_y))[:SHIFTED]
    scaler = StandardScaler().fit(shift.source[trains])
    source, y, X = scaler.transform(shift.source), shift.source_y, scaler.transform(shift.target[asked])
    champion = LogisticRegression(max_iter=300).fit(source[trains], y[trains])
    seed, pairs, every = int(rng.integers(2**32)), QUICK_PAIRS if quick else PAIRS, np.arange(len(asked))
    models = half_models(champion, source[trains], y[trains], ZERO_ONE, pairs, seed)
    disagreement = float(disagreements(models, X, ZERO_ONE)[0].mean())
    losses = losses_at(champion, source, y, tests, ZERO_ONE)
    return [
        {
            "shift": name,
            "source_error": losses.mean(),
            "error": losses_at(champion, X, shift.target_y[asked], every, ZERO_ONE).mean(),
            "half_error": np.mean([losses_at(h, X, shift.target_y[asked], every, ZERO_ONE) for h in models]),
            "edis": error_bound(disagreement, ZERO_ONE, len(champion.classes_))[0],
            **_upper(champion, source[tests], y[tests], X, losses),
        }
    ]


def _upper(
    champion: LogisticRegression,
    labelled: estimates.Rows,
    y: estimates.Classes,
    shifted: estimates.Rows,
    losses: estimates.Rows,
) -> Record:
    """DIS2 with two critics, and the estimates of others, from labelled rows that did not train, and their losses."""
    folds = list(KFold(2).split(labelled))  # which does not matter: the hypothesis is fitted
    calibrated = CalibratedClassifierCV(FrozenEstimator(champion), method="temperature", cv=folds).fit(labelled, y)
    shares, of_shifted = calibrated.predict_proba(labelled), calibrated.predict_proba(shifted)
    answers, shifted_answers = (
        np.searchsorted(champion.classes_, champion.predict(rows)) for rows in (labelled, shifted)
    )
    scores, of_scores = (champion.decision_function(rows).reshape(len(rows), -1) for rows in (labelled, shifted))
    classes = len(champion.classes_)
    discrepancy = estimates.largest_discrepancy(labelled, answers, losses, shifted, shifted_answers, classes)
    by_scores = estimates.largest_discrepancy(scores, answers, losses, of_scores, shifted_answers, classes)
    return {
        "dis2": discrepancy.bound(DELTA),
        "dis2-normal-limit": discrepancy.measured_bound(DELTA),
        "dis2-critic-of-scores": by_scores.bound(DELTA),
        "atc": estimates.thresholded_confidence(shares, losses, of_shifted),
        "doc": estimates.difference_of_confidences(shares, losses, of_shifted),
        "weighting": estimates.weighted_error(labelled, losses, shifted),
    }


def findings(results: pd.DataFrame) -> list[Finding]:
    """The mean absolute error of each method, how often it is valid, and the interval next to DIS2 alone."""
    error, low, high = results["error"], results["edis"], results["dis2-normal-limit"]
    alone, least, most = mean_interval(results["dis2"])
    upper = ("atc", "doc", "weighting", "dis2", "dis2-critic-of-scores")
    return [
        *(_mean_error(name, (results[name] - error).abs()) for name in (*upper, "edis")),
        *(_valid(name, results[name] >= error) for name in upper),
        _valid("edis", low <= error),
        _valid("edis-of-half-models", low <= results["half_error"]),
        _valid("two-sided", (low <= error) & (error <= high)),
        _width("two-sided-width", high - low),
        Finding("dis2-alone-width", alone, True, "from 0 to the bound", low=least, high=most),
        _width("two-sided-over-dis2-alone", (high - low) / results["dis2"]),
    ]


def _mean_error(name: str, errors: "pd.Series[float]") -> Finding:
    finding, (mean, low, high) = f"{name}-mean-error", mean_interval(errors)
    if name in PUBLISHED:
        published, why = PUBLISHED[name][0], WHY[name]
        return Finding.of(finding, mean, low, high, published=published, rounding=0.001, otherwise=why)
    return Finding(finding, mean, True, "over all shifts", low=low, high=high)


def _valid(name: str, valid: "pd.Series[bool]") -> Finding:
    finding, (share, low, high) = f"{name}-valid", share_interval(int(valid.sum()), len(valid))
    if name in PUBLISHED:
        published, why = PUBLISHED[name][1], WHY[name]
        return Finding.of(finding, share, low, high, published=published, rounding=0.01, otherwise=why)
    says = f"{valid.sum()} of {len(valid)} shifts"
    return Finding(finding, share, name not in BOUNDS or share >= AIM, says, low=low, high=high)


def _width(finding: str, widths: "pd.Series[float]") -> Finding:
    mean, low, high = mean_interval(widths)
    return Finding(finding, mean, high < 1, f"from {widths.min():.2g} to {widths.max():.2g}", low=low, high=high)


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """Each method's estimate against the true error; the interval of each shift; how near and how often valid."""
    found = {finding.finding: finding for finding in findings(results)}
    figure = Figure(figsize=(6, 4), layout="constrained")
    panel = figure.subplots()
    for name, (label, marker, colour) in shift_pictures.METHODS.items():
        near, valid = found[f"{name}-mean-error"], found[f"{name}-valid"]
        panel.plot(np.array([near.low, near.high], float), [valid.ours] * 2, color=colour, lw=1)
        panel.plot([near.ours] * 2, np.array([valid.low, valid.high], float), color=colour, lw=1)
        panel.plot(near.ours, valid.ours, marker, color=colour, label=label, ms=8)
        if name in PUBLISHED:
            said = label.split(",")[0]
            panel.plot(*PUBLISHED[name], "o", mfc="none", color=colour, ms=9, label=f"{said} as published")
    panel.set(
        xlabel="mean absolute error", ylabel="share of shifts in which it is valid", xlim=(0, None), ylim=(0, 1.03)
    )
    figure.legend(loc="outside lower center", ncols=3)
    return {"": shift_pictures.estimates(results), "intervals": shift_pictures.intervals(results), "validity": figure}
