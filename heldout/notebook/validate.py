"""`heldout.validate`: the whole method on arrays, for a notebook or a script."""

import os
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from heldout import defaults
from heldout.errors import LearnerWarning
from heldout.estimates import (
    lacking_text,
    may_fail,
    scheme_of,
    schemes_of,
    set_metrics,
)
from heldout.estimates import methods as interval_methods
from heldout.findings import checks
from heldout.fits import stated_limit
from heldout.fits.specs import How, UseShortcuts
from heldout.learners.fit_warnings import WarningCounts
from heldout.notebook.called_otherwise import called_otherwise
from heldout.notebook.candidate_fits import CandidateFits, digests_of
from heldout.notebook.checked_request import Request, checked
from heldout.notebook.execute import OnError, check_not_all_failed, execute, gathered
from heldout.notebook.look import Look
from heldout.notebook.named_candidates import named
from heldout.notebook.progress import FitBar
from heldout.notebook.result import Validation
from heldout.printable import printable
from heldout.running.plan import Plan
from heldout.schemes import SchemeName
from heldout.schemes.design import Design, Evidence, check_weights
from heldout.schemes.halvings import HALVES, Repeats, most
from heldout.schemes.progressive import Block
from heldout.schemes.set_metrics import check_classes
from heldout.selection.margin import check_matters
from heldout.selection.race import STREAM, Races, pays
from heldout.splits import class_shares
from heldout.splits.partition import Part, make_halves, make_partition, stratify_halves

_PART_OF: Mapping[SchemeName, Part] = {"holdout": "validation", "cross_validation": "fold", "progressive": "step"}


def validate(
    candidates: Any,
    X: Any,
    y: Any,
    *,
    unlabeled: Any = None,
    groups: Any = None,
    time: Any = None,
    gap: int = defaults.GAP,
    sample_weight: Any = None,
    loss: str | Mapping[str, Any] | Callable[[Any, Any], Any] | None = None,
    loss_max: float | None = None,
    seed: int = defaults.SEED,
    level: float = defaults.LEVEL,
    validation_fraction: float = defaults.VALIDATION_FRACTION,
    folds: int = defaults.FOLDS,
    tested_fraction: float = defaults.TESTED_FRACTION,
    block: Block = defaults.BLOCK,
    repeats: Repeats = defaults.REPEATS,
    stratify: bool | None = None,
    shortcuts: UseShortcuts = defaults.SHORTCUTS,
    estimates: Sequence[str] | None = None,
    further_estimates: Sequence[str] = (),
    intervals: Mapping[str, str] | None = None,
    race: Races = defaults.RACE,
    finalists: int | None = None,
    margin: float | None = None,
    n_jobs: int | None = 1,
    progress: bool = True,
    on_error: OnError = "record",
    fit_timeout: float | None = None,
    store: str | os.PathLike[str] | None = None,
    cv: Any = None,
    random_state: int | None = None,
    scoring: None = None,
    muted_checks: Collection[str] = defaults.MUTED_CHECKS,
) -> Validation:
    """Estimate the error of every candidate, each estimate with its target and its interval.

    Parameters
    ----------
    candidates : mapping of str to estimator, estimator, or list of estimators
        A name for each unfitted scikit-learn estimator, from simple to complex: ties go to the first. One estimator,
        or a list, has the names of the classes in small letters; a list of pairs is as a mapping. A
        `heldout.online.OnePass` shares its updates among folds and among steps, and is not fitted for each of them.
    X : array-like, data frame or sparse matrix of shape (N, p), or texts of shape (N,)
        The labelled rows. A data frame of pandas or polars reaches the learner as it is, a table of pyarrow as one of
        pandas where that is installed; the estimates are the same. For columns that are no numbers the candidate is a
        pipeline of `heldout.preprocessing.auto` and a learner. A list, an array or a series of texts reaches it as an
        array of shape (n,), as `TfidfVectorizer` takes it.
    y : array-like of shape (N,)
        Their labels, classes or numbers; also a column of a data frame. A series of pandas, here and below, says by its
        index which row of X a value is of (`heldout.rows.aligned_rows`); an array is taken by place.
    unlabeled : array-like, data frame or sparse matrix of shape (n, p), optional
        Rows without labels, for disagreement, E_dis and E_maxdt, and for narrower intervals
        (`Validation.prediction_powered`).
    groups : array-like of shape (N,), optional
        The name of each row's group, where rows of a group are alike: the text of a value counts, so that "00005" and
        "5" are two groups. No group is then on both sides of a split, and the
        intervals do not need independent rows (`heldout.estimates.methods`). The groups of unlabelled rows are
        not known.
    time : array-like of shape (N,), optional
        The time of each row, numbers or dates, where rows come one after the other: no hypothesis is tested on rows
        before its training rows. The hold-out, the folds and the steps are then the later rows, and there is no E_2cv,
        E_bbc or E_boot.
    gap : int, default 0
        With `time`, the number of rows left out between training rows and the later rows that test.
    sample_weight : array-like of shape (N,), optional
        How many rows of the population each row stands for: a finite number of at least 0. It goes to `fit`, and each
        error is the weighted mean of the losses of its tested rows (`heldout.splits.weights`), without a bound.
    loss : str, mapping or callable, optional
        A function of labels and answers, arrays of shape (n,), to a loss for each row (`heldout.losses.own`); or
        zero_one, log, brier, balanced or {"cost": {actual: {predicted: c}}} for classes; squared, absolute, pinball or
        {"pinball": q} for numbers. None follows the learners where y holds numbers: zero_one if they are classifiers,
        however many classes there are, squared if they are regressors; both kinds together are refused. If no learner
        says what it predicts, and for other labels, y decides: zero_one for strings, truth values and whole numbers of
        at most 20 distinct values, squared for other numbers; more than 50 classes must then have 5 rows each in the
        mean. A TargetWarning names a doubt.
    loss_max : float, optional
        A number that no loss of any answer to any row can pass, for a loss of numbers or the log loss: 100 ** 2 for the
        squared loss of a target in [0, 100] whose predictions are cut to that range. The bound, and the intervals for
        losses of known limit, exist then. The limits of other losses are known.
    seed : int, default 0
        The seed of every random choice, and of each `random_state` that a learner, what is inside it, or a splitter
        that shuffles leaves open; of the folds of a TargetEncoder too. What a learner draws from numpy's or Python's
        global generator is the same in each fit; from a generator of its own without a seed it draws as it likes.
    level : float, default 0.95
        The level of the intervals.
    validation_fraction : float, default 0.2
        The share of the rows that the hold-out tests.
    folds : int, default 10
        The number of folds, k; `len(y)` is leave-one-out, which is not stratified. Where one of two classes has fewer
        than 10 rows, the default becomes 5 folds.
    tested_fraction : float, default 0.5
        The share of the rows that progressive validation tests, m / N.
    block : int or "auto", default "auto"
        The steps of progressive validation that share a fit; auto makes blocks of a tenth of the rows trained on, 1 a
        fit for each step.
    repeats : int or "auto", default "auto"
        The number of random halvings of co-validation, R. auto makes as many, the same for all candidates, as bring
        what their drawing adds to the variance of E_2cv below a tenth of it: at least 8, at most 30, or 10 of more than
        600 rows (`heldout.schemes.halvings`). Every number is then that of a call with the number that was made.
    stratify : bool, optional
        Whether each class has its share in each part. None stratifies two classes; with the default folds it does not
        where a class has fewer than 5 rows. More than two classes, which would make the estimates too low, have parts
        drawn at random until each class is in all training rows (`heldout.splits.class_shares`).
    shortcuts : {"auto", "off"}, default "auto"
        auto takes the losses of folds, steps and subsamples from an exact shortcut (docs/speed.md), where one is known
        for the learner, and fits what it declines. off makes every fit. Labels are the same, numbers equal to 1e-9.
    estimates : sequence of str, optional
        The names of the estimates to compute; only their fits are made. None stands for all that the loss admits and
        the data allow, but for E_nested.
    further_estimates : sequence of str, default ()
        Names of estimates that are made only where they are asked for, next to the others: E_auc, E_ap, E_f1 and
        E_balanced are 1 - a metric of each fold, in the mean, by which `Validation.select` can choose too; E_boot.
    intervals : mapping of str to str, optional
        An interval method for each estimate that it names; others keep the choice of docs/coverage.md.
    race : {"auto", "off"}, default "auto"
        auto, for more than ten candidates: a candidate that falls behind on the steps of E_prog, by more than chance,
        is dropped, and gets no further fits (`heldout.selection.race`). There is none for a loss without a known limit,
        for rows in groups, where E_nested is asked for, and where the `estimates` need fewer fits than these steps.
        off makes the fits of every candidate.
    finalists : int, optional
        The most candidates that get more fits than the steps of E_prog: those of the least E_prog. The others are left
        out as dropped ones are, but are not shown to err more. It works for every loss, and next to a race.
    margin : float, optional
        The largest difference of errors that does not matter: in percentage points for zero_one, whose errors are in
        percent, else in units of the loss (of squared in squared units). Each difference of E_cv then has a word: the
        candidate is better or worse by more than the margin, alike, or undecided (`heldout.selection.margin`).
    n_jobs : int, default 1
        The number of processes that share the fits, if these take more than some seconds, and of threads that compare
        half models; None stands for 1, and -1 for all cores. The numbers are the same.
    progress : bool, default True
        Whether a run of more than a second shows a bar of its fits on stderr, in a terminal or a notebook; it needs
        tqdm.

    on_error : {"record", "raise"}, default "record"
        Whether a candidate that cannot be fitted is left out, with its reason in `Validation.failed` and a
        LearnerWarning, or ends the call. One whose fits for E_prog or the half models fail alone is not left out: it
        lacks these estimates, with the reason in `Validation.lacking`.
    fit_timeout : float, optional
        The seconds that a fit and its test may take. The fits are then made in processes of their own, `n_jobs` at
        once, and a candidate that takes longer, or ends its process (`os._exit`, a segmentation fault, memory that runs
        out), fails as one that raises; the numbers are the same. Rows, learners and hypotheses are pickled. None makes
        the fits in this process, without a limit. It needs Linux or macOS.
    store : path, optional
        A folder below which each fit is kept as soon as it is made, in `heldout-fits`, and is found by a later call
        with the same rows, learner, loss, weights and seed, whatever else is asked. It may be removed at any time. The
        files are pickles of this user: one that anybody else wrote is not read, and its fit is made again. A learner
        that no digest tells from another, as one of a class of this notebook, is fitted without the store, with a
        warning. It needs Linux or macOS.
    cv, random_state, scoring : optional
        What scikit-learn calls `folds` and `seed`. `cv` may also be a splitter, or a list of pairs of row numbers,
        whose splits test each row once and train on all others, or do so again and again (RepeatedKFold): then the
        loss of a row is its mean. A single split, as of `PredefinedSplit` with -1 for rows that only train, is a test
        set of your own: E_val is of it, and there is E_in. `scoring`, which is `loss` or `further_estimates` here, is
        refused.
    muted_checks : collection of str, default ()
        Codes of the checks of a table (docs/checks.md) that hold no verdict back, as ["HLD006"] where the rows to come
        are of the same patients. The others are in `Validation.findings`.

    Returns
    -------
    Validation
        The estimates, their hypotheses, and the choice among the candidates; `dropped` are those that a race left out,
        `failed` those that could not be fitted.

    Raises
    ------
    BadArgument
        A ValueError that names argument, value and limit, before any fit, also for an index with other labels than that
        of X; after a candidate's fits for a loss above `loss_max`.
    FitFailure
        With the candidate's name and reason, if no candidate can be fitted, or with "raise" one; also where it raises
        SystemExit.

    Warns
    -----
    LearnerWarning
        Once for each candidate whose fits gave warnings, with the share of its fits; and for each that failed, or lacks
        an estimate.
    PartsWarning
        If a class is too rare for the default parts: with what was done. If parts are stratified by so many classes
        that the estimates are too low.
    RowsWarning
        If values were moved by the labels of their index, or taken by place although that is 0, 1, … and that of X not,
        or the other way round.

    Notes
    -----
    Each fit has one thread of BLAS and OpenMP, as in a run of the pipeline, so that its sums are the same.

    Without `fit_timeout` nothing survives a learner that ends its process, and no time limit stops a fit. What half
    models answer to the unlabelled rows, and what is asked of the result, is made in this process.

    Every number equals that of a plain loop over hypotheses ``h = clone(learner).fit(X[train], y[train])``, with rows
    in ascending order, and ``e(h, rows) = loss(y[rows], h.predict(X[rows]))``:

    - E_in: ``train = rows = all``; the mean of ``e(h, all)``.
    - E_val: ``train = ~validation``; the mean of ``e(h, validation)``.
    - E_cv: ``for i in range(k): train = fold != i; losses[fold == i] = e(h, fold == i)``; the mean of ``losses``. For
      leave-one-out ``fold`` is the number of the row.
    - E_prog: ``for t in range(0, m, block): train = step < t; rows = (t <= step) & (step < t + block)``; the mean of
      all ``e(h, rows)``. ``step`` is -1 for the rows that are not tested. For "auto" the block at t has ``max(1,
      sum(train) // 10)`` steps.
    - E_2cv, E_train: ``for half in halves: for side in (0, 1): train = half == side``; the mean of all ``e(h,
      ~train)``, and the mean over half models of the mean of ``e(h, train)``.
    - disagreement: The mean, over repeats and unlabelled rows, of ``h0.predict(unlabeled) != h1.predict(unlabeled)``,
      where h0 and h1 are the two half models of a repeat; of the square of their difference for the squared loss. E_dis
      is the expected error, over training sets, that it implies (`heldout.unlabelled.implied_error.error_bound`),
      E_maxdt the larger of E_train and E_dis. What these very half models err at least, whatever the labels of the
      unlabelled rows are, is printed (`heldout.unlabelled.implied_error.least_mean_error`).

    Examples
    --------
    >>> import heldout
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> validation = heldout.validate({"bayes": GaussianNB(), "ridge": RidgeClassifier()}, X, y, repeats=5)
    >>> validation.select(criterion="E_cv", rule="minimum").selected
    'bayes'

    Leave-one-out without its 150 fits, and the loop that it equals:

    >>> [e_loo] = heldout.validate({"bayes": GaussianNB()}, X, y, folds=len(y), estimates=["E_cv"]).estimates
    >>> def wrong(row):
    ...     rest = np.arange(len(y)) != row
    ...     return GaussianNB().fit(X[rest], y[rest]).predict(X[[row]])[0] != y[row]
    >>> bool(e_loo.value == np.mean([wrong(row) for row in range(len(y))]))
    True
    """
    muted, candidates = checks.muted(muted_checks), named(candidates)
    folds, seed = called_otherwise(folds=folds, cv=cv, seed=seed, random_state=random_state, scoring=scoring)
    asked = checked(
        candidates,
        X,
        y,
        unlabeled=unlabeled,
        groups=groups,
        time=time,
        gap=gap,
        sample_weight=sample_weight,
        loss=loss,
        loss_max=loss_max,
        seed=seed,
        level=level,
        validation_fraction=validation_fraction,
        folds=folds,
        cv=None if hasattr(cv, "__index__") else cv,
        tested_fraction=tested_fraction,
        block=block,
        repeats=repeats,
        stratify=stratify,
        shortcuts=shortcuts,
        estimates=estimates,
        further_estimates=further_estimates,
        intervals=intervals,
        race=race,
        finalists=finalists,
        margin=margin,
        n_jobs=n_jobs,
        progress=progress,
        on_error=on_error,
        fit_timeout=fit_timeout,
        store=store,
    )
    design = _designed(asked)
    schemes = schemes_of(design)
    _check_before_fits(design, schemes)
    by_rule = asked.parts.repeats == "auto" and HALVES in schemes and design.dependence.time is None
    evidence: dict[str, Evidence] = {}
    with FitBar(shown=asked.progress) as bar:
        fits = _fits(asked, candidates, design, bar)
        plan = Plan(
            design,
            [*candidates],
            schemes,
            may_skip=lambda name, scheme: fits[name].may_skip(scheme),
            may_fail=partial(may_fail, design),
            limit=asked.limit if asked.finalists is not None or pays(design, schemes) else None,
            finalists=asked.finalists,
            by_rule=by_rule,
        )
        execute(plan, fits, asked.jobs, bar, asked.on_error)
        design = plan.design
        fits = {name: fits[name].halved(design) for name in plan.left}
        for name, of_candidate in fits.items():
            found = gathered(plan, of_candidate, schemes, asked.on_error)
            if found is None:
                continue
            evidence[name] = found
            stated_limit.check_evidence(design, name, found)
            if any(of_candidate.warned):
                counted = printable(f"{name}: {WarningCounts.of(of_candidate.warned)}")
                warnings.warn(counted, LearnerWarning, stacklevel=2)
    check_not_all_failed(plan)
    for name, reason in plan.failures.items():
        warnings.warn(printable(f"{name} failed, and is left out: {reason}"), LearnerWarning, stacklevel=2)
    for name in evidence:
        if lacks := lacking_text(design, evidence[name]):
            warnings.warn(printable(f"{name}: {lacks}"), LearnerWarning, stacklevel=2)
    fits = {name: fits[name] for name in evidence}
    made = Validation(
        design,
        evidence,
        fits,
        asked.library,
        dropped=plan.dropped,
        halvings=plan.halvings,
        failed=plan.failures,
        _look=Look(asked.X, asked.unlabeled, design, muted, own_folds=bool(asked.parts.own_folds)),
    )
    _ = made.estimates  # what is wrong with an interval is said by this call
    return made


def _fits(asked: Request, candidates: Mapping[str, Any], design: Design, bar: FitBar) -> dict[str, CandidateFits]:
    """The fits of each candidate, which has a store where one was asked for and its fits can be told from others."""
    how = How(asked.shortcuts, None if asked.isolation is None else asked.isolation.fit_timeout)
    fits = {
        name: CandidateFits(
            *(name, learner, asked.X, design, how, bar),
            jobs=asked.jobs,
            unlabeled=asked.unlabeled,
            isolation=asked.isolation,
        )
        for name, learner in candidates.items()
    }
    if asked.store is None:
        return fits
    known = digests_of(candidates, asked.X, asked.y, asked.unlabeled, asked.loss)
    for name, lack in ((name, of.lack) for name, of in known.items() if of.lack):
        unstored = f"{name} is fitted without the store: {lack} no digest, since code of no installed package is used"
        warnings.warn(printable(unstored), LearnerWarning, stacklevel=3)
    return {name: of.kept(asked.store, known[name]) for name, of in fits.items()}


def _designed(asked: Request) -> Design:
    """The parts that the estimates need, and the method of each interval."""
    parts, needed = asked.parts, {scheme_of(estimate) for estimate in asked.estimates}
    if asked.limit is not None:
        needed.add(STREAM)
    strata = class_shares.strata(asked.y, asked.loss.of_classes)
    halves = np.empty((0, len(asked.y)), dtype=np.int8)
    if "covalidation" in needed:
        stratify = stratify_halves(strata, parts.folds, parts.stratify)
        repeats = most(len(asked.y)) if parts.repeats == "auto" else parts.repeats
        halves = make_halves(strata, repeats=repeats, stratify=stratify, seed=parts.seed, dependence=parts.dependence)
    drawn = [part for scheme, part in _PART_OF.items() if scheme in needed and (not parts.own_folds or part != "fold")]
    partition = make_partition(
        strata,
        validation_fraction=parts.validation_fraction,
        folds=2 if parts.own_folds else parts.folds,
        tested_fraction=parts.tested_fraction,
        stratify=parts.stratify,
        seed=parts.seed,
        dependence=parts.dependence,
        parts=drawn,
    )
    if parts.own_folds:
        partition = replace(partition, fold=parts.own_folds[0])
    if parts.own_test is not None:
        partition = replace(partition, validation=parts.own_test)
    return Design(
        y=asked.y,
        loss=asked.loss,
        partition=partition,
        halves=halves,
        block=parts.block,
        stratify=parts.stratify,
        seed=parts.seed,
        level=asked.level,
        methods=interval_methods.choose(
            asked.intervals, asked.loss, parts.dependence.kind, cross_validated="cross_validation" in needed
        ),
        estimates=asked.estimates,
        dependence=parts.dependence,
        weights=asked.weights,
        fold_repeats=max(len(parts.own_folds), 1),
        further_folds=parts.own_folds[1:],
        set_metrics=set_metrics(asked.estimates),
        margin=asked.margin,
    )


def _check_before_fits(design: Design, schemes: Sequence[SchemeName]) -> None:
    """Raise BadArgument for what cannot be split, for folds that an interval does not admit, a limit, or a margin."""
    for scheme in schemes:
        design.splits(scheme)
    check_classes(design)
    check_weights(design)
    if "E_cv" in design.estimates:
        design.methods["E_cv"].check_folds(design.partition.fold)
        design.methods["E_cv"].check_repeats(design.fold_repeats)
    stated_limit.check_baseline(design)
    check_matters(design.margin, design)
