"""What `heldout.validate` returns."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heldout import baseline, table, validation_text
from heldout.errors import BadArgument
from heldout.questions import Questions
from heldout.records import Estimate
from heldout.selection.criteria import CRITERIA, Criterion
from heldout.selection.judging import nested_winners, select_among
from heldout.selection.rules import Rule
from heldout.selection.select import Selection

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Validation(Questions):
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
        return tuple(baseline.estimates(self._design, self._constant))

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
