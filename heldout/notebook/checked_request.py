"""The arguments of `heldout.validate`, checked before any fit: what is wrong, which value, what is allowed."""

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from heldout.defaults import FOLDS
from heldout.errors import BadArgument, LearnerWarning, PartsWarning, TargetWarning, check_whole
from heldout.estimates import ESTIMATES, OF_THE_WINNER, OF_UNLABELED, ON_REQUEST, PER_CANDIDATE
from heldout.fits import baseline
from heldout.fits.one_pass import is_updated_once
from heldout.fits.specs import UseShortcuts
from heldout.intervals.method import check_level
from heldout.learners import gives_probabilities, is_classifier, is_regressor, lacks_probabilities
from heldout.learners.chosen_inside import DIVIDES_GROUPS, NEEDS_GROUPS, divides_groups, lacks_groups
from heldout.learners.taken_frames import not_taken
from heldout.losses import Loss, check_spec, choose_loss
from heldout.losses.choice import MOST_WHOLE_CLASSES, Spec, unlearnable
from heldout.notebook.execute import OnError
from heldout.notebook.own_folds import own_folds, own_test_set, shown
from heldout.rows.aligned_rows import aligned
from heldout.rows.checked_rows import checked_rows, checked_unlabeled
from heldout.rows.class_order import last_of_two
from heldout.rows.frames import library_of
from heldout.running.isolation import Isolation
from heldout.running.store import FolderStore, store_of_user
from heldout.schemes.halvings import Repeats
from heldout.schemes.progressive import Block
from heldout.selection.margin import checked as checked_margin
from heldout.selection.race import Races, chooses, limit_for, why_none
from heldout.several_labels import as_given
from heldout.splits import class_shares
from heldout.splits.dependence import Dependence, checked_dependence
from heldout.splits.partition import can_stratify, part_size, rarest_class
from heldout.splits.weights import Weights, fit_argument

_FEWER_FOLDS = 5  # where a class is too rare for the default
_OF_TEST_SET = ("E_in", "E_val")  # what one split says
_EVERY = (*PER_CANDIDATE, *OF_THE_WINNER)
_LIST_OF = "it must be a list of names among {}"
_ROWS_A_CLASS = 50  # of fewer rows a class, many whole numbers may be numbers


@dataclass(frozen=True, eq=False)
class Parts:
    """How the rows are divided, by the arguments of `heldout.validate` with these names.

    `folds` and `stratify` may be other than asked for, with a warning, where a class is rare. `dependence` is that of
    the groups and times. `own_folds`, each of shape (N,), are partitions into folds that were given, `own_test`, shape
    (N,), the rows that test where a single split was given.
    """

    seed: int
    validation_fraction: float
    folds: int
    tested_fraction: float
    block: Block
    repeats: Repeats
    stratify: bool
    dependence: Dependence
    own_folds: tuple[NDArray[np.int64], ...] = ()
    own_test: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Request:
    """What a call of `heldout.validate` asks for: checked, and what it left open is filled in.

    `X`, shape (N, p), and `unlabeled`, shape (n, p) or None, have rows that can be taken; `library` is that of the data
    frame X. `loss` is that of the labels `y`, shape (N,). `estimates` are the names to compute, in the order of tables.
    `limit` is that of losses in a race, None without one: candidates that fall behind, or are not among the
    `finalists`, get no further fits. `margin` is in units of the loss.
    """

    X: Any
    y: NDArray[np.generic]
    unlabeled: Any
    library: str
    loss: Loss
    parts: Parts
    estimates: tuple[str, ...]
    intervals: Mapping[str, str] | None
    level: float
    shortcuts: UseShortcuts
    limit: float | None
    finalists: int | None
    margin: float | None
    jobs: int
    progress: bool
    on_error: OnError
    weights: Weights | None
    isolation: Isolation | None
    store: FolderStore | None


def checked(
    candidates: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    unlabeled: Any,
    groups: Any,
    time: Any,
    gap: int,
    sample_weight: Any,
    loss: Spec | None,
    loss_max: float | None,
    seed: int,
    level: float,
    validation_fraction: float,
    folds: int,
    cv: Any,
    tested_fraction: float,
    block: Block,
    repeats: Repeats,
    stratify: bool | None,
    shortcuts: UseShortcuts,
    estimates: Sequence[str] | None,
    further_estimates: Sequence[str],
    intervals: Mapping[str, str] | None,
    race: Races,
    finalists: int | None,
    margin: float | None,
    n_jobs: int | None,
    progress: bool,
    on_error: OnError,
    fit_timeout: float | None,
    store: str | os.PathLike[str] | None,
) -> Request:
    """The arguments of `heldout.validate`. Raises BadArgument for the first that is outside its limits; may warn."""
    if loss is not None:
        check_spec(loss)
    _check_candidates(candidates)
    library, last = library_of(X), last_of_two(y)
    given = {"X": X, "y": y, "groups": groups, "time": time, "sample_weight": sample_weight}
    X, y, groups, time, sample_weight = aligned(given, stacklevel=4).values()
    X, y = checked_rows(X, y)
    _check_columns(candidates, X)
    weights = _checked_weights(sample_weight, candidates, len(y))
    of_rows = None if weights is None else weights.values
    of_learners = _loss_of(candidates, y) if loss is None or callable(loss) else None
    chosen = choose_loss(
        of_learners if loss is None else loss,
        y,
        of_rows,
        loss_max=loss_max,
        of_classes=None if of_learners is None or not callable(loss) else of_learners == "zero_one",
    )
    by_y = loss is None and of_learners is None and chosen.of_classes and chosen.labels == 1
    if by_y and (reason := unlearnable(y)) is not None:
        raise BadArgument("y", f"y {reason}; name the loss, as zero_one, to keep all classes")
    _check_answers(candidates, chosen)
    _check_several(candidates, y, chosen)
    by_margin = checked_margin(margin, chosen)
    dependence = checked_dependence(groups, time, gap, len(y))
    _check_chosen_inside(candidates, dependence)
    in_time = dependence.time is not None
    if unlabeled is not None:
        unlabeled = checked_unlabeled(unlabeled, X)
    check_whole(seed=(seed, 0), folds=(folds, 2))
    if repeats != "auto":
        check_whole(repeats=(repeats, 1))
        repeats = int(repeats)
    if block != "auto":
        check_whole(block=(block, 1))
    _check_truth(progress=(progress, False), stratify=(stratify, True))
    _check_choice("shortcuts", shortcuts, get_args(UseShortcuts))
    _check_choice("race", race, get_args(Races))
    _check_choice("on_error", on_error, get_args(OnError))
    jobs = _checked_jobs(n_jobs)
    isolation = None if fit_timeout is None else Isolation(jobs, _checked_limit(fit_timeout))
    kept = None if store is None else store_of_user(store)
    check_level(level)
    if isinstance(cv, Iterator):
        cv = [*cv]  # it is read twice
    own_test = None if cv is None or in_time else own_test_set(cv, X, as_given(y), groups, int(seed))
    if own_test is not None:
        estimates = _of_test_set(cv, estimates, further_estimates)
    every = _every(estimates, further_estimates, unlabeled is not None, len(candidates), chosen, in_time=in_time)
    _name_positive(every, y, last)
    wanted = _wanted(every, unlabeled is not None, chosen, in_time=in_time)
    stratified = chosen.of_classes and not in_time and class_shares.stratified(y, stratify)
    of_folds = cv is not None and own_test is None
    own = own_folds(cv, X, as_given(y), groups, dependence, int(seed)) if of_folds else ()
    if own:
        folds = int(own[0].max()) + 1
    if len(own) > 1 and "E_nested" in wanted:
        raise BadArgument("cv", f"cv is {shown(cv)}, and E_nested is for one partition into folds; leave one out")
    if own_test is not None:
        stratified = False
    elif chosen.of_classes and own and dependence.kind is None:
        _, stratified = _divided_classes(y, len(y), stratify)
    elif chosen.of_classes and folds != len(y) and dependence.kind is None:
        folds, stratified = _divided_classes(y, int(folds), stratify)
        if stratified:
            _check_parts(y, {"validation_fraction": validation_fraction, "tested_fraction": tested_fraction})
    if stratified:
        _warn_of_optimism(y)
    if block != "auto":
        block = int(block)
    parts = Parts(
        int(seed),
        validation_fraction,
        int(folds),
        tested_fraction,
        block,
        repeats,
        stratified,
        dependence,
        own,
        own_test,
    )
    nested = "E_nested" in wanted
    no_race = why_none(race, len(candidates), chosen, dependence.kind, nested=nested)
    some_go = _checked_finalists(finalists, len(candidates), nested=nested)
    return Request(
        X,
        y,
        unlabeled,
        library,
        chosen,
        parts,
        wanted,
        intervals,
        level,
        shortcuts if chosen.labels == 1 else "off",
        limit=limit_for(no_race, chosen) if some_go or not no_race else None,
        finalists=finalists if some_go else None,
        margin=by_margin,
        jobs=jobs,
        progress=progress,
        on_error=on_error,
        weights=weights,
        isolation=isolation,
        store=kept,
    )


def _checked_limit(fit_timeout: Any) -> float:
    """The seconds that a fit may take."""
    number = isinstance(fit_timeout, int | float | np.number) and not isinstance(fit_timeout, bool)
    if not number or not 0 < fit_timeout < np.inf:
        raise BadArgument("fit_timeout", f"fit_timeout is {fit_timeout!r}; it must be a number of seconds above 0")
    if os.name != "posix":
        raise BadArgument("fit_timeout", f"fit_timeout is {fit_timeout!r}, which this system cannot keep; leave it out")
    return float(fit_timeout)


def _check_choice(argument: str, value: Any, allowed: Sequence[str]) -> None:
    """Raise BadArgument unless `value` is one of the `allowed` words."""
    if not isinstance(value, str) or value not in allowed:
        raise BadArgument(argument, f"{argument} is {value!r}; it must be one of {', '.join(allowed)}")


def _checked_finalists(finalists: Any, candidates: int, *, nested: bool) -> bool:
    """Whether not all candidates can be finalists. Raises BadArgument for no number, and where a choice is nested."""
    if finalists is None:
        return False
    check_whole(finalists=(finalists, 1))
    if nested and chooses(finalists, candidates):
        raise BadArgument(
            "finalists", f"finalists is {finalists}, which E_nested would have to repeat in each fold; leave one out"
        )
    return chooses(finalists, candidates)


def _checked_jobs(n_jobs: Any) -> int:
    """The number of processes: `n_jobs`, 1 for None, or the cores of this machine for -1."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or not (n_jobs == -1 or n_jobs >= 1):
        raise BadArgument(
            "n_jobs", f"n_jobs is {n_jobs!r}; it must be a whole number of at least 1, or -1 for all cores"
        )
    if n_jobs == -1:
        from joblib import cpu_count

        return int(cpu_count())
    return int(n_jobs)


def _check_truth(**wanted: tuple[Any, bool]) -> None:
    """Raise BadArgument unless each argument is True or False, or None where that is allowed."""
    for argument, (value, optional) in wanted.items():
        if not isinstance(value, bool) and not (optional and value is None):
            allowed = "True, False or None" if optional else "True or False"
            raise BadArgument(argument, f"{argument} is {value!r}; it must be {allowed}")


def _check_candidates(candidates: Mapping[str, Any]) -> None:
    """Raise BadArgument unless `candidates` maps names to unfitted estimators."""
    if not isinstance(candidates, Mapping) or not candidates:
        raise BadArgument("candidates", f"candidates is {candidates!r}; it must map at least one name to a learner")
    for name, learner in candidates.items():
        if not isinstance(name, str):
            raise BadArgument("candidates", f"candidates has the name {name!r}; a name must be a string")
        if name == baseline.NAME:
            raise BadArgument("candidates", baseline.reserved("candidates has the name"))
        if lacks := _lacks(learner):
            raise BadArgument(
                "candidates",
                f"candidates[{name!r}] is {learner!r}; it must be an unfitted scikit-learn estimator, and is {lacks}",
            )


def _lacks(learner: Any) -> str:
    """What a value lacks to be a learner; empty for a learner."""
    if isinstance(learner, type):
        return "a class: call it"
    # of the class too: predict of a StackingClassifier appears after fit
    needed = ("fit", "predict", "get_params")
    missing = [name for name in needed if not (hasattr(learner, name) or hasattr(type(learner), name))]
    return f"without {', '.join(missing)}" if missing else ""


def _check_columns(candidates: Mapping[str, Any], X: Any) -> None:
    """Raise BadArgument for a column of X that a candidate, or its `heldout.preprocessing.auto`, cannot use."""
    for name, learner in candidates.items():
        if (reason := not_taken(learner, X)) is not None:
            raise BadArgument("candidates", f"candidates[{name!r}] {reason}")
        if hasattr(getattr(learner, "steps", [("", None)])[0][1], "transformers"):
            from heldout.preprocessing import is_auto
            from heldout.rows.columns import kinds

            if is_auto(learner.steps[0][1]):
                kinds(X)


def _loss_of(candidates: Mapping[str, Any], y: NDArray[Any]) -> Spec | None:
    """The loss of a numeric target for which none is named: what the learners predict, however many values there are.

    zero_one if they are classifiers, squared if they are regressors; None, so that y decides, if none of them says, and
    for other labels. A TargetWarning names a doubt. Raises BadArgument for classifiers next to regressors, and for
    classifiers of labels that are no whole numbers.
    """
    values = as_given(y)
    if values.dtype.kind not in "iuf":
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
    whole = bool((values % 1 == 0).all())
    if classifiers and not whole:
        raise BadArgument(
            "y",
            f"y holds {values[values % 1 != 0][0]:g}, which is no class, but candidates[{classifiers[0]!r}] is a "
            "classifier; use regressors, or give y classes",
        )
    kinds = len(np.unique(values)) if whole and not regressors else 0
    if kinds > MOST_WHOLE_CLASSES and (not classifiers or kinds * _ROWS_A_CLASS > len(y)):
        kind, other = ("classes", "squared, with regressors,") if classifiers else ("numbers", "zero_one")
        warnings.warn(
            f"y holds {kinds} different whole numbers in {len(y)} rows, which are taken as {kind}: say loss={other} if "
            f"that is wrong, and loss={'zero_one' if classifiers else 'squared'} if it is right",
            TargetWarning,
            stacklevel=4,
        )
    return "zero_one" if classifiers else "squared" if regressors else None


def _checked_weights(sample_weight: Any, candidates: Mapping[str, Any], n: int) -> Weights | None:
    """The weights of the rows; None without them. Raises BadArgument for a learner whose fit takes none."""
    if sample_weight is None:
        return None
    if np.shape(sample_weight) != (n,):
        raise BadArgument(
            "sample_weight",
            f"sample_weight has shape {np.shape(sample_weight)}; it must be ({n},), one weight for each row of X",
        )
    try:
        weights = Weights.of(sample_weight)
    except BadArgument as error:
        raise BadArgument("sample_weight", f"sample_{str(error).replace('weights', 'weight', 1)}") from None
    for name, learner in candidates.items():
        if weights is not None and weights.must_reach_fit and fit_argument(learner) is None:
            raise BadArgument(
                "candidates",
                f"candidates[{name!r}] is {learner!r}, whose fit takes no sample_weight; leave out one of both",
            )
    return weights


def _check_answers(candidates: Mapping[str, Any], loss: Loss) -> None:
    """Raise BadArgument for a learner that will not give the probabilities which the loss needs."""
    for name, learner in candidates.items():
        if loss.needs == "probabilities" and not gives_probabilities(learner):
            raise BadArgument(
                "candidates", f"candidates[{name!r}] is {learner!r}; {lacks_probabilities(loss, learner)}"
            )


def _name_positive(names: Sequence[str], y: NDArray[Any], last: Any) -> None:
    """Warn where an estimate is about the second of two classes, and the type of y has another one last."""
    about, second = [name for name in names if name in ("E_f1", "E_ap")], y.max() if last is not None else None
    if about and str(second) != str(last):
        warnings.warn(
            f"{' and '.join(about)}: of two classes the second in ascending order, {second!s}, is the positive one, "
            f"and the type of y has {last!s} last: give y == {last!r} if that is to be found",
            TargetWarning,
            stacklevel=4,
        )


def _check_chosen_inside(candidates: Mapping[str, Any], dependence: Dependence) -> None:
    """Raise BadArgument for a search over folds of groups without groups; warn of one whose folds divide groups."""
    for name, learner in candidates.items():
        if lacks_groups(learner, dependence):
            raise BadArgument("groups", f"groups is None, but candidates[{name!r}] {NEEDS_GROUPS}; give groups")
        if divides_groups(learner, dependence):
            warnings.warn(f"candidates[{name!r}] {DIVIDES_GROUPS}", LearnerWarning, stacklevel=4)


def _check_several(candidates: Mapping[str, Any], y: NDArray[Any], loss: Loss) -> None:
    """Raise BadArgument for a learner that cannot be given several labels a row; warn where they may be one."""
    if loss.labels == 1:
        return
    for name, learner in candidates.items():
        if is_updated_once(learner):
            raise BadArgument(
                "candidates", f"candidates[{name!r}] is {learner!r}; a OnePass takes one label a row, and y has more"
            )
    values = as_given(y)
    if values.dtype.kind in "biuf" and np.isin(values, (0, 1)).all() and (values.sum(axis=1) == 1).all():
        warnings.warn(
            f"each row of y has one 1 among its {loss.labels} labels: if these are the classes of one label, give "
            "y.argmax(axis=1), since each is now validated as a label of its own",
            TargetWarning,
            stacklevel=4,
        )


def _divided_classes(y: NDArray[Any], folds: int, stratify: bool | None) -> tuple[int, bool]:
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
    if stratify or folds != FOLDS or rows >= folds or rows < 2:
        return folds, True
    enough = rows >= _FEWER_FOLDS
    least = _FEWER_FOLDS if enough else min(folds, len(y))
    done = f"there are {least} folds" if enough else f"no part is stratified, and there are {least} folds"
    _warn_of_parts(
        f"class {rarest} of y has {rows} rows, too few for a share in each of {folds} folds: {done}; name folds or "
        "stratify for another choice"
    )
    return least, enough


def _warn_of_optimism(y: NDArray[Any]) -> None:
    """Warn where stratified parts make the estimates too low."""
    if (optimism := class_shares.optimism(y)) is not None:
        _warn_of_parts(f"{optimism}; set stratify to None or False")


def _warn_of_parts(message: str) -> None:
    warnings.warn(message, PartsWarning, stacklevel=5)


def _check_parts(y: Any, fractions: Mapping[str, float]) -> None:
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


def _every(
    estimates: Sequence[str] | None,
    further: Sequence[str],
    has_unlabeled: bool,
    candidates: int,
    loss: Loss,
    *,
    in_time: bool,
) -> list[str]:
    """The names that a call asks for: `estimates`, or all that are made without a request, and the `further` names."""
    _check_names("further_estimates", further, ON_REQUEST)
    if estimates is not None:
        _check_names("estimates", estimates, _EVERY)
        if not estimates:
            raise BadArgument("estimates", f"estimates is {estimates!r}; {_LIST_OF.format(', '.join(_EVERY))}")
        return [*estimates, *further]
    asked = [
        one.name
        for one in (ESTIMATES[name] for name in _EVERY if name not in ON_REQUEST)
        if (has_unlabeled or not one.of_unlabeled)
        and candidates >= one.least_candidates
        and (one.in_time or not in_time)
        and one.refused_by(loss) is None
    ]
    return [*asked, *further]


def _of_test_set(cv: Any, estimates: Sequence[str] | None, further: Sequence[str]) -> Sequence[str]:
    """The estimates that a test set of one's own has. Raises BadArgument for others."""
    for name in (*(estimates if isinstance(estimates, list | tuple) else ()), *further):
        if name not in _OF_TEST_SET:
            raise BadArgument(
                "estimates",
                f"estimates has {name!r}, and cv is {shown(cv)}, a single split, which has "
                f"{' and '.join(_OF_TEST_SET)}; leave one of both out",
            )
    return _OF_TEST_SET if estimates is None else estimates


def _check_names(argument: str, names: Any, allowed: Sequence[str]) -> None:
    """Raise BadArgument unless `names` is a list; which names it has is checked with all others."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise BadArgument(argument, f"{argument} is {names!r}; {_LIST_OF.format(', '.join(allowed))}")


def _wanted(names: Sequence[str], has_unlabeled: bool, loss: Loss, *, in_time: bool) -> tuple[str, ...]:
    """The `names` in the order of the tables. Raises BadArgument for one that is not known, or cannot be computed."""
    for name in names:
        if name not in _EVERY:
            raise BadArgument("estimates", f"estimates has {name!r}; it must name some of {', '.join(_EVERY)}")
        if in_time and not ESTIMATES[name].in_time:
            raise BadArgument(
                "estimates",
                f"estimates has {name!r}, which would train on later rows than it tests; leave out one of both",
            )
        if (reason := ESTIMATES[name].refused_by(loss)) is not None:
            raise BadArgument(
                "estimates", f"estimates has {name!r}, which the {loss.name} loss does not admit: {reason}"
            )
        if name in OF_UNLABELED and not has_unlabeled:
            raise BadArgument(
                "unlabeled", f"unlabeled is None, but {name} needs unlabelled rows; give some, or leave it out"
            )
    return tuple(name for name in _EVERY if name in names)
