"""What `heldout.validate` returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heldout import baseline, table, validation_text
from heldout.candidate_fits import CandidateFits
from heldout.design import Design, Evidence
from heldout.errors import BadArgument
from heldout.more_rows import missing, more_rows
from heldout.powered import powered
from heldout.records import Difference, Estimate, MoreRows, Powered
from heldout.selection.criteria import CRITERIA, Criterion
from heldout.selection.differences import differences
from heldout.selection.judging import nested_winners, select_among
from heldout.selection.rules import Rule
from heldout.selection.select import Selection

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Validation:
    """What `validate` returns: the estimates of every candidate, and the hypotheses that they are about.

    Attributes
    ----------
    estimates : tuple of Estimate
        Records with the columns of `estimates.csv` as attributes, candidates in their order, then the estimates of the
        winner. `print` shows them as a table.
    candidates : tuple of str
        The names of the candidates, in their order.
    baseline : tuple of Estimate
        The same of the best constant answer, which is no candidate.

    Examples
    --------
    >>> import heldout
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> validation = heldout.validate({"bayes": GaussianNB()}, X, y, folds=5, estimates=["E_val", "E_cv"])
    >>> [(record.estimate, record.n_train, record.n_tested) for record in validation.estimates]
    [('E_val', 120, 30), ('E_cv', 120, 150)]
    """

    estimates: tuple[Estimate, ...]
    candidates: tuple[str, ...]
    _design: Design = field(repr=False)
    _evidence: Mapping[str, Evidence] = field(repr=False)
    _fits: Mapping[str, CandidateFits] = field(repr=False)

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
        ('baseline', 0.667)
        """
        return tuple(baseline.estimates(self._design, self._constant))

    def beats_baseline(self, candidate: str | None = None) -> bool | None:
        """Whether a candidate is shown to err less than the best constant answer, on the same held-out rows.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv, or of least E_val where E_cv was not computed.

        Returns
        -------
        bool or None
            True if the interval of the difference lies below 0, at the level of `validate` less what the choice among
            the candidates costs; False if no part of it does; None where it cannot be told, or neither E_cv nor E_val
            was computed.

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
        >>> heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"]).beats_baseline("bayes")
        True
        """
        winner = self._evidence[self._checked(candidate)]
        return baseline.is_beaten(self._design, winner, self._constant, len(self.candidates))

    def differences(self, candidate: str | None = None) -> tuple[Difference, ...]:
        """How much less a candidate errs than each other candidate and the baseline, by E_cv on the same rows.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.

        Returns
        -------
        tuple of Difference
            With intervals (`heldout.selection.differences`); empty where E_cv was not computed.

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
        >>> [against] = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"]).differences()
        >>> against.against, round(against.difference, 2), against.high < 0
        ('baseline', -0.73, True)
        """
        return tuple(differences(self._design, self._evidence, self._checked(candidate)))

    def more_rows(self, candidate: str | None = None) -> tuple[MoreRows, ...]:
        """What a candidate errs after training on half of the rows, on all, and on twice as many: no further fit.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.

        Returns
        -------
        tuple of MoreRows
            With intervals. E_2N, for twice as many rows, has an assumption of its own (`heldout.more_rows`).

        Raises
        ------
        BadArgument
            For a name that is no candidate, or without E_2cv and E_cv.

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
        if (reason := missing(self._design)) is not None:
            raise BadArgument("estimates", f"more_rows: {reason}")
        return tuple(more_rows(self._design, {name: self._evidence[name]}, {name: self._of(name)}))

    def powered(self, candidate: str | None = None) -> tuple[Powered, ...]:
        """E_val and E_cv of a candidate, with narrower intervals by its unlabelled rows: no further fit.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.

        Returns
        -------
        tuple of Powered
            With the `reason` where unlabelled rows cannot be used; empty for numbers (`heldout.powered`).

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
        >>> [(line.estimate, line.unlabeled, line.width < 1.02) for line in validation.powered()]
        [('E_cv', 75, True)]
        """
        name = self._checked(candidate)
        return tuple(powered(self._design, self._evidence[name], self._of(name), self._fits[name].controls))

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
            winners = [self.candidates[place] for place in nested_winners(self._design, self._evidence)]
            return [self._fits[name].hypotheses("cross_validation")[fold] for fold, name in enumerate(winners)]
        return list(self._fits[candidate].hypotheses(self._design.scheme_of(estimate)))

    def select(self, criterion: Criterion = "E_cv", rule: Rule = "minimum") -> Selection:
        """The candidate to take (METHOD, section 6), and the candidates that the data cannot distinguish from the best.

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
        return select_among(self._design, self._evidence, by_candidate, criterion, rule)

    def plot(self) -> "Figure":
        """A picture of each candidate's estimates with their intervals.

        Returns
        -------
        matplotlib.figure.Figure
            A new figure.

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
        return table.draw(self.estimates, self.candidates, self.baseline, self._design.loss)

    def __str__(self) -> str:
        winner = self._least()
        return validation_text.text(self, winner, self._design, self._evidence[winner], self._fits[winner])

    @cached_property
    def _constant(self) -> Evidence:
        return baseline.evidence(self._design)

    def _least(self) -> str:
        """The candidate of least E_cv, or of least E_val without E_cv; ties to the first."""
        for name in ("E_cv", "E_val"):
            if records := [record for record in self.estimates if record.estimate == name]:
                return min(records, key=lambda record: record.value).candidate
        return self.candidates[0]

    def _of(self, candidate: str) -> list[Estimate]:
        return [record for record in self.estimates if record.candidate == candidate]

    def _checked(self, candidate: str | None) -> str:
        """The name of a candidate; of the one of least error for None."""
        if candidate is not None and candidate not in self.candidates:
            allowed = ", ".join(self.candidates)
            raise BadArgument("candidate", f"candidate is {candidate!r}; it must be one of {allowed}")
        return self._least() if candidate is None else candidate
