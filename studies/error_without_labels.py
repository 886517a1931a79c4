"""The error on shifted rows, none of whose labels is known: two bounds and ten estimates, on 59 shifts.

A logistic regression is trained on rows of one population and asked about rows of another. Its half models give E_dis
there (Madani, Pennock, Flake), the lower bound. DIS2 (Rosenfeld, Garg 2023), the upper bound, adds to the error on
labelled rows the largest discrepancy of a linear critic, which agrees with the hypothesis there and disagrees on the
shifted rows. The interval is from E_dis to DIS2 with a normal limit by its measured variance. Repeats are shifts.

The estimates: `unchanged`, the error on labelled rows that did not train; ATC (Garg et al. 2022) by entropy and, `max`,
by the largest probability; DoC; importance weighting; PAPE (Bialek et al. 2025), and CBPE, which is PAPE without
weights; MaNo (Xie et al. 2024) and the nuclear norm (Deng et al. 2023), as lines over draws of the labelled rows;
`moved`, ours, the error on labelled rows and by how much E_dis is larger on shifted rows. They are valid where they are
not below the error. Intervals, which hold where the error is in them: of `unchanged` Wilson's; of CBPE and PAPE three
standard errors by NannyML; of ATC and DoC a bootstrap of both kinds of rows at 95 %; of the lines their prediction
interval. No source has these data: the settings are theirs, the published numbers are of other shifts.

28 further shifts are made, each of one kind: in `none` nothing shifts, in `covariates` the labels of given columns
stay, in `labels` the columns of given classes, in `concept` the columns, while a fifth of the labels is replaced. The
first 59 are asked of random forests too, without DIS2.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from heldout.learners.fitting import test as losses_at
from heldout.losses import ZERO_ONE
from heldout.unlabelled.disagreement import disagreements
from heldout.unlabelled.implied_error import error_bound
from studies import calibrated_errors as calibrated
from studies import matrix_norms, shift_pictures, shifted_sets
from studies import shift_estimates as estimates
from studies.half_models import half_models
from studies.study import LEVEL, Finding, Record, mean_interval, share_interval

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
ESTIMATES = ("unchanged", "atc", "atc-max", "doc", "weighting", "cbpe", "pape", "mano", "nuclear-norm", "moved")
OTHERS = ESTIMATES[1:]
WITH_INTERVAL = tuple(name for name in ESTIMATES if name not in ("weighting", "moved"))
RESAMPLES = 200  # of the bootstrap
BOUNDS = ("edis", "edis-of-half-models", "two-sided")  # which have to be valid as often as the aim says
MEANS = {
    "none": "nothing shifts",
    "covariates": "labels of given columns stay",
    "labels": "columns of given classes stay",
    "concept": "columns stay, labels change",
}
WHY = {"atc": HARDER, "dis2": SEPARABLE}
LEARNERS: Mapping[str, Any] = {
    "logistic": LogisticRegression(max_iter=300),
    "forest": RandomForestClassifier(50, min_samples_leaf=3, random_state=0),
}
PAIRS_OF_FORESTS = 3


@dataclass(frozen=True)
class Unit:
    """A shift, and the learner of the hypothesis that is asked about it."""

    shift: str
    learner: str
    quick: bool


def units(quick: bool) -> Sequence[Unit]:
    """Each shift, those that are made after the others, and the shifts that are found for forests too."""
    found, made = shifted_sets.NAMES, shifted_sets.MADE
    if quick:
        found, made = shifted_sets.QUICK_NAMES, shifted_sets.QUICK_MADE
    of_forests = found[:2] if quick else found
    return [
        *(Unit(name, "logistic", quick) for name in (*found, *made)),
        *(Unit(name, "forest", quick) for name in of_forests),
    ]


def measure(unit: Unit, data: Path | None) -> list[Record]:
    """The error on the shifted rows, and what each method says of it without their labels."""
    name, quick, linear = unit.shift, unit.quick, unit.learner == "logistic"
    place = [one.shift for one in units(quick)].index(name)
    rng = np.random.default_rng([SEED, quick, place])
    shift = shifted_sets.shift(name, data, rng)
    rows = rng.permutation(len(shift.source_y))[: QUICK_TRAINING + QUICK_LABELLED if quick else TRAINING + LABELLED]
    trains, tests = np.split(rows, [min(QUICK_TRAINING if quick else TRAINING, len(rows) // 2)])
    asked = rng.permutation(len(shift.target_y))[:SHIFTED]
    scaler = StandardScaler().fit(shift.source[trains])
    source, y, X = scaler.transform(shift.source), shift.source_y, scaler.transform(shift.target[asked])
    champion = clone(LEARNERS[unit.learner]).fit(source[trains], y[trains])
    seed, every = int(rng.integers(2**32)), np.arange(len(asked))
    pairs = PAIRS_OF_FORESTS if not linear else QUICK_PAIRS if quick else PAIRS
    models = half_models(champion, source[trains], y[trains], ZERO_ONE, pairs, seed)
    disagreement = float(disagreements(models, X, ZERO_ONE)[0].mean())
    losses, classes = losses_at(champion, source, y, tests, ZERO_ONE), len(champion.classes_)
    edis = error_bound(disagreement, ZERO_ONE, classes)[0]
    before = error_bound(float(disagreements(models, source[tests], ZERO_ONE)[0].mean()), ZERO_ONE, classes)[0]
    return [
        {
            "shift": name,
            "learner": unit.learner,
            "kind": name.split(", made: ")[1] if ", made: " in name else "found",
            "source_error": losses.mean(),
            "error": losses_at(champion, X, shift.target_y[asked], every, ZERO_ONE).mean(),
            "half_error": np.mean([losses_at(h, X, shift.target_y[asked], every, ZERO_ONE) for h in models]),
            "edis": edis,
            "moved": losses.mean() + edis - before,
            "weighting": estimates.weighted_error(source[tests], losses, X),
            **(_upper(champion, source[tests], X, losses) if linear else {}),
            **_peers(champion, source[tests], y[tests], X, losses, rng),
        }
    ]


def _upper(
    champion: LogisticRegression,
    labelled: estimates.Rows,
    shifted: estimates.Rows,
    losses: estimates.Rows,
) -> Record:
    """DIS2 with two critics, from labelled rows that did not train, and their losses."""
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
    }


def _peers(
    champion: Any,
    labelled: estimates.Rows,
    y: estimates.Classes,
    shifted: estimates.Rows,
    losses: estimates.Rows,
    rng: np.random.Generator,
) -> Record:
    """The estimates of others that have intervals, with them, from labelled rows that did not train."""
    folds = list(KFold(2).split(labelled))  # which does not matter: the hypothesis is fitted
    tempered = CalibratedClassifierCV(FrozenEstimator(champion), method="temperature", cv=folds).fit(labelled, y)
    shares, of_shifted = tempered.predict_proba(labelled), tempered.predict_proba(shifted)
    entropies = estimates.certainty(shares), estimates.certainty(of_shifted)
    largest = shares.max(axis=1), of_shifted.max(axis=1)
    raw, of_raw = champion.predict_proba(labelled), champion.predict_proba(shifted)
    places = np.searchsorted(champion.classes_, y)
    answers = np.searchsorted(champion.classes_, champion.predict(shifted))
    reach = calibrated.REACH * calibrated.sampling_error(losses, len(shifted))

    def expected(weights: estimates.Rows) -> float:
        return calibrated.expected_error(calibrated.calibrated(raw, places, weights, of_raw), answers)

    cbpe, pape = expected(np.ones(len(y))), expected(calibrated.density_ratio(labelled, shifted))
    scores, of_scores = (matrix_norms.scores_of(champion, rows) for rows in (labelled, shifted))
    draws = matrix_norms.tilted(labelled, matrix_norms.DRAWS, rng)
    lines = {
        name: matrix_norms.by_line(score, scores, losses, draws, of_scores)
        for name, score in (("mano", matrix_norms.mano), ("nuclear-norm", matrix_norms.nuclear_norm))
    }
    found: dict[str, tuple[float, float, float]] = {
        "unchanged": share_interval(int(losses.sum()), len(losses)),
        "atc": _resampled(estimates.thresholded_confidence, entropies[0], losses, entropies[1], rng),
        "atc-max": _resampled(estimates.thresholded_confidence, largest[0], losses, largest[1], rng),
        "doc": _resampled(estimates.difference_of_confidences, largest[0], losses, largest[1], rng),
        "cbpe": (cbpe, cbpe - reach, cbpe + reach),
        "pape": (pape, pape - reach, pape + reach),
        **{name: (line.value, line.low, line.high) for name, line in lines.items()},
    }
    ends = ("", "-low", "-high")
    return {f"{name}{end}": value for name, values in found.items() for end, value in zip(ends, values, strict=True)}


def _resampled(
    method: Callable[[estimates.Rows, estimates.Rows, estimates.Rows], float],
    confidence: estimates.Rows,
    losses: estimates.Rows,
    shifted: estimates.Rows,
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    """An estimate, and the ends of its bootstrap interval, over labelled and over shifted rows."""
    again = []
    for _ in range(RESAMPLES):
        rows, others = rng.integers(len(losses), size=len(losses)), rng.integers(len(shifted), size=len(shifted))
        again.append(method(confidence[rows], losses[rows], shifted[others]))
    low, high = np.quantile(again, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return method(confidence, losses, shifted), float(low), float(high)


def findings(results: pd.DataFrame) -> list[Finding]:
    """The mean absolute error of each method, how often it is valid, its interval holds, and the error by kind."""
    linear = results[results["learner"] == "logistic"]
    forests = results[results["learner"] == "forest"]
    found, made = linear[linear["kind"] == "found"], linear[linear["kind"] != "found"]
    error, low, high = found["error"], found["edis"], found["dis2-normal-limit"]
    alone, least, most = mean_interval(found["dis2"])
    upper = (*ESTIMATES, "dis2", "dis2-critic-of-scores")
    kinds = list(made.groupby("kind", sort=False))
    return [
        *(_mean_error(name, _off(found, name)) for name in (*upper, "edis")),
        *(_less(name, found) for name in OTHERS),
        *(_holds(name, found) for name in WITH_INTERVAL),
        *(_valid(name, found[name] >= error) for name in upper),
        _valid("edis", low <= error),
        _valid("edis-of-half-models", low <= found["half_error"]),
        _valid("two-sided", (low <= error) & (error <= high)),
        _width("two-sided-width", high - low),
        Finding("dis2-alone-width", alone, True, "from 0 to the bound", low=least, high=most),
        _width("two-sided-over-dis2-alone", (high - low) / found["dis2"]),
        *(_of_kind(name, str(kind), of) for kind, of in kinds for name in ESTIMATES),
        *(_valid_of_kind(str(kind), of) for kind, of in kinds),
        *(_mean_error(name, _off(forests, name), "-of-forests") for name in (*ESTIMATES, "edis")),
        *(_less(name, forests, "-of-forests") for name in OTHERS),
        *(_holds(name, forests, "-of-forests") for name in WITH_INTERVAL),
        _valid("edis-of-forests", forests["edis"] <= forests["error"]),
        _valid("edis-of-half-models-of-forests", forests["edis"] <= forests["half_error"]),
    ]


def _off(results: pd.DataFrame, name: str) -> "pd.Series[float]":
    return (results[name] - results["error"]).abs()


def _less(name: str, results: pd.DataFrame, of: str = "") -> Finding:
    differences = _off(results, name) - _off(results, "unchanged")
    mean, low, high = mean_interval(differences)
    says = f"its absolute error less that of `unchanged`; smaller in {(differences < 0).sum()} of {len(differences)}"
    return Finding(f"{name}-less-unchanged{of}", mean, True, says, low=low, high=high)


def _holds(name: str, results: pd.DataFrame, of: str = "") -> Finding:
    low, high = results[f"{name}-low"], results[f"{name}-high"]
    holds = (low <= results["error"]) & (results["error"] <= high)
    share, least, most = share_interval(int(holds.sum()), len(holds))
    says = f"the error is in {holds.sum()} of {len(holds)} intervals, whose mean width is {(high - low).mean():.2g}"
    says += "; they have the noise of rows, and not that of a shift"
    return Finding(f"{name}-holds{of}", share, most >= AIM, says, low=least, high=most)


def _of_kind(name: str, kind: str, of: pd.DataFrame) -> Finding:
    says = f"{len(of)} made shifts: {MEANS[kind]}"
    return Finding(f"{name}-error-{kind}", float(_off(of, name).mean()), True, says)


def _valid_of_kind(kind: str, of: pd.DataFrame) -> Finding:
    holds = (of["edis"] <= of["error"]) & (of["error"] <= of["dis2-normal-limit"])
    share, low, high = share_interval(int(holds.sum()), len(holds))
    says = f"{holds.sum()} of {len(holds)} made shifts: {MEANS[kind]}"
    return Finding(f"two-sided-valid-{kind}", share, True, says, low=low, high=high)


def _mean_error(name: str, errors: "pd.Series[float]", of: str = "") -> Finding:
    finding, (mean, low, high) = f"{name}-mean-error{of}", mean_interval(errors)
    if name in PUBLISHED and not of:
        published, why = PUBLISHED[name][0], WHY[name]
        return Finding.of(finding, mean, low, high, published=published, rounding=0.001, otherwise=why)
    return Finding(finding, mean, True, f"over all shifts; {errors.max():.2g} in the worst", low=low, high=high)


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
    linear = results[results["learner"] == "logistic"]
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
    shown = linear[linear["kind"] == "found"]
    return {
        "": shift_pictures.estimates(shown),
        "intervals": shift_pictures.intervals(shown),
        "validity": figure,
        "kinds": shift_pictures.kinds(linear, ESTIMATES),
    }
