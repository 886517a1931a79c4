"""On real sets: does a race keep the best of thirty configurations, next to rules that look at folds?

Thirty configurations of trees, neighbours, linear models, naive Bayes, forests and boosting on the twenty-five public
sets of `datasets`, in a draw each of the rows that train, at most 1000; their true errors are those on at most 10,000
of the rows that are left. Where the target holds numbers, it is scaled to [0, 1] by its range and predictions are cut
to that, so that no squared loss is above 1, and the lasso takes the place of naive Bayes. Texts become 50 singular
vectors of TF-IDF. Rows are drawn as if they were independent, also where the whole set is in order of time.

The race goes over the blocks of E_prog. Three rules go over ten folds, one fold after the other, and drop a
configuration for good: its mean over the folds so far is above that of the best so far, after Bergman, Purucker, Hutter
(AutoML 2024), *aggressive*; Wilcoxon's signed rank test against the best so far at .1, from the third fold on, as a
pruner of Optuna does it; and the corrected t of Nadeau and Bengio at .05 over the number of comparisons. The choice is
then the least E_cv of those who are left. A configuration has 105 fits at the defaults; one that is dropped has those
of its blocks, or those of its folds. *Regret* is the true error of the choice less that of the choice without any
dropping.
"""

import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.losses import Losses
from heldout.selection.race import Race
from studies import public_sets, real_tables
from studies.real_tables import Table
from studies.study import Finding, Record, at_most, mean_interval, share_interval

SEED, NEEDS_DATA = 0, True
OF_NUMBERS = ("california_housing", "diabetes", "trump_approval", "sp500", "chick_weights")
QUICK_SETS = ("breast_cancer", "digits", "diabetes")
LABELLED, TESTED = 1000, 10_000
DRAWS, QUICK_DRAWS = 1, 1
FITS, LEVEL, FOLDS = 105, 0.95, 10
MOST_TEXTS, SINGULAR_VECTORS = 50, 50  # values of a column that becomes numbers; of a column of texts
RULES = ("race", "mean so far", "Wilcoxon", "corrected t")
Unit = tuple[str, int, bool]  # a set, the number of the draw, whether the form is quick


class Cut(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A regressor whose predictions are cut to [0, 1]."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def fit(self, X: Any, y: Any) -> "Cut":
        """Fit the regressor."""
        self.learner.fit(X, y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Any) -> Any:
        """Its predictions, cut."""
        return np.clip(self.learner.predict(X), 0, 1)


def configurations(*, of_classes: bool = True) -> dict[str, Any]:
    """The thirty, by name."""
    of: Mapping[str, Any] = _OF_CLASSES if of_classes else _OF_NUMBERS
    depths, neighbours, penalties = (1, 2, 3, 5, 8, None), (1, 3, 7, 15, 40), (0.01, 0.1, 1.0, 10.0)
    trees = {f"tree {depth}": of["tree"](max_depth=depth, random_state=0) for depth in depths}
    leaves = {f"leaves {least}": of["tree"](min_samples_leaf=least, random_state=0) for least in (5, 20, 60)}
    near = {f"{k}-NN": make_pipeline(StandardScaler(), of["near"](k)) for k in neighbours}
    linear: dict[str, Any] = {f"ridge {C}": make_pipeline(StandardScaler(), Ridge(alpha=1 / C)) for C in penalties}
    other: dict[str, Any] = {
        f"lasso {alpha}": make_pipeline(StandardScaler(), Lasso(alpha=alpha)) for alpha in (0.001, 0.01, 0.1)
    }
    if of_classes:
        linear = {
            f"logistic {C}": make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=300)) for C in penalties
        }
        other = {f"bayes {add}": GaussianNB(var_smoothing=add) for add in (1e-9, 1e-3, 0.1)}
    forests = {
        f"forest {share} {depth}": of["forest"](20, max_features=share, max_depth=depth, random_state=0)
        for share, depth in itertools.product(("sqrt", 0.5), (3, None))
    }
    extra = {f"extra {depth}": of["extra"](20, max_depth=depth, random_state=0) for depth in (3, None)}
    boosting = {
        f"boosting {steps} {rate}": of["boosting"](
            max_iter=steps, learning_rate=rate, early_stopping=False, random_state=0
        )
        for steps, rate in ((10, 0.1), (30, 0.1), (30, 0.3))
    }
    found = {**trees, **leaves, **near, **linear, **other, **forests, **extra, **boosting}
    return found if of_classes else {name: Cut(learner) for name, learner in found.items()}


_OF_CLASSES: Mapping[str, Any] = {
    "tree": DecisionTreeClassifier,
    "near": KNeighborsClassifier,
    "forest": RandomForestClassifier,
    "extra": ExtraTreesClassifier,
    "boosting": HistGradientBoostingClassifier,
}
_OF_NUMBERS: Mapping[str, Any] = {
    "tree": DecisionTreeRegressor,
    "near": KNeighborsRegressor,
    "forest": RandomForestRegressor,
    "extra": ExtraTreesRegressor,
    "boosting": HistGradientBoostingRegressor,
}


def table(name: str, data: Path | None) -> Table:
    """The whole set as numbers; its classes are numbered, and numbers of a target are scaled to [0, 1]."""
    with tempfile.TemporaryDirectory() as scratch:
        found = public_sets.find(name, data or Path(), Path(scratch))
        frame = pd.read_parquet(found.path) if found.path.suffix == ".parquet" else pd.read_csv(found.path)
    target, frame = frame[found.target], frame.drop(columns=found.target)
    if "text" in frame:
        frequencies = TfidfVectorizer(min_df=3, sublinear_tf=True).fit_transform(frame["text"])
        X = TruncatedSVD(SINGULAR_VECTORS, random_state=0).fit_transform(frequencies)
    else:
        texts = frame.select_dtypes(exclude=["number", "bool"])
        X = real_tables.numbers(frame.drop(columns=[c for c in texts if texts[c].nunique() > MOST_TEXTS]))
    X = StandardScaler().fit_transform(X)
    if name not in OF_NUMBERS:
        return Table(X, np.unique(target.to_numpy(), return_inverse=True)[1])
    y = target.to_numpy(dtype=np.float64)
    return Table(X, (y - y.min()) / np.ptp(y))


def units(quick: bool) -> Sequence[Unit]:
    """Each set, a draw at a time."""
    sets, draws = (QUICK_SETS, QUICK_DRAWS) if quick else (public_sets.NAMES, DRAWS)
    return [(name, draw, quick) for name in sets for draw in range(draws)]


def measure(unit: Unit, data: Path | None) -> list[Record]:
    """What each rule keeps and spares, and the true errors behind it."""
    name, draw, quick = unit
    of_classes = name not in OF_NUMBERS
    whole = table(name, data)
    rng = np.random.default_rng([SEED, quick, units(quick).index(unit)])
    rows = rng.permutation(len(whole.y))
    labelled, tested = np.split(rows, [min(LABELLED, len(rows) // 2)])
    tested = tested[:TESTED]
    learners = configurations(of_classes=of_classes)
    made = heldout.validate(
        learners,
        whole.X[labelled],
        whole.y[labelled],
        estimates=["E_val", "E_cv", "E_prog"],
        intervals={"E_cv": "corrected fold Wilson" if of_classes else "corrected fold t"},
        loss="zero_one" if of_classes else "squared",
        loss_max=None if of_classes else 1.0,
        seed=draw,
        race="off",
        progress=False,
    )
    E_cv = np.array([record.value for record in made.estimates if record.estimate == "E_cv"])
    hypotheses = [made.target(one, "E_val")[0] for one in learners]
    answers = [one.predict(whole.X[tested]) for one in hypotheses]
    wrong = [one != whole.y[tested] if of_classes else (one - whole.y[tested]) ** 2 for one in answers]
    errors = np.array([np.mean(one) for one in wrong])
    streams = {
        scheme: [of.losses[scheme] for of in made.evidence.values()] for scheme in ("progressive", "cross_validation")
    }
    of_folds = np.array([[fold.mean() for fold in of] for of in streams["cross_validation"]])
    best = int(errors.argmin())
    plain = errors[int(E_cv.argmin())]
    records = []
    for rule in RULES:
        left, fits = _race(streams["progressive"]) if rule == "race" else _by_folds(of_folds, _WORSE[rule])
        chosen = int(np.where(left, E_cv, np.inf).argmin())
        worse = errors - errors[best]
        records.append(
            {
                "set": name,
                "draw": draw,
                "rule": rule,
                "fits": fits.sum() / (FITS * len(learners)),
                "best_lost": not left[best],
                "lost_to_nearly_best": float(worse[left].min()),
                "regret": float(errors[chosen] - plain),
                "left": int(left.sum()),
            }
        )
    return records


def _race(losses: Sequence[Sequence[Losses]]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Who is left after the race, and the fits of each."""
    names = [str(place) for place in range(len(losses))]
    race, blocks = Race.of(names, sum(map(len, losses[0])), 1.0, LEVEL), np.zeros(len(names), dtype=np.int64)
    for number in range(len(losses[0])):
        racing = [int(name) for name in race.racing]
        blocks[racing] += 1
        race = race.after({str(place): losses[place][number] for place in racing})
    left = np.isin(np.arange(len(names)), [int(name) for name in race.racing])
    return left, np.where(left, FITS, blocks)


Worse = Callable[[Losses, Losses, int], bool]


def _by_folds(errors: Losses, worse: Worse) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The same for a rule that compares each configuration with the best so far, after each fold."""
    left, folds = np.ones(len(errors), dtype=np.bool_), np.zeros(len(errors), dtype=np.int64)
    for seen in range(1, FOLDS + 1):
        folds[left] += 1
        means = np.where(left, errors[:, :seen].mean(axis=1), np.inf)
        best = int(means.argmin())
        for place in np.flatnonzero(left):
            if place != best and worse(errors[place, :seen], errors[best, :seen], len(errors)):
                left[place] = False
    return left, np.where(left, FITS, folds)


def _wilcoxon(own: Losses, best: Losses, _count: int) -> bool:
    apart = own - best
    if len(own) < 3 or not apart.any():  # an untied test of two pairs shows nothing
        return False
    return bool(stats.wilcoxon(apart, alternative="greater", zero_method="zsplit").pvalue < 0.1)


def _corrected_t(own: Losses, best: Losses, count: int) -> bool:
    apart = own - best
    if len(own) < 3 or apart.std() == 0:
        return False
    spread = np.sqrt(apart.var(ddof=1) * (1 / len(own) + 1 / (FOLDS - 1)))
    return bool(stats.t.sf(apart.mean() / spread, len(own) - 1) < (1 - LEVEL) / (count * FOLDS))


_WORSE: Mapping[str, Worse] = {
    "mean so far": lambda own, best, _: bool(own.mean() > best.mean()),
    "Wilcoxon": _wilcoxon,
    "corrected t": _corrected_t,
}


def findings(results: pd.DataFrame) -> list[Finding]:
    """The share of the fits, how often the best is lost, and the regret, by rule; the fits by the kind of target."""
    found = []
    for rule in RULES:
        own, short = results[results["rule"] == rule], rule.replace(" ", "-")
        draws, sets = len(own), own["set"].nunique()
        fits, low, high = mean_interval(own.groupby("set")["fits"].mean())
        left = f"{own['left'].mean():.1f} of {len(configurations())} left, {draws} draws of {sets} sets"
        found.append(Finding(f"race-sets-fits-{short}", fits, True, left, "", low, high))
        for kind, of_kind in own.groupby(own["set"].isin(OF_NUMBERS).map({True: "numbers", False: "classes"})):
            mean, low, high = mean_interval(of_kind.groupby("set")["fits"].mean())
            of_sets = f"on the {of_kind['set'].nunique()} sets whose target holds {kind}"
            found.append(Finding(f"race-sets-fits-{short}-{kind}", mean, True, of_sets, "", low, high))
        lost, low, high = share_interval(int(own["best_lost"].sum()), draws)
        more = f"the best of those left errs {100 * own['lost_to_nearly_best'].mean():.2f} points more on average"
        claimed = at_most(1 - LEVEL) if rule == "race" else ""
        agrees = rule != "race" or low <= 1 - LEVEL
        found.append(Finding(f"race-sets-best-lost-{short}", lost, agrees, more, claimed, low, high))
        regret, low, high = mean_interval(own.groupby("set")["regret"].mean())
        found.append(Finding(f"race-sets-regret-{short}", regret, True, "", "", low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
