"""What `heldout.validate` returns."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heldout import baseline, frames, validation_html, validation_text
from heldout.decided import decided
from heldout.errors import BadArgument
from heldout.estimates import e_nested, estimate_candidate, scheme_of
from heldout.printable import printable
from heldout.questions import Questions
from heldout.records import Estimate
from heldout.selection.criteria import CRITERIA, Criterion
from heldout.selection.decision import Decision
from heldout.selection.judging import select_among
from heldout.selection.rules import Rule
from heldout.selection.select import Selection
from heldout.table import cell, marks, rounded

if TYPE_CHECKING:
    from heldout.picture import Picture

_COLUMNS = ("candidate", "estimate", "value", "low", "high", "level", "target", "interval", "n_train", "n_tested")


@dataclass(frozen=True, eq=False)
class Validation(Questions):
    """What `validate` returns: the estimates of every candidate, and the hypotheses that they are about.

    `print` shows them as text, a notebook as a table.

    Attributes
    ----------
    estimates : tuple of Estimate
        Records with the columns of `estimates.csv` as attributes, candidates in their order, then the estimates of the
        winner.
    candidates : tuple of str
        The names of the candidates, in their order.
    baseline : tuple of Estimate
        The same of the best constant answer, which is no candidate.
    design : heldout.design.Design
        How the rows were used: `design.splits("cross_validation")` has, for each fold, the rows of training and the
        rows that were tested; also for holdout, progressive and covalidation, if their estimates were computed.
    evidence : mapping of str to heldout.design.Evidence
        The losses behind the estimates of a candidate: `evidence[name].losses["cross_validation"]` has, for each of
        these splits, an array with the loss of each tested row.

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

    _library: str = field(default="pandas", repr=False)

    @cached_property
    def baseline(self) -> tuple[Estimate, ...]:
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
        return tuple(estimate_candidate(self.design, baseline.NAME, self._constant))

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
            The estimate to compare candidates by: E_val, E_cv, E_2cv, E_prog, E_maxdt or max(E_cv, E_maxdt).
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
        if criterion not in CRITERIA:
            raise BadArgument("criterion", f"criterion is {criterion!r}; it must be one of {', '.join(CRITERIA)}")
        by_candidate = {name: self._of(name) for name in self.candidates}
        return select_among(self.design, self.evidence, by_candidate, criterion, rule)

    def decide(self, criterion: Criterion = "E_cv", rule: Rule = "minimum") -> Decision:
        """Whether to ship the candidate that `select` takes: the rule of every report.

        Parameters
        ----------
        criterion : str, default "E_cv"
            As for `select`.
        rule : str, default "minimum"
            As for `select`.

        Returns
        -------
        Decision
            The `verdict` (ship, any_of, ship_with_care or not_yet), the `caveats`, and the `advice` in a line
            (`heldout.selection.decision`).

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
        'Ship bayes'
        """
        if not self.baseline:
            raise BadArgument("estimates", "decide: neither E_val nor E_cv was computed; estimates must contain one")
        chosen = self.select(criterion, rule)
        winner = chosen.selected
        return decided(self, chosen, self.design, self.evidence[winner], self._fits[winner])

    def to_frame(self) -> Any:
        """The estimates as a data frame, with the lines and columns of `estimates.csv`.

        Returns
        -------
        data frame
            Of polars or pyarrow where X was a table of that library, else of pandas.

        Raises
        ------
        ImportError
            Where pandas is not installed, for X of another kind.

        Examples
        --------
        >>> import heldout
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> frame = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"]).to_frame()
        >>> frame[["candidate", "estimate", "n_train", "n_tested"]]
          candidate estimate  n_train  n_tested
        0     bayes     E_cv      135       150
        1  baseline     E_cv      135       150
        """
        return frames.frame_of(Estimate, _COLUMNS, [*self.estimates, *self.baseline], self._library)

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
        try:
            from heldout import picture
        except ImportError:
            raise ImportError("plot() needs matplotlib, which is not installed: pip install matplotlib") from None
        return picture.draw(self.estimates, self._order(), self.baseline, self.design.loss, self._headline)

    def __repr__(self) -> str:
        count, rows = len(self.candidates), len(self.design.y)
        return f"<Validation: {count} candidate{'s' * (count > 1)}, {rows} rows; {printable(self._headline)}>"

    def __str__(self) -> str:
        first = bool(self.baseline) and not self.beats_baseline(self._least())
        return validation_text.text(self, self._order(), self._sentences, self.design.loss, first=first)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        loss, ranked = self.design.loss, self._ranked()
        rows = dict.fromkeys(self._order(), "")
        if ranked and len(rows) > 1:
            rows[ranked[0].candidate] = f"least {ranked[0].estimate}"
        if self.baseline:
            rows[baseline.NAME] = loss.constant.says
        return validation_html.html(
            [*self.estimates, *self.baseline],
            rows,
            self._title,
            self._decision.advice if self.baseline else "",
            self._headline,
            self._sentences,
            loss,
        )

    @cached_property
    def _sentences(self) -> dict[str, str]:
        winner = self._least()
        advice = self._decision.sentence if self.baseline else ""
        return validation_text.sentences(self, winner, self.design, self.evidence[winner], self._fits[winner], advice)

    @cached_property
    def _decision(self) -> Decision:
        """About the candidate of least E_cv, or E_val without it."""
        return self.decide(self.baseline[-1].estimate)

    def _order(self) -> list[str]:
        """The candidates, that of the least error first."""
        return list(dict.fromkeys([*(record.candidate for record in self._ranked()), *self.candidates]))

    @property
    def _title(self) -> str:
        levels = {record.level for record in self.estimates if record.level is not None}
        below = f", below each its interval at {100 * self.design.level:g} %" if levels else ""
        by = "".join(f"; the least {record.estimate} first" for record in self._ranked()[:1])
        doubted = marks(any(record.not_credible is not None for record in [*self.estimates, *self.baseline]))
        return f"{self.design.loss.scale('y')}{below}{by}{doubted}"

    @property
    def _headline(self) -> str:
        """The candidate of the least error, that error, and that of the baseline."""
        if not (ranked := self._ranked()):
            return ", ".join(dict.fromkeys(record.estimate for record in self.estimates))
        best, loss = ranked[0], self.design.loss
        value, ends = cell(best.value, best.low, best.high, loss)
        of_constant = {record.estimate: record.value for record in self.baseline}[best.estimate]
        unit, interval = " %" if loss.binary else "", f" [{ends}]" if ends else ""
        return f"{best.candidate}: {best.estimate} {value}{unit}{interval}, baseline {rounded(of_constant, loss)}{unit}"
