"""What `heldout.validate` returns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from heldout.decision.judging import bound_of, select_among
from heldout.decision.ship import Decision, Further
from heldout.diagnosis import too_good
from heldout.diagnosis.class_errors import class_errors
from heldout.diagnosis.column_reliance import DRAWS, column_reliance
from heldout.diagnosis.confusion import confusion
from heldout.diagnosis.curves.of_answers import Curves
from heldout.diagnosis.hard_rows import hard_rows
from heldout.diagnosis.more_rows import missing, more_rows
from heldout.diagnosis.prediction_powered import prediction_powered
from heldout.diagnosis.prediction_sets import SetsOfRows, calibrated, of_new_rows
from heldout.diagnosis.too_good import Carrier
from heldout.errors import BadArgument, FitFailure
from heldout.estimates import ESTIMATES, e_in, e_nested, estimate_candidate, estimate_winner, lacking, scheme_of
from heldout.estimates.criteria import check_admitted, compares_by, listed, meant
from heldout.findings.finding import Finding
from heldout.fits import baseline
from heldout.fits.one_pass import updated_once
from heldout.learners.fit_warnings import WarningCounts
from heldout.losses import Losses
from heldout.metrics.answered_rows import ask_held_out
from heldout.metrics.metric import Answered
from heldout.metrics.skill import Skill, shown_skill
from heldout.notebook import tables
from heldout.notebook.candidate_models import CandidateModels
from heldout.notebook.decision import decided
from heldout.notebook.listed import ByEstimate, Record, Records
from heldout.notebook.opened_test_set import Opened
from heldout.records import (
    ClassError,
    ColumnReliance,
    Confused,
    Difference,
    Estimate,
    MoreRows,
    PredictionPowered,
    PredictionSets,
)
from heldout.rows.exchanged_rows import column_sets
from heldout.rows.frames import in_memory
from heldout.schemes.design import Design, Evidence, tested
from heldout.schemes.halvings import Halvings
from heldout.selection import bbc, beats_baseline
from heldout.selection.bound import SelectionBound
from heldout.selection.differences import differences
from heldout.selection.doubts import doubts
from heldout.selection.equal_candidates import equal_candidates
from heldout.selection.margin import check_matters, checked
from heldout.selection.race import Dropped
from heldout.selection.rules import Rule
from heldout.selection.selection import Criterion, Selection
from heldout.splits.split import Rows
from heldout.unlabelled.half_model_controls import Controls
from heldout.unlabelled.other_population import why_other

if TYPE_CHECKING:  # what people see is made where somebody looks
    from heldout.display.picture import Picture
    from heldout.notebook.by_metric import Metric, Needs
    from heldout.notebook.compared_models import Compared
    from heldout.notebook.look import Look, Looked
    from heldout.notebook.view import View

HELD_OUT, TEST_SET = "held-out rows", "test set"
_ALSO_AFTER = (
    "_by_candidate",
    "chosen",
    "_constant",
    "_differences",
    "_beaten",
    "_carriers",
    "_confused",
    "_held_out",
    "_populations",
)  # the test set is opened


@dataclass(frozen=True, eq=False)
class Validation:
    """What `validate` returns: the estimates of every candidate, and the hypotheses that they are about.

    `print` shows them as text, a notebook as a table.

    Attributes
    ----------
    estimates : tuple of Estimate
        Records with the columns of `estimates.csv` as attributes, candidates in their order, then the estimates of the
        winner.
    candidates : tuple of str
        The names of the candidates, in their order, without those that were dropped or failed.
    dropped : tuple of heldout.selection.race.Dropped
        The candidates that a race dropped, in the order in which they left it; of them there are no estimates.
    halvings : heldout.schemes.halvings.Halvings or None
        How many halvings were made, and why no more, where their number was left to `validate`.
    failed : mapping of str to str
        The candidates that could not be fitted, each with its reason; nothing else is known of them.
    lacking : mapping of str to mapping of str to str
        Of a candidate that failed in fits of E_prog or of the half models alone: each estimate that it lacks, with the
        reason.
    baseline : tuple of Estimate
        The same of the best constant answer, which is no candidate.
    design : heldout.schemes.design.Design
        How the rows were used: `design.splits("cross_validation")` has, for each fold, the rows of training and the
        rows that were tested; also for holdout, progressive and covalidation, if their estimates were computed.
    evidence : mapping of str to heldout.schemes.design.Evidence
        The losses behind the estimates of a candidate: `evidence[name].losses["cross_validation"]` has, for each of
        these splits, an array with the loss of each tested row, without its weight.

    Examples
    --------
    >>> import heldout
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> validation = heldout.validate({"bayes": GaussianNB()}, X, y, folds=5, estimates=["E_val", "E_cv"])
    >>> [(record.estimate, record.n_train, record.n_tested) for record in validation.estimates]
    [('E_val', 120, 30), ('E_cv', 120, 150)]

    The rows on which the five hypotheses err:

    >>> splits = validation.design.splits("cross_validation")
    >>> losses = validation.evidence["bayes"].losses["cross_validation"]
    >>> sorted(int(row) for split, loss in zip(splits, losses) for row in split.validation[loss > 0])
    [52, 70, 77, 83, 106, 119, 133]
    """

    design: Design = field(repr=False)
    evidence: Mapping[str, Evidence] = field(repr=False)
    _fits: Mapping[str, CandidateModels] = field(repr=False)
    _library: str = field(default="pandas", repr=False)
    dropped: tuple[Dropped, ...] = ()
    halvings: Halvings | None = None
    failed: Mapping[str, str] = field(default_factory=dict)
    criterion: Criterion | None = None
    rule: Rule = "minimum"
    opened: Opened | None = None
    _look: "Look | Looked | None" = field(default=None, repr=False)

    @property
    def candidates(self) -> tuple[str, ...]:
        """The names of the candidates, in their order, without those that were dropped or failed."""
        return tuple(self.evidence)

    @cached_property
    def estimates(self) -> Records[Estimate]:
        """Of the candidates in their order, of the winner on the test set, and those that are of the winner alone."""
        of_candidates = [record for records in self._by_candidate.values() for record in records]
        on_test = [] if self.opened is None else [self.opened.estimate]
        of_winner = estimate_winner(self.design, self.evidence, self.chosen)
        of_winner = [*map(bbc.of_left, of_winner)] if self.dropped else of_winner
        return self._records(Estimate, [*of_candidates, *on_test, *of_winner])

    def _records(self, kind: type[Record], records: Iterable[Record]) -> Records[Record]:
        return Records(records, kind, self._library)

    @cached_property
    def _by_candidate(self) -> dict[str, list[Estimate]]:
        return {
            name: [_stated(record, self._fits[name]) for record in estimate_candidate(self.design, name, evidence)]
            for name, evidence in self.evidence.items()
        }

    @cached_property
    def chosen(self) -> Selection | None:
        """The choice by `criterion` and `rule`; None where nobody named a criterion."""
        return None if self.criterion is None else self.select(self.criterion, self.rule)

    @property
    def findings(self) -> Records[Finding]:
        """What the checks of the table found that can hold a verdict back, each with its code (docs/checks.md).

        They are those of `heldout.audit` that need no fit of a candidate, and run where somebody first asks for this,
        or for a decision. `muted_checks` of `validate` leaves some out.

        Examples
        --------
        >>> import heldout
        >>> import numpy as np
        >>> from sklearn.naive_bayes import GaussianNB
        >>> rng = np.random.default_rng(0)
        >>> y = rng.integers(2, size=400)
        >>> X = np.column_stack([rng.normal(size=400), 5.0 * y])
        >>> v = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"])
        >>> [(one.code, one.severity, one.columns) for one in v.findings]
        [('HLD001', 'stop', ('column 1',))]
        """
        return self._records(Finding, self.looked.findings)

    @property
    def looked(self) -> "Looked":
        """The `findings`; or why nobody looked at the table."""
        from heldout.notebook.look import Looked

        if self._look is None:
            return Looked()
        return self._look if isinstance(self._look, Looked) else self._look.looked

    @property
    def compared_by(self) -> str:
        """The estimate whose differences say who errs less: E_cv, or the criterion where it is 1 - a metric."""
        return "E_cv" if self.chosen is None else compares_by(self.chosen.criterion)

    @property
    def lacking(self) -> Mapping[str, Mapping[str, str]]:
        """The estimates that a candidate lacks since its fits for them failed, each with the reason, by its name."""
        found = {name: lacking(self.design, of) for name, of in self.evidence.items()}
        return {name: of for name, of in found.items() if of}

    @property
    def warnings(self) -> Mapping[str, WarningCounts]:
        """What the fits of each candidate warned of."""
        return {name: self._fits[name].warnings for name in self.candidates}

    def controls(self, candidate: str | None = None) -> Controls | str:
        """What the half models say of single rows, for `prediction_powered`; or why there is nothing."""
        return self._fits[self._checked(candidate)].controls

    @cached_property
    def baseline(self) -> Records[Estimate]:
        """E_val and E_cv of the best constant answer, as far as they were computed for the candidates.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> [E_cv] = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"]).baseline
        >>> E_cv.candidate, round(E_cv.value, 3)
        ('baseline', 0.78)
        """
        on_test = [] if self.opened is None else [self.opened.of_baseline]
        return self._records(Estimate, [*estimate_candidate(self.design, baseline.NAME, self._constant), *on_test])

    def target(self, candidate: str, estimate: str) -> list[Any]:
        """The fitted hypotheses whose mean true error is the target of an estimate.

        Hypotheses that `validate` did not fit, because a shortcut gave their losses, are fitted now, once: from the
        learner and the rows that `validate` was given, which must not have changed since, and with the same random
        states.

        Parameters
        ----------
        candidate : str
            The name of a candidate.
        estimate : str
            The name of an estimate that was computed for it.

        Returns
        -------
        list of estimators
            One hypothesis for E_val and E_in, k for E_cv, one for each block for E_prog (blocks or folds of unequal
            size count by their tested rows). For E_2cv, E_train, disagreement, E_dis and E_maxdt the 2R half models
            in the order (repeat 0, half 0), (repeat 0, half 1), … For E_bbc the k of the winner, and for E_nested,
            fold by fold, the hypothesis of the candidate that wins inside the training rows of the fold.

        Raises
        ------
        BadArgument
            For a name that was not estimated.
        FitFailure
            For a fit that is made now and fails.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> validation = heldout.validate({"bayes": GaussianNB()}, X, y, folds=5, estimates=["E_cv"])
        >>> len(validation.target("bayes", "E_cv"))
        5
        """
        self._checked(candidate)
        known = {record.estimate for record in self._of(candidate)}
        if estimate not in known:
            raise BadArgument(
                "estimate", f"estimate is {estimate!r}; of {candidate} there are {', '.join(sorted(known))}"
            )
        if estimate == "E_nested":
            winners = [self.candidates[place] for place in e_nested.winners(self.design, self.evidence)]
            return [self._fits[name].hypotheses("cross_validation")[fold] for fold, name in enumerate(winners)]
        return list(self._fits[candidate].hypotheses(scheme_of(estimate)))

    def select(self, criterion: Criterion = "E_cv", rule: Rule = "minimum") -> Selection:
        """The candidate to take (METHOD, section 6), and the candidates that are not shown to err more than it.

        Parameters
        ----------
        criterion : str, default "E_cv"
            The estimate to compare candidates by: E_val, E_cv, E_2cv, E_prog, E_maxdt or max(E_cv, E_maxdt); or 1 - a
            metric, where it was asked for: E_auc, E_ap, E_f1, E_balanced. A metric's own name says the same: AUC, F1,
            and RMSE, R2 or MAE where E_cv puts candidates in its order.
        rule : str, default "minimum"
            minimum, or a rule that takes the first candidate, of the order from simple to complex, that is not clearly
            worse: one_standard_error or indistinguishable.

        Returns
        -------
        Selection
            The name of the selected candidate, and what it was chosen by.

        Raises
        ------
        BadArgument
            For a criterion or rule that is not known, or was not computed.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.dummy import DummyClassifier
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> candidates = {"constant": DummyClassifier(), "bayes": GaussianNB()}
        >>> heldout.validate(candidates, X, y, estimates=["E_cv"]).select().selected
        'bayes'
        """
        name = listed(criterion)
        check_admitted(name, self.design.loss)
        return select_among(self.design, self.evidence, self._by_candidate, meant(name), rule)

    def decide(
        self,
        criterion: Criterion = "E_cv",
        rule: Rule = "minimum",
        *,
        further: Further = Further(),  # noqa: B008  # frozen
    ) -> Decision:
        """Whether to ship the candidate that `select` takes: the rule of every report.

        Parameters
        ----------
        criterion : str, default "E_cv"
            As for `select`.
        rule : str, default "minimum"
            As for `select`.
        further : heldout.decision.ship.Further, optional
            What else is known, next to the `findings`: those of a file, earlier looks at the test set.

        Returns
        -------
        Decision
            The `verdict` (ship, any_of, ship_with_care or not_yet), the `caveats`, the `advice` in a line, and below it
            who of the `others` is not ruled out (`heldout.decision.ship`).

        Raises
        ------
        BadArgument
            As `select`, and where neither E_val nor E_cv was computed.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"]).decide().advice
        'Ship bayes: 5.3 % errors [2.3–11.9], a constant 78.0 %'
        """
        if self.judged is None:
            raise BadArgument("estimates", "decide: neither E_val nor E_cv was computed; estimates must contain one")
        further = replace(further, findings=[*further.findings, *self.looked.for_verdict])
        return decided(self, self.select(criterion, rule), further)

    def beats_baseline(self, candidate: str | None = None, estimate: str = "E_cv") -> bool | None:
        """Whether a candidate is shown to err less than the best constant answer, on the same held-out rows.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv, or of least E_val where E_cv was not computed.
        estimate : str, default "E_cv"
            E_cv, in place of which E_val is taken where it was not computed; or an estimate of 1 - a metric.

        Returns
        -------
        bool or None
            True if the interval of the difference (`differences`) lies below 0, and that of the difference from the
            best constant of all labelled rows too; False if no part of one does; None where it cannot be told, or
            neither E_cv nor E_val was computed. An opened test set has a say too: False if either part of the rows
            shows it, else True if one does.

        Raises
        ------
        BadArgument
            For a name that is no candidate, and another estimate.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"]).beats_baseline("bayes")
        True
        """
        winner = self._checked(candidate)
        self._check_compared(estimate)
        if (asked := (winner, estimate)) not in self._beaten:
            self._beaten[asked] = beats_baseline.is_beaten(self.design, self.evidence, winner, estimate)
        verdicts = {self._beaten[asked]}
        if self.opened is not None and self.opened.candidate == winner:
            verdicts.add(self.opened.beats_baseline)
        return False if False in verdicts else True if True in verdicts else None

    def differences(
        self, candidate: str | None = None, estimate: str = "E_cv", *, margin: float | None = None
    ) -> Records[Difference]:
        """How much less a candidate errs than each other candidate and the baseline, by E_cv on the same rows.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.
        estimate : str, default "E_cv"
            E_cv, or an estimate of 1 - a metric: E_auc, E_ap, E_f1, E_balanced.
        margin : float, optional
            The largest difference that does not matter, in percentage points where errors are in percent, else in
            units of the loss; None is that of `validate`. Each record then says in `by_margin` whether the candidate
            is better or worse by more than this, alike, or undecided (`heldout.selection.margin`).

        Returns
        -------
        tuple of Difference
            With intervals (`heldout.selection.differences`); empty where the estimate was not computed.

        Raises
        ------
        BadArgument
            For a name that is no candidate, another estimate, and a margin that is no number above 0, or by which a
            candidate without an error would be alike to the baseline.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> [against] = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"]).differences()
        >>> against.against, round(against.difference, 2), against.high < 0
        ('baseline', -0.73, True)

        Whether they differ by more than one percentage point:

        >>> from sklearn.linear_model import RidgeClassifier
        >>> v = heldout.validate({"bayes": GaussianNB(), "ridge": RidgeClassifier()}, X, y, estimates=["E_cv"])
        >>> [(one.against, one.by_margin) for one in v.differences(margin=1)]
        [('ridge', 'better'), ('baseline', 'better')]
        """
        name = self._checked(candidate)
        self._check_compared(estimate)
        by = checked(margin, self.design.loss)
        check_matters(by, self.design, estimate)
        if (asked := (name, estimate, by)) not in self._differences:
            found = differences(self.design, self.evidence, name, estimate, by)
            self._differences[asked] = self._records(Difference, found)
        return self._differences[asked]

    def more_rows(self, candidate: str | None = None) -> Records[MoreRows]:
        """What a candidate errs after training on half of the rows, on all, and on twice as many: no further fit.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.

        Returns
        -------
        tuple of MoreRows
            With intervals. E_2N, for twice as many rows, has an assumption of its own (`heldout.diagnosis.more_rows`).

        Raises
        ------
        BadArgument
            For a name that is no candidate, without E_2cv and E_cv, and for a candidate whose half models failed.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> validation = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv", "E_2cv"])
        >>> [(line.rows, line.estimate) for line in validation.more_rows()]
        [(75, 'E_2cv'), (135, 'E_cv'), (135, 'gain'), (150, 'E_N'), (300, 'E_2N')]
        """
        name = self._checked(candidate)
        if (reason := missing(self.design)) is not None:
            raise BadArgument("estimates", f"more_rows: {reason}")
        if "E_2cv" in (lacks := self.lacking.get(name, {})):
            raise BadArgument("candidate", f"more_rows: there is no E_2cv of {name}: {lacks['E_2cv']}")
        return self._records(MoreRows, more_rows(self.design, {name: self.evidence[name]}, {name: self._of(name)}))

    def bound(self, candidate: str | None = None, models: int | None = None) -> SelectionBound:
        """What the true error of a candidate's hold-out hypothesis is at most, although it was chosen among several.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.
        models : int, optional
            The number of candidates that were ever compared on these rows, also with other seeds and in other calls;
            None is the number of candidates of this call, with those that were dropped.

        Returns
        -------
        SelectionBound
            The bound, the name of its method, Hoeffding's bound, and `joint`, a sharper figure that holds
            approximately, None where there is none (`heldout.selection.bound`), at the level of `validate`.

        Raises
        ------
        BadArgument
            For a name that is no candidate, fewer models than candidates, without E_val, for a loss without a known
            limit, and for rows in groups.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> found = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_val"]).bound(models=8)
        >>> round(found.value, 2), found.method, round(found.hoeffding, 2)
        (0.22, 'Clopper-Pearson', 0.32)
        """
        name = self._checked(candidate)
        return bound_of(self.design, self.evidence, name, models, len(self.dropped))

    def not_credible(self, candidate: str | None = None) -> dict[str, str]:
        """Which intervals of a candidate cannot be right, since few rows carry its loss.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.

        Returns
        -------
        dict of str to str
            The reason by the name of the estimate, and by `differences` for those of E_cv from other candidates; empty
            where nothing is doubted (`heldout.intervals.credible`).

        Raises
        ------
        BadArgument
            For a name that is no candidate.

        Examples
        --------
        >>> import heldout
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> rng = np.random.default_rng(2)
        >>> X = rng.normal(size=(100, 1))
        >>> y = X[:, 0] + rng.pareto(2.5, size=100)
        >>> heldout.validate({"line": LinearRegression()}, X, y, estimates=["E_cv"]).not_credible()
        {'E_cv': '1 of 100 rows carries 44 % of the loss'}
        """
        name = self._checked(candidate)
        if name not in self._doubts:
            self._doubts[name] = doubts(self.design, self.evidence, name, self.estimates)
        return dict(self._doubts[name])

    def prediction_powered(self, candidate: str | None = None) -> Records[PredictionPowered]:
        """E_val and E_cv of a candidate, with narrower intervals by its unlabelled rows: no further fit.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.

        Returns
        -------
        tuple of PredictionPowered
            With the `reason` where unlabelled rows cannot be used; empty for numbers
            (`heldout.diagnosis.prediction_powered`).

        Raises
        ------
        BadArgument
            For a name that is no candidate.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> X, how = X[:, :2], {"unlabeled": X[1::2, :2], "estimates": ["E_cv", "E_2cv"]}
        >>> validation = heldout.validate({"bayes": GaussianNB()}, X[::2], y[::2], **how)
        >>> [(line.estimate, line.unlabeled, line.width < 1.02) for line in validation.prediction_powered()]
        [('E_cv', 75, True)]
        """
        name = self._checked(candidate)
        found = prediction_powered(self.design, self.evidence[name], self._of(name), self.controls(name))
        return self._records(PredictionPowered, found)

    def hard_rows(self, n: int = 100, candidate: str | None = None) -> Rows:
        """The rows that most candidates get wrong, whose labels are worth a look: no further fit.

        Parameters
        ----------
        n : int, default 100
            The largest number of rows.
        candidate : str, optional
            The name of a candidate, whose losses break ties; None is the one of least E_cv.

        Returns
        -------
        ndarray of int
            Their places in X and y, the hardest first, by losses of cross-validation (`heldout.diagnosis.hard_rows`).

        Raises
        ------
        BadArgument
            For a name that is no candidate, fewer than one row, or without E_cv.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> y[7] = 2
        >>> 7 in heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"]).hard_rows()
        True
        """
        return hard_rows(self.design, self.evidence, self._checked(candidate), n).rows

    def class_errors(self, candidate: str | None = None) -> Records[ClassError]:
        """The error of each class by cross-validation, with its interval: no further fit.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.

        Returns
        -------
        tuple of ClassError, with to_frame()
            In the order of the classes, each interval by itself (`heldout.diagnosis.class_errors`); none for another
            loss than 0/1.

        Raises
        ------
        BadArgument
            For a name that is no candidate, or without E_cv.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> found = heldout.validate({"bayes": GaussianNB()}, X, y, folds=5, estimates=["E_cv"]).class_errors()
        >>> [(one.class_name, one.n_tested, round(one.value, 2)) for one in found]
        [('0', 50, 0.0), ('1', 50, 0.08), ('2', 50, 0.06)]
        """
        name = self._checked(candidate)
        return self._records(ClassError, class_errors(self.design, self.evidence[name], name))

    def confusion(self, candidate: str | None = None) -> Records[Confused]:
        """Which class the rows of each class are taken for by cross-validation (`heldout.diagnosis.confusion`).

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.

        Returns
        -------
        tuple of Confused, with to_frame()
            The number of rows of each pair of classes that has some, in the order of the classes; none for another loss
            than 0/1. Of more than two classes the hypotheses of the folds answer again, and a shortcut's are fitted;
            there are none for more than a hundred folds.

        Raises
        ------
        BadArgument
            For a name that is no candidate, without E_cv, and for a saved result without models.
        FitFailure
            For a hypothesis that does not answer.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> found = heldout.validate({"bayes": GaussianNB()}, X, y, folds=5, estimates=["E_cv"]).confusion()
        >>> [(one.class_name, one.taken_for, one.rows) for one in found]
        [('0', '0', 50.0), ('1', '1', 46.0), ('1', '2', 4.0), ('2', '1', 3.0), ('2', '2', 47.0)]
        """
        name = self._checked(candidate)
        if name not in self._confused:
            of = self._fits[name]
            self._confused[name] = confusion(
                self.design,
                self.evidence[name],
                name,
                lambda: of.hypotheses("cross_validation"),
                lambda: of.X,
            )
        return self._records(Confused, self._confused[name])

    def too_good(self, candidate: str | None = None) -> tuple[Carrier, ...] | None:
        """The columns that carry an error which is too low to be believed: less than a hundredth of the baseline's.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv, or of least E_val where E_cv was not computed.

        Returns
        -------
        tuple of Carrier, or None
            The largest error first, by its hypothesis of E_val, or of the first fold (`heldout.diagnosis.too_good`);
            None where the error is not so low.

        Raises
        ------
        BadArgument
            For a name that is no candidate.
        FitFailure
            For a fit that is made now and fails.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> told = heldout.validate({"tree": DecisionTreeClassifier()}, X.assign(kind=y), y, estimates=["E_cv"])
        >>> [carrier.columns for carrier in told.too_good()]
        [('kind',)]
        """
        name, of_baseline, design = self._checked(candidate), self.judged, self.design
        if of_baseline is None:
            return None
        error = next(one.value for one in self._by_candidate[name] if one.estimate == of_baseline.estimate)
        if not too_good.is_too_low(error, of_baseline.value):
            return None
        if name not in self._carriers:
            scheme = "holdout" if "E_val" in design.estimates else "cross_validation"
            fits, split = self._fits[name], design.splits(scheme)[0]
            hypothesis, X = fits.hypotheses(scheme)[0], in_memory(fits.X)
            self._carriers[name] = too_good.carriers(hypothesis, X, design, split, of_baseline.value)
        return self._carriers[name]

    @cached_property
    def equal(self) -> dict[str, str]:
        """Each candidate that has the losses of an earlier one on every tested row, and the name of that one."""
        return equal_candidates(self.evidence)

    def other_population(self, candidate: str | None = None) -> str:
        """Why the unlabelled rows are not of the population of the labelled rows; empty where nothing says so.

        What half models say on them is about these rows alone then. Ranges and gaps of the columns are compared, the
        answers of the half models, and those of the hypothesis of E_val (`heldout.unlabelled.populations`).

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv, or of least E_val where E_cv was not computed.

        Returns
        -------
        str
            The column or the answer that differs, with its p-value. Empty also for rows that depend on each other or
            are weighted, and without unlabelled rows.

        Raises
        ------
        BadArgument
            For a name that is no candidate.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> found = heldout.validate({"bayes": GaussianNB()}, X[::2], y[::2], unlabeled=X[1::2])
        >>> found.other_population()
        ''
        >>> found = heldout.validate({"bayes": GaussianNB()}, X[::2], y[::2], unlabeled=X[1::2] + 3)
        >>> found.other_population().split(":")[1]
        ' petal width (cm) lies outside of 0.1 to 2.5, the range of the labelled rows, in 100.0 % of them, p < 1e-9'
        """
        name = self._checked(candidate)
        if name not in self._populations:
            of, held_out = self._fits[name], None
            if of.unlabeled is None:
                return ""
            with suppress(FitFailure):
                held_out = of.hypotheses("holdout")[0] if "E_val" in self.design.estimates else None
            self._populations[name] = why_other(self.design, of.X, of.unlabeled, of.controls, held_out)
        return self._populations[name]

    def curves(self, candidate: str | None = None) -> Curves:
        """Calibration, ROC and residuals of a candidate on rows that it was not trained on: no further fit.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv, or of least E_val where E_cv was not computed.

        Returns
        -------
        Curves
            Of the hypothesis of E_val on the held-out rows, or of the one that is delivered on the test set where that
            was opened; each empty where the target or the answers have none.

        Raises
        ------
        BadArgument
            For a name that is no candidate, without E_val, and for several labels a row.
        FitFailure
            For a hypothesis that does not answer, and for a fit that is made now and fails.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> found = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_val"]).curves()
        >>> sum(line.rows for line in found.calibration if not line.class_name)
        30
        """
        name = self._checked(candidate)
        whose, part, answered = self._answered(name)
        return Curves.of(answered, self.design.level, {"candidate": name, "hypothesis": whose, "part": part})

    def skill(self, candidate: str | None = None) -> Skill | None:
        """What a candidate is shown to have learned, whatever its error says: AUC, or R², that no constant reaches.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv, or of least E_val where E_cv was not computed.

        Returns
        -------
        Skill or None
            By the rows and the hypothesis of `curves`; None where it is not shown, without E_val, and for several
            labels a row.

        Raises
        ------
        BadArgument
            For a name that is no candidate.
        FitFailure
            For a hypothesis that does not answer, and for a fit that is made now and fails.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_val"]).skill().metric
        'AUC'
        """
        name = self._checked(candidate)
        if self.opened is None and ("E_val" not in self.design.estimates or self.design.loss.labels > 1):
            return None
        _, part, answered = self._answered(name)
        return shown_skill(answered, self.design.level, part)

    def with_opened(self, opened: Opened | None) -> Self:
        """The same after the winner met the test set; None leaves it as it is."""
        made = replace(self, opened=opened)
        vars(made).update({name: vars(self)[name] for name in _ALSO_AFTER if name in vars(self)})
        return made

    def calibrated(self, candidate: str | None = None) -> PredictionSets:
        """The threshold of a candidate's prediction sets, from the held-out rows: no further fit.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv, or of least E_val where E_cv was not computed.

        Returns
        -------
        PredictionSets
            Without a `threshold` where the `reason` says why.

        Raises
        ------
        BadArgument
            For a name that is no candidate, and without E_val.
        FitFailure
            For a fit that is made now and fails.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_val"]).calibrated().calibrated
        30
        """
        name = self._checked(candidate)
        if "E_val" not in self.design.estimates:
            raise BadArgument("estimates", "prediction_sets: E_val was not computed; estimates must contain it")
        fits = self._fits[name]
        return calibrated(name, self.design, fits.hypotheses("holdout")[0], fits.X)

    def prediction_sets(self, X_new: Any, candidate: str | None = None) -> SetsOfRows:
        """The sets of classes, or the intervals, that hold the label of a new row with probability `level` at least.

        Conformal sets of the hypothesis of E_val, g-, by its answers on the held-out rows: the claim and its assumption
        are in `heldout.diagnosis.prediction_sets`. No further fit.

        Parameters
        ----------
        X_new : array-like, data frame or sparse matrix of shape (n, p)
            Rows with the columns of X.
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv, or of least E_val where E_cv was not computed.

        Returns
        -------
        SetsOfRows
            `sets`, truth values of shape (n, C) with a column for each of its `classes`, or of numbers the bounds, of
            shape (n, 2); and the `threshold`: class c is in the set if its probability is at least 1 - threshold, the
            bounds are the prediction - threshold and + threshold.

        Raises
        ------
        BadArgument
            For a name that is no candidate, rows of other columns, without E_val, and where no threshold holds: for
            rows in groups, a candidate without probabilities, or too few held-out rows.
        FitFailure
            For rows that the hypothesis refuses.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> validation = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_val"])
        >>> validation.prediction_sets([[6.2, 2.7, 5.0, 1.7], [5.0, 3.4, 1.5, 0.2]]).sets
        array([[False,  True,  True],
               [ True, False, False]])
        """
        name = self._checked(candidate)
        if "E_val" not in self.design.estimates:
            raise BadArgument("estimates", "prediction_sets: E_val was not computed; estimates must contain it")
        fits = self._fits[name]
        return of_new_rows(name, self.design, fits.hypotheses("holdout")[0], fits.X, X_new)

    def to_frame(self, kind: str = "estimates", candidate: str | None = None) -> Any:
        """A table of the result as a data frame, with the lines and columns of the file of that name in `reports/`.

        Values are means of the loss. Of the squared loss estimates are also there as RMSE, RMSE_low and RMSE_high, as
        `print` shows them.

        Parameters
        ----------
        kind : str, default "estimates"
            estimates, more_rows, prediction_powered, costs: of every candidate; differences, not_credible,
            class_errors, confusion, columns, hard_rows, calibration, roc, residuals: of one. costs are measured now:
            the seconds of a fit, the microseconds of a prediction, the bytes of the model; NaN for seconds of fits that
            were made elsewhere.
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.

        Returns
        -------
        data frame
            Of polars or pyarrow where X was a table of that library, else of pandas.

        Raises
        ------
        BadArgument
            For a kind that is not known, and as the method that finds the same.
        ImportError
            Where pandas is not installed, for X of another kind.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> validation = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"])
        >>> validation.to_frame()[["candidate", "estimate", "n_train", "n_tested"]]
          candidate estimate  n_train  n_tested
        0     bayes     E_cv      135       150
        1  baseline     E_cv      135       150
        >>> validation.to_frame("differences")["against"].tolist()
        ['baseline']
        """
        return tables.frame(self, self._fits, kind, self._checked(candidate), self._library)

    def plot(self) -> "Picture":
        """A picture of each estimate, in it every candidate with its interval; a notebook shows it.

        Returns
        -------
        matplotlib.figure.Figure
            A new figure; `savefig` writes it to a file.

        Raises
        ------
        ImportError
            Where matplotlib is not installed.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> len(heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_val"]).plot().axes)
        1
        """
        return self._view.picture()

    def losses(self, estimate: str = "E_cv") -> dict[str, Losses]:
        """The losses behind an estimate, of each candidate: the same rows in the same order, for comparisons.

        Parameters
        ----------
        estimate : str, default "E_cv"
            E_cv, where row i has its loss by the hypothesis that did not see its fold; E_val, for the held-out rows;
            E_prog, in the order of its steps; or E_2cv, the mean over the half models that did not see a row.

        Returns
        -------
        dict of str to ndarray of shape (n,)
            By the name of the candidate, without the weights of rows: with weights w the estimate is sum(w L) / sum(w).

        Raises
        ------
        BadArgument
            For an estimate that is no mean of paired losses, or was not computed.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> v = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"])
        >>> v.losses("E_cv")["bayes"].shape
        (150,)
        """
        behind = {name: one.losses_behind for name, one in ESTIMATES.items() if one.losses_behind is not None}
        known = [name for name in behind if name in self.design.estimates]
        if estimate not in known:
            raise BadArgument("estimate", f"estimate is {estimate!r}; there are losses of {', '.join(known) or 'none'}")
        plain = replace(self.design, weights=None)  # else they are the terms of a ratio, which may be below 0
        seen = behind[estimate](plain, self.evidence).observed
        return {name: observed.losses for name, observed in seen.items()}

    def __getitem__(self, candidate: str) -> ByEstimate:
        """The estimates of a candidate, by name: ``v["lda"]["E_cv"].low``. Raises BadArgument for another candidate.

        A `value` is the mean of the loss; of the squared loss RMSE, which `print` shows, is its root.
        """
        return ByEstimate(self._of(self._checked(candidate)), self._library)

    def __iter__(self) -> Iterator[str]:
        """The names of the candidates."""
        return iter(self.candidates)

    def __len__(self) -> int:
        return len(self.candidates)

    def __eq__(self, other: object) -> bool:
        """Whether two calls found the same: equal estimates, and the same candidates dropped."""
        if not isinstance(other, Validation):
            return NotImplemented
        return (self.estimates, self.dropped) == (other.estimates, other.dropped)

    def __hash__(self) -> int:
        return hash(self.estimates)

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.candidates]

    def __repr__(self) -> str:
        return self._view.line()

    def __str__(self) -> str:
        return self._view.text()

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self._view.html()

    @cached_property
    def _differences(self) -> dict[tuple[str, str, float | None], Records[Difference]]:
        return {}

    @cached_property
    def _beaten(self) -> dict[tuple[str, str], bool | None]:
        return {}

    @cached_property
    def _doubts(self) -> dict[str, dict[str, str]]:
        return {}

    @cached_property
    def _view(self) -> "View":
        from heldout.notebook.view import View

        return View(self)

    @cached_property
    def _constant(self) -> Evidence:
        return baseline.evidence(self.design)

    @property
    def started(self) -> tuple[str, ...]:
        """The names of the candidates that were compared: `candidates`, and those that were dropped."""
        return (*self.candidates, *(one.candidate for one in self.dropped))

    @property
    def judged(self) -> Estimate | None:
        """E_cv of the baseline, or E_val without E_cv: what candidates are ranked and judged by; None without both."""
        found = {record.estimate: record for record in self.baseline}
        return found.get("E_cv", found.get("E_val"))

    @property
    def ranked(self) -> list[Estimate]:
        """The same estimate of each candidate, the least first, ties in their order; empty without both."""
        judged = self.judged
        records = [record for record in self.estimates if judged is not None and record.estimate == judged.estimate]
        return sorted(records, key=lambda record: record.value)

    @property
    def winner(self) -> str:
        """The `chosen` candidate, else that of the least E_cv, or E_val without it; the first one without both."""
        if self.chosen is not None:
            return self.chosen.selected
        return next((record.candidate for record in self.ranked), self.candidates[0])

    def _answered(self, name: str) -> tuple[str, str, Answered]:
        """Whose answers say most of a candidate, on which part of the rows, and these. Raises as `curves`."""
        if self.opened is not None and self.opened.candidate == name:
            return self.opened.estimate.target, TEST_SET, self.opened.answered
        if name not in self._held_out:
            design, fits = self.design, self._fits[name]
            if "E_val" not in design.estimates:
                raise BadArgument("estimates", "curves: E_val was not computed; estimates must contain it")
            if design.loss.labels > 1:
                raise BadArgument("y", f"curves: they are for one label a row, and y has {design.loss.labels}")
            rows, seen = design.splits("holdout")[0].validation, tested(design, self.evidence[name], "holdout")
            self._held_out[name] = ask_held_out(fits.hypotheses("holdout")[0], fits.X, design.y, rows, seen)
        target = next(one.target for one in self._by_candidate[name] if one.estimate == "E_val")
        return target, HELD_OUT, self._held_out[name]

    @cached_property
    def _carriers(self) -> dict[str, tuple[Carrier, ...]]:
        return {}

    @cached_property
    def _confused(self) -> dict[str, tuple[Confused, ...]]:
        return {}

    @cached_property
    def _held_out(self) -> dict[str, Answered]:
        return {}

    @cached_property
    def _populations(self) -> dict[str, str]:
        return {}

    def _known_of_models(self, asked: Sequence[str] | None) -> dict[str, Any]:
        """What models said that a saved result shows without them: answers, carriers, and other populations.

        The classes that fold hypotheses take rows for are among it where somebody `asked` for a candidate by name, or
        has asked before.
        """
        for name in self.candidates if asked is None else asked:
            self.too_good(name)
            with suppress(BadArgument, FitFailure):
                if asked is not None:
                    self.confusion(name)
            self.other_population(name)
            with suppress(BadArgument, FitFailure):
                self._answered(name)
        known = {"answered": self._held_out, "carriers": self._carriers, "populations": self._populations}
        return {**known, "confused": self._confused}

    def take_known(
        self,
        answered: Mapping[str, Answered],
        carriers: Mapping[str, tuple[Carrier, ...]],
        populations: Mapping[str, str],
        confused: Mapping[str, tuple[Confused, ...]],
    ) -> None:
        """Take what the models said when the result was saved."""
        self._confused.update(confused)
        self._held_out.update(answered)
        self._carriers.update(carriers)
        self._populations.update(populations)

    def _of(self, candidate: str) -> list[Estimate]:
        return [record for record in self.estimates if record.candidate == candidate]

    def _checked(self, candidate: str | None) -> str:
        """The name of a candidate; of the winner for None."""
        if candidate is None:
            return self.winner
        if candidate in self.started[len(self.candidates) :]:
            from heldout.display import about_race

            said = about_race.lines(self.dropped, self.design.loss)[candidate]
            raise BadArgument("candidate", f"candidate is {candidate!r}, of which nothing is known: it was {said}")
        if candidate in self.failed:
            raise BadArgument("candidate", f"candidate is {candidate!r}, which failed: {self.failed[candidate]}")
        if candidate not in self.candidates:
            allowed = ", ".join(self.candidates)
            raise BadArgument("candidate", f"candidate is {candidate!r}; it must be one of {allowed}")
        return candidate

    def _check_compared(self, estimate: str) -> None:
        """Raise BadArgument for an estimate that has no paired differences."""
        if estimate not in (known := ("E_cv", *self.design.set_metrics)):
            raise BadArgument("estimate", f"estimate is {estimate!r}; it must be one of {', '.join(known)}")

    def columns(
        self, candidate: str | None = None, *, together: Sequence[Sequence[Any]] = (), draws: int = DRAWS
    ) -> Records[ColumnReliance]:
        """Which columns matter: what a candidate errs more where a column has the values of other rows.

        The held-out rows of each fold are answered again by its hypothesis, with the values of a column from other rows
        of the fold (`heldout.diagnosis.column_reliance`). No further fit, but for a candidate whose losses came from a
        shortcut: its k hypotheses are fitted now, once.

        Columns that say the same hide each other: each of two copies may have an increase near 0. Name them `together`.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.
        together : sequence of sequences of str or int, optional
            Sets of columns that are permuted as one, by their names, or by their places where X is no data frame. Each
            set has a line, and its columns have none of their own.
        draws : int, default 10
            How many other rows give their values to each row. The seed is that of `validate`.

        Returns
        -------
        tuple of ColumnReliance
            The largest increase first, in units of E_cv, with intervals for all lines at once, by groups or batches in
            time where rows depend.

        Raises
        ------
        BadArgument
            For a name that is no candidate or no column, without E_cv, and for folds without another row or group, as
            those of leave-one-out.
        FitFailure
            For a hypothesis that refuses a row, and for a fit that is made now and fails.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> validation = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"])
        >>> [line.columns for line in validation.columns() if line.shown_used]
        [('petal width (cm)',), ('petal length (cm)',)]
        >>> sepals = ["sepal length (cm)", "sepal width (cm)"]
        >>> [line.columns for line in validation.columns(together=[sepals])][-1]
        ('sepal length (cm)', 'sepal width (cm)')
        """
        name = self._checked(candidate)
        if "E_cv" not in self.design.estimates:
            raise BadArgument("estimates", "columns: E_cv was not computed; estimates must contain it")
        fits = self._fits[name]
        X, hypotheses = in_memory(fits.X), fits.hypotheses("cross_validation")
        found = column_reliance(name, hypotheses, X, self.design, column_sets(X, together), draws)
        return self._records(ColumnReliance, found)

    def metric(
        self, metric: "Metric", *, needs: "Needs" = "answer", greater_is_better: bool | None = None
    ) -> "Compared":
        """Each candidate's error by a metric, or by another loss, in cross-validation; without a further fit.

        The answers are those of the fold hypotheses on the rows of their folds; a candidate whose losses came from a
        shortcut is fitted now, once. A choice by it is `.select()` of the result. The intervals do not have the further
        fits that those of `further_estimates` have, and are wider (`heldout.estimates.of_metric`).

        Parameters
        ----------
        metric : str or callable
            The name of a metric: AUC, average precision, F1, balanced accuracy, R2, of which 1 - it is estimated; or
            accuracy, MAE, RMSE, MSE, log loss, Brier score, which are means of a loss, and E_cv by that loss is
            estimated. Or a function of labels, answers and `sample_weight`, arrays of shape (n,), to a number, as those
            of `sklearn.metrics`, or a scorer that `make_scorer` or `get_scorer` returns. Where more is better it is 1
            at best, and 1 - it is estimated; where less is, as of functions called `*_loss`, `*_error` or `*_deviance`
            and of scorers that say so, it itself is. In a fold it is called twice, and for each distinct pair of label
            and answer: rows that have the same change it alike. Where more than 200 pairs differ, it is called for each
            of 200 random parts of all rows, unless they depend on one another. Arguments of its own come with
            `functools.partial`. Of several labels a row labels and answers have the shape (n, q).
        needs : {"answer", "ranks"}, default "answer"
            What a function is given: the answers of `predict`; or what ranks the rows, probabilities or scores, of two
            classes those of the second, shape (n,), else a column for each class, shape (n, C). A scorer says it.
        greater_is_better : bool, optional
            The direction of a function whose best value is not 1: with True, as of a profit, - it is the error, with
            False, as of MAPE, it itself. None is for functions that are 1 at best, and those whose name says it.

        Returns
        -------
        heldout.notebook.compared_models.Compared
            As `heldout.from_predictions`; `print` shows it.

        Raises
        ------
        BadArgument
            For a function that is no such metric, one of which neither its name nor a scorer says that less is better
            and that is not 1 for answers that are the labels, a metric that the target does not admit, and without
            E_cv.
        FitFailure
            For a hypothesis that does not answer, and for a fit that is made now and fails.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import RidgeClassifier
        >>> from sklearn.metrics import cohen_kappa_score
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> v = heldout.validate({"bayes": GaussianNB(), "ridge": RidgeClassifier()}, X, y, estimates=["E_cv"])
        >>> found = v.metric(cohen_kappa_score)
        >>> [(one.candidate, one.estimate, round(one.value, 2)) for one in found.estimates]
        [('bayes', 'E_cohen_kappa_score', 0.08), ('ridge', 'E_cohen_kappa_score', 0.26)]
        >>> found.select().selected
        'bayes'
        """
        from heldout.notebook.by_metric import of_fits

        return of_fits(self._fits, self.design, len(self.started), metric, needs, greater_is_better)

    def report(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write one HTML file with the result: what a notebook shows, the picture, differences, and warnings.

        The file holds everything, so that it can be mailed; it has no script and asks for nothing from elsewhere. The
        picture needs matplotlib; without it the page says so. The same result has the same bytes.

        Parameters
        ----------
        path : str or path
            The name of the file, in a folder that exists.
        overwrite : bool, default False
            Whether a file of that name is replaced.

        Returns
        -------
        Path
            The file that was written.

        Raises
        ------
        FileExistsError
            For a file that exists, unless `overwrite`.
        OSError
            Where the file cannot be written.

        Examples
        --------
        >>> import heldout, tempfile
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> validation = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     validation.report(f"{folder}/report.html").read_text()[:15]
        '<!doctype html>'
        """
        path = Path(path)
        if path.exists() and not overwrite:
            raise FileExistsError(f"{path} exists; give another name, or overwrite=True to replace it")
        text = self._view.page()
        with path.open("w" if overwrite else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return path

    def save(self, folder: str | PathLike[str], *, overwrite: bool = False, asked: Sequence[str] | None = None) -> Path:
        """Write the result to a folder, from which `heldout.load` reads it: numbers and losses, and no models.

        Parameters
        ----------
        folder : str or path
            The name of a folder that does not exist, in one that does.
        overwrite : bool, default False
            Whether a saved result of that name is replaced.
        asked : sequence of str, optional
            The candidates whose models answer now what the saved result says without them; None for all.

        Returns
        -------
        Path
            The folder, which has the whole result.

        Raises
        ------
        BadArgument
            For labels of several types, and a loss of another package that has a value.
        FileExistsError
            For a folder that exists, unless `overwrite`, and for one that holds something else.
        OSError
            Where the folder cannot be written.

        Examples
        --------
        >>> import heldout, tempfile
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> validation = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     heldout.load(validation.save(f"{folder}/iris")) == validation
        True
        """
        from heldout.notebook import saved_result

        return saved_result.save(
            self,
            Path(folder),
            self._fits,
            self._library,
            self._known_of_models(asked),
            overwrite=overwrite,
        )


def _stated(record: Estimate, models: CandidateModels) -> Estimate:
    """The record of an estimate, which also says what only the learner and the labelled rows say of its target."""
    target = record.target
    if record.estimate == "E_in" and record.n_train is not None:
        target = e_in.training_target(record.n_train, models.final_rows)
    return replace(record, target=updated_once(target) if models.updated_once else target)
