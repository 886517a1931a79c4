"""The arguments of `heldout.validate`, checked before any fit: what is wrong, which value, what is allowed."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from heldout import baseline, class_shares
from heldout.dependence import INDEPENDENT, Dependence, distinct
from heldout.errors import BadArgument, PartsWarning, TargetWarning
from heldout.estimates import ESTIMATES, OF_THE_WINNER, OF_UNLABELED, ON_REQUEST, PER_CANDIDATE
from heldout.fitting import is_other_frame
from heldout.frames import checked_frame
from heldout.group_names import group_names
from heldout.learners import gives_probabilities, is_classifier, is_regressor
from heldout.losses import Loss
from heldout.losses.choice import MOST_WHOLE_CLASSES, Spec
from heldout.missing import is_missing
from heldout.partition import can_stratify, part_size, rarest_class
from heldout.scheme_fits import UseShortcuts

_OF_ONE_TYPE = "biufUS"  # kinds of arrays whose items are of one type, and never None
_FOLDS, _FEWER_FOLDS = 10, 5  # the default, and the number of folds where a class is too rare for it
_ROWS_A_CLASS = 50  # of fewer rows a class, many whole numbers may be numbers


def check_whole(**wanted: tuple[Any, int]) -> None:
    """Raise BadArgument unless each argument, given with its least value, is a whole number not below it."""
    for argument, (value, least) in wanted.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise BadArgument(argument, f"{argument} is {value!r}; it must be a whole number of at least {least}")


def check_shortcuts(shortcuts: Any) -> None:
    """Raise BadArgument unless `shortcuts` says whether exact shortcuts take the place of fits."""
    allowed = get_args(UseShortcuts)
    if not isinstance(shortcuts, str) or shortcuts not in allowed:
        raise BadArgument("shortcuts", f"shortcuts is {shortcuts!r}; it must be one of {', '.join(allowed)}")


def checked_jobs(n_jobs: Any) -> int:
    """The number of processes: `n_jobs`, or the cores of this machine for -1."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or not (n_jobs == -1 or n_jobs >= 1):
        raise BadArgument(
            "n_jobs", f"n_jobs is {n_jobs!r}; it must be a whole number of at least 1, or -1 for all cores"
        )
    if n_jobs == -1:
        from joblib import cpu_count

        return int(cpu_count())
    return int(n_jobs)


def check_truth(**wanted: tuple[Any, bool]) -> None:
    """Raise BadArgument unless each argument is True or False, or None where that is allowed."""
    for argument, (value, optional) in wanted.items():
        if not isinstance(value, bool) and not (optional and value is None):
            allowed = "True, False or None" if optional else "True or False"
            raise BadArgument(argument, f"{argument} is {value!r}; it must be {allowed}")


def check_candidates(candidates: Mapping[str, Any]) -> None:
    """Raise BadArgument unless `candidates` maps names to unfitted estimators."""
    if not isinstance(candidates, Mapping) or not candidates:
        raise BadArgument("candidates", f"candidates is {candidates!r}; it must map at least one name to a learner")
    for name, learner in candidates.items():
        if not isinstance(name, str):
            raise BadArgument("candidates", f"candidates has the name {name!r}; a name must be a string")
        if name == baseline.NAME:
            raise BadArgument("candidates", baseline.reserved("candidates has the name"))
        if isinstance(learner, type) or not all(hasattr(learner, has) for has in ("fit", "predict", "get_params")):
            raise BadArgument(
                "candidates", f"candidates[{name!r}] is {learner!r}; it must be an unfitted scikit-learn estimator"
            )


def check_columns(candidates: Mapping[str, Any], X: Any) -> None:
    """Raise BadArgument for a column of X that the `heldout.preprocessing.auto` of a candidate cannot use."""
    for learner in candidates.values():
        if hasattr(getattr(learner, "steps", [("", None)])[0][1], "transformers"):
            from heldout.columns import kinds
            from heldout.preprocessing import is_auto

            if is_auto(learner.steps[0][1]):
                kinds(X)


def loss_of(candidates: Mapping[str, Any], y: NDArray[Any]) -> Spec | None:
    """The loss of a numeric target for which none is named: what the learners predict, however many values there are.

    zero_one if they are classifiers, squared if they are regressors; None, so that y decides, if none of them says, and
    for other labels. A TargetWarning names a doubt. Raises BadArgument for classifiers next to regressors, and for
    classifiers of labels that are no whole numbers.
    """
    if y.dtype.kind not in "iuf":
        return None
    classifiers, regressors = (
        [name for name, learner in candidates.items() if says(learner)] for says in (is_classifier, is_regressor)
    )
    if classifiers and regressors:
        raise BadArgument(
            "candidates",
            f"candidates[{classifiers[0]!r}] is a classifier and candidates[{regressors[0]!r}] a regressor, so that it "
            "is not clear whether y holds classes or numbers; leave out one of the two kinds, or name the loss",
        )
    whole = bool((y % 1 == 0).all())
    if classifiers and not whole:
        raise BadArgument(
            "y",
            f"y holds {y[y % 1 != 0][0]:g}, which is no class, but candidates[{classifiers[0]!r}] is a classifier; use "
            "regressors, or give y classes",
        )
    kinds = len(np.unique(y)) if whole and not regressors else 0
    if kinds > MOST_WHOLE_CLASSES and (not classifiers or kinds * _ROWS_A_CLASS > len(y)):
        kind, other = ("classes", "squared, with regressors,") if classifiers else ("numbers", "zero_one")
        warnings.warn(
            f"y holds {kinds} different whole numbers in {len(y)} rows, which are taken as {kind}: say loss={other} if "
            f"that is wrong, and loss={'zero_one' if classifiers else 'squared'} if it is right",
            TargetWarning,
            stacklevel=3,
        )
    return "zero_one" if classifiers else "squared" if regressors else None


def check_answers(candidates: Mapping[str, Any], loss: Loss) -> None:
    """Raise BadArgument for a learner that will not give the probabilities which the loss needs."""
    for name, learner in candidates.items():
        if loss.needs == "probabilities" and not gives_probabilities(learner):
            raise BadArgument("candidates", f"candidates[{name!r}] is {learner!r}; {lacks_probabilities(loss)}")


def lacks_probabilities(loss: Loss) -> str:
    """What is wrong with a learner without probabilities, and the remedy."""
    return (
        f"the {loss.name} loss needs class probabilities, and it has no predict_proba; put it into "
        "sklearn.calibration.CalibratedClassifierCV, or take another loss"
    )


def checked_rows(X: Any, y: Any) -> tuple[Any, Any]:
    """X with rows that can be taken, and y as an array of labels of one type, none of them missing."""
    X = as_table(X, "X")
    y = np.asarray(y)
    if y.ndim != 1 or len(y) != X.shape[0]:
        raise BadArgument("y", f"y has shape {y.shape}; it must be ({X.shape[0]},), one label for each row of X")
    if len(y) < 2:
        raise BadArgument("y", f"there are {len(y)} labelled rows; at least 2 are needed")
    if _lacks_labels(y):
        raise BadArgument("y", "y has a label that is missing or infinite; rows without a label go to unlabeled")
    kinds = [] if y.dtype.kind in _OF_ONE_TYPE else sorted({type(label).__name__ for label in y.tolist()})
    if len(kinds) > 1:
        raise BadArgument("y", f"y mixes labels of the types {', '.join(kinds)}; give them one type")
    if kinds and (typed := np.array(y.tolist())).dtype.kind in "biuf":  # numbers that came as objects
        y = typed
    return X, y


def _lacks_labels(y: NDArray[Any]) -> bool:
    if y.dtype.kind in _OF_ONE_TYPE:
        return y.dtype.kind == "f" and not np.isfinite(y).all()
    return any(is_missing(label) for label in y.tolist())


def divided_classes(y: NDArray[Any], folds: int, stratify: bool | None) -> tuple[int, bool]:
    """The number of folds, and whether parts are stratified, where y holds classes.

    As asked, but for the default folds of two classes too rare for them: then 5 folds, or parts that are not
    stratified, with a PartsWarning, as `flows init` proposes. A PartsWarning also says what plain parts cannot do for a
    class with a single row.
    """
    rarest, rows = rarest_class(y)
    if not class_shares.stratified(y, stratify):
        if rows < 2:
            _warn_of_parts(
                f"class {rarest} of y has a single row: the hypotheses that are tested on it do not know it; merge or "
                "drop that class"
            )
        return folds, False
    if stratify or folds != _FOLDS or rows >= folds or rows < 2:
        return folds, True
    enough = rows >= _FEWER_FOLDS
    least = _FEWER_FOLDS if enough else min(folds, len(y))
    done = f"there are {least} folds" if enough else f"no part is stratified, and there are {least} folds"
    _warn_of_parts(
        f"class {rarest} of y has {rows} rows, too few for a share in each of {folds} folds: {done}; name folds or "
        "stratify for another choice"
    )
    return least, enough


def warn_of_optimism(y: NDArray[Any]) -> None:
    """Warn where stratified parts make the estimates too low."""
    if (optimism := class_shares.optimism(y)) is not None:
        _warn_of_parts(f"{optimism}; set stratify to None or False")


def _warn_of_parts(message: str) -> None:
    warnings.warn(message, PartsWarning, stacklevel=4)


def check_parts(y: Any, fractions: Mapping[str, float]) -> None:
    """Raise BadArgument for a part that cannot be stratified."""
    rarest, rows = rarest_class(y)
    if rows < 2:
        raise BadArgument(
            "y", f"class {rarest} of y has a single row, which no part can share; merge or drop that class"
        )
    for argument, fraction in fractions.items():
        size = part_size(len(y), fraction, argument)
        if not can_stratify(y, size):
            smaller, classes = min(size, len(y) - size), len(np.unique(y))
            raise BadArgument(
                argument,
                f"{argument} is {fraction}; a part of {smaller} rows cannot hold all {classes} classes, which needs at "
                f"least {classes} of {len(y)}",
            )


def checked_unlabeled(unlabeled: Any, X: Any, argument: str = "unlabeled") -> Any:
    """The rows without labels, of as many columns as X."""
    unlabeled = as_table(unlabeled, argument)
    if unlabeled.shape[0] < 1 or unlabeled.shape[1] != X.shape[1]:
        raise BadArgument(
            argument, f"{argument} has shape {unlabeled.shape}; it needs rows of {X.shape[1]} columns, as X has"
        )
    return unlabeled


def as_table(X: Any, argument: str) -> Any:
    """An array, a data frame, or a sparse matrix whose rows can be taken."""
    X = checked_frame(X, argument)
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    elif not hasattr(X, "iloc") and not is_other_frame(X):
        X = np.asarray(X)
    if len(X.shape) != 2:
        raise BadArgument(argument, f"{argument} has shape {X.shape}; it must have two dimensions, rows by columns")
    return X


def checked_groups(groups: Any, n: int) -> Dependence:
    """Rows of `groups`, shape (n,), with the same name belong together; None for independent rows."""
    if groups is None:
        return INDEPENDENT
    shape = np.shape(groups if hasattr(groups, "shape") else np.array(groups, dtype=object))
    if shape != (n,):
        raise BadArgument("groups", f"groups has shape {shape}; it must be ({n},), one group for each row of X")
    try:
        names = group_names(groups)
    except ValueError as error:
        raise BadArgument("groups", f"groups {error}") from None
    if None in names:
        raise BadArgument("groups", "groups has a row whose group is missing; give each row one, or take it out")
    codes = distinct(np.array(names, dtype=object))
    if not codes.any():
        raise BadArgument("groups", "groups has 1 group; at least 2 are needed, one on each side of a split")
    return Dependence(group=codes)


def wanted(estimates: Sequence[str] | None, has_unlabeled: bool, candidates: int, loss: Loss) -> tuple[str, ...]:
    """The names of the estimates to compute, in the order of the tables, without the names that the loss refuses."""
    every = (*PER_CANDIDATE, *OF_THE_WINNER)
    if estimates is None:
        asked = [ESTIMATES[name] for name in every if name not in ON_REQUEST]
        return tuple(
            one.name
            for one in asked
            if (has_unlabeled or not one.of_unlabeled)
            and candidates >= one.least_candidates
            and one.refused_by(loss) is None
        )
    if isinstance(estimates, str) or not isinstance(estimates, Sequence) or not estimates:
        raise BadArgument(
            "estimates", f"estimates is {estimates!r}; it must be a list of names among {', '.join(every)}"
        )
    for name in estimates:
        if name not in every:
            raise BadArgument("estimates", f"estimates has {name!r}; it must name some of {', '.join(every)}")
        if (reason := ESTIMATES[name].refused_by(loss)) is not None:
            raise BadArgument(
                "estimates", f"estimates has {name!r}, which the {loss.name} loss does not admit: {reason}"
            )
        if name in OF_UNLABELED and not has_unlabeled:
            raise BadArgument(
                "unlabeled", f"unlabeled is None, but {name} needs unlabelled rows; give some, or leave it out"
            )
    return tuple(name for name in every if name in estimates)
