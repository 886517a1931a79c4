"""What can be asked about the estimates of `heldout.validate` without a further fit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from heldout import baseline
from heldout.candidate_fits import CandidateFits
from heldout.design import Design, Evidence
from heldout.errors import BadArgument
from heldout.hard_rows import hard_rows
from heldout.more_rows import missing, more_rows
from heldout.powered import powered
from heldout.prediction_sets import SetsOfRows, of_new_rows
from heldout.records import Difference, Estimate, MoreRows, Powered, Rows
from heldout.selection.bound import SelectionBound
from heldout.selection.differences import differences
from heldout.selection.doubts import doubts
from heldout.selection.judging import bound_of


@dataclass(frozen=True, eq=False)
class Questions:
    """The part of `heldout.validated.Validation` that answers further questions about one candidate.

    The attributes are those of `Validation`.
    """

    estimates: tuple[Estimate, ...]
    candidates: tuple[str, ...]
    design: Design = field(repr=False)
    evidence: Mapping[str, Evidence] = field(repr=False)
    _fits: Mapping[str, CandidateFits] = field(repr=False)

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
        winner = self.evidence[self._checked(candidate)]
        return baseline.is_beaten(self.design, winner, self._constant, len(self.candidates))

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
        return tuple(differences(self.design, self.evidence, self._checked(candidate)))

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
        if (reason := missing(self.design)) is not None:
            raise BadArgument("estimates", f"more_rows: {reason}")
        return tuple(more_rows(self.design, {name: self.evidence[name]}, {name: self._of(name)}))

    def bound(self, candidate: str | None = None, models: int | None = None) -> SelectionBound:
        """What the true error of a candidate's hold-out hypothesis is at most, although it was chosen among several.

        Parameters
        ----------
        candidate : str, optional
            The name of a candidate; None is the one of least E_cv.
        models : int, optional
            The number of candidates that were ever compared on these rows, also with other seeds and in other calls;
            None is the number of candidates of this call.

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
        return bound_of(self.design, self.evidence, name, models)

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
            where nothing is doubted (`heldout.credible`).

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
        return doubts(self.design, self.evidence, name, self.estimates)

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
        return tuple(powered(self.design, self.evidence[name], self._of(name), self._fits[name].controls))

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
            Their places in X and y, the hardest first, by losses of cross-validation (`heldout.hard_rows`).

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

    def prediction_sets(self, X_new: Any, candidate: str | None = None) -> SetsOfRows:
        """The sets of classes, or the intervals, that hold the label of a new row with probability `level` at least.

        Conformal sets of the hypothesis of E_val, g-, by its answers on the held-out rows: the claim and its assumption
        are in `heldout.prediction_sets`. No further fit; MAPIE must be installed.

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
        ImportError
            Where MAPIE is not installed.

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

    @cached_property
    def _constant(self) -> Evidence:
        return baseline.evidence(self.design)

    def _ranked(self) -> list[Estimate]:
        """E_cv of each candidate, or E_val without E_cv, the least first, ties in their order; empty without both."""
        for name in ("E_cv", "E_val"):
            if records := [record for record in self.estimates if record.estimate == name]:
                return sorted(records, key=lambda record: record.value)
        return []

    def _least(self) -> str:
        """The first of them, or the first candidate."""
        return next((record.candidate for record in self._ranked()), self.candidates[0])

    def _of(self, candidate: str) -> list[Estimate]:
        return [record for record in self.estimates if record.candidate == candidate]

    def _checked(self, candidate: str | None) -> str:
        """The name of a candidate; of the one of least error for None."""
        if candidate is not None and candidate not in self.candidates:
            allowed = ", ".join(self.candidates)
            raise BadArgument("candidate", f"candidate is {candidate!r}; it must be one of {allowed}")
        return self._least() if candidate is None else candidate
