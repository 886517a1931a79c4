"""How much of the error do the bounds show that need no label?

The half models of co-validation (Madani, Pennock, Flake, section 2) disagree at unlabelled rows. Each bound is divided
by their true error at these rows, for four learners of classes on nine real sets, and three of numbers on three. E_dis
comes from the mean disagreement of pairs; for numbers it is half of it, their variance. The vote bound goes row by row:
where the answers have the shares q_c, their mean error is at least 1 - max_c q_c, whatever the label is. Of many models
that were trained on tables of their own, the vote bound is the larger of both: E_dis is Jensen's inequality from it.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heldout.learners.fitting import test as losses_at
from heldout.losses import SQUARED, ZERO_ONE, Loss
from heldout.unlabelled.answer_shares import answer_shares
from heldout.unlabelled.disagreement import disagreements
from heldout.unlabelled.implied_error import error_bound
from studies import tightness_pictures
from studies.half_models import half_models, separate_models
from studies.real_tables import Table, table
from studies.study import Finding, Record, mean_interval, share_interval

SEED, NEEDS_DATA = 0, True
LABELLED, UNLABELLED = 200, 900
PAIRS = (1, 2, 4, 8, 16)  # of half models; the tables are about the last
BATCHES, TRIALS = 2, 5  # draws of the rows, in units of so many
QUICK_BATCHES, QUICK_TRIALS, QUICK_PAIRS = 1, 3, (1, 4)
TWO_CLASSES = ("votes", "chess_kr_vs_kp", "adult", "spambase", "german_credit")
MORE_CLASSES = ("optdigits", "lfd_digits", "letter", "wine_quality")
OF_NUMBERS = ("wine_quality", "california_housing", "diabetes")
QUICK = {"classes": ("breast_cancer", "wine", "digits"), "numbers": ("diabetes",)}
CLASSIFIERS = {
    "tree": DecisionTreeClassifier(),
    "nearest neighbour": KNeighborsClassifier(1),
    "logistic regression": LogisticRegression(max_iter=300),
    "naive Bayes": GaussianNB(var_smoothing=1e-3),
}
REGRESSORS = {"tree": DecisionTreeRegressor(), "nearest neighbour": KNeighborsRegressor(1), "ridge": Ridge()}
LINEAR = ("logistic regression", "ridge")
ROUNDING, FEW = 1e-9, 0.05
SAME_TABLE = (
    "the votes of one table's half models vary less than those of models with tables of their own, for which the "
    "vote bound is the larger; the pairs of E_dis share no row"
)
Unit = tuple[str, str, int, bool]  # a set, a kind of target, the number of a batch, whether the form is quick


def units(quick: bool) -> Sequence[Unit]:
    """Each set with its classes or numbers, in batches of draws."""
    sets = QUICK if quick else {"classes": TWO_CLASSES + MORE_CLASSES, "numbers": OF_NUMBERS}
    batches = range(QUICK_BATCHES if quick else BATCHES)
    return [(name, kind, batch, quick) for kind, names in sets.items() for name in names for batch in batches]


def measure(unit: Unit, data: Path | None) -> list[Record]:
    """The error and the bounds of each learner, for each draw of the rows and each number of pairs."""
    name, kind, batch, quick = unit
    whole = table(name, data, of_classes=kind == "classes")
    classes = len(np.unique(whole.y)) if kind == "classes" else 0
    trials = QUICK_TRIALS if quick else TRIALS
    place = units(quick).index(unit)
    return [
        {"set": name, "kind": kind, "classes": classes, "trial": batch * trials + trial, **line}
        for trial in range(trials)
        for line in _one_draw(whole, kind, np.random.default_rng([SEED, quick, place, trial]), quick)
    ]


def _one_draw(whole: Table, kind: str, rng: np.random.Generator, quick: bool) -> Iterator[Record]:
    rows = rng.permutation(len(whole.y))
    n = min(LABELLED, len(rows) // 2)
    tested, labelled = rows[:UNLABELLED][: len(rows) - n], rows[-n:]
    each_pairs = QUICK_PAIRS if quick else PAIRS
    apart = rows[len(tested) :][: max(each_pairs) * n]  # as many tables as there are pairs, of n rows each
    loss, learners = (ZERO_ONE, CLASSIFIERS) if kind == "classes" else (SQUARED, REGRESSORS)
    seed = int(rng.integers(2**32))
    for learner, unfitted in learners.items():
        models = half_models(unfitted, whole.X[labelled], whole.y[labelled], loss, max(each_pairs), seed)
        for pairs in each_pairs:
            yield {"learner": learner, "pairs": pairs, "tables": 1, **_bounds(models[: 2 * pairs], whole, tested, loss)}
        if kind == "classes" and len(apart) == max(each_pairs) * n:
            models = separate_models(unfitted, whole.X[apart], whole.y[apart], 2 * max(each_pairs), seed)
            yield {"learner": learner, "pairs": pairs, "tables": pairs, **_bounds(models, whole, tested, loss)}


def _bounds(models: list[Any], whole: Table, tested: NDArray[np.int64], loss: Loss) -> Record:
    """The mean error of the models at the tested rows, and what their answers say of it."""
    X, classes = whole.X[tested], np.unique(whole.y)
    error = float(np.mean([losses_at(model, whole.X, whole.y, tested, loss) for model in models]))
    disagreement = float(disagreements(models, X, loss)[0].mean())
    record = {"error": error, "E_dis": error_bound(disagreement, loss, len(classes))[0]}
    if loss.of_classes:
        record["vote"] = 1 - float(answer_shares(models, X, loss, list(classes)).max(axis=1).mean())
    return record


def findings(results: pd.DataFrame) -> list[Finding]:
    """Bound over error, by classes and by learner; vote bound over E_dis; how often a bound is above the error."""
    last = results[results["pairs"] == results["pairs"].max()]
    of_classes, last, apart = last["kind"] == "classes", last[last["tables"] == 1], last[last["tables"] > 1]
    of_classes = of_classes[last.index]
    two, tree, linear = last["classes"] == 2, last["learner"] == "tree", last["learner"].isin(LINEAR)
    edis, vote, gain = last["E_dis"] / last["error"], last["vote"] / last["error"], last["vote"] / last["E_dis"]
    means = last.groupby(["kind", "set", "learner"])[["E_dis", "error"]].mean()
    return [
        _mean("tightness-two-classes", edis[of_classes & two], last),
        _mean("tightness-more-classes", edis[of_classes & ~two], last),
        _mean("tightness-numbers", edis[~of_classes], last),
        _mean("tightness-vote-two-classes", vote[of_classes & two], last),
        _mean("tightness-vote-more-classes", vote[of_classes & ~two], last),
        _mean("tightness-trees", edis[tree], last),
        _mean("tightness-linear-learners", edis[linear], last),
        _mean("vote-over-edis-trees", gain[of_classes & tree], last, "above"),
        _mean("vote-over-edis-others", gain[of_classes & ~tree], last, "above"),
        _mean("vote-over-edis-tables-of-their-own", apart["vote"] / apart["E_dis"], apart, "above"),
        _violations("edis-violations-of-means", means["E_dis"] > means["error"]),
        _violations("edis-violations-of-draws", last["E_dis"] > last["error"]),
        _violations("vote-violations-of-draws", (last["vote"] > last["error"] + ROUNDING)[of_classes]),
    ]


def _mean(finding: str, values: "pd.Series[float]", draws: pd.DataFrame, side: str = "below") -> Finding:
    """The mean over sets and learners, with an interval from the draws; it agrees where it is on that side of 1."""
    mean, low, high = mean_interval(values.groupby(draws["trial"]).mean())
    agrees = low > 1 if side == "above" else high < 1
    says = "row by row more is seen" if side == "above" else "below the error"
    return Finding(finding, mean, agrees, says if agrees else SAME_TABLE, low=low, high=high)


def _violations(finding: str, above: "pd.Series[bool]") -> Finding:
    share, low, high = share_interval(int(above.sum()), len(above))
    says = f"{above.sum()} of {len(above)} above the error"
    return Finding(finding, share, share <= FEW, says, low=low, high=high)


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """Bound over error, for each set and learner; and by the number of pairs."""
    of_halves = results[results["tables"] == 1]
    return {"": tightness_pictures.by_set(of_halves), "pairs": tightness_pictures.by_pairs(of_halves)}
