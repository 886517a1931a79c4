"""What a result asks of one candidate: its hypotheses, and the rows that they answer."""

from collections.abc import Sequence
from typing import Any, Protocol

from heldout.learners.fit_warnings import WarningCounts
from heldout.schemes import SchemeName
from heldout.unlabelled.half_model_controls import Controls


class CandidateModels(Protocol):
    """The models of one candidate on the labelled rows X, shape (N, p), wherever they are kept."""

    @property
    def X(self) -> Any:
        """The features: an array, a data frame or a sparse matrix, or a table that stays in its file."""

    @property
    def unlabeled(self) -> Any:
        """The first unlabelled rows, as many as have controls at least; None where none are there to be looked at."""

    @property
    def updated_once(self) -> bool:
        """Whether the learner is updated once with each block, which its targets say."""

    @property
    def final_rows(self) -> int | None:
        """How many rows are labelled, where E_in is of fewer of them; None where it is of all."""

    @property
    def warnings(self) -> WarningCounts:
        """What the fits warned of."""

    @property
    def controls(self) -> Controls | str:
        """The controls of all rows by the half models, or the reason why there are none."""

    def hypotheses(self, scheme: SchemeName) -> Sequence[Any]:
        """Those of a scheme, in the order of its splits; fitted now where they are not kept. Raises FitFailure."""
