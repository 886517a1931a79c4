"""What a result asks of one candidate: its hypotheses, and the rows that they answer."""

from collections.abc import Sequence
from typing import Any, Protocol

from heldout.learners.fit_warnings import WarningCounts
from heldout.records import Estimate
from heldout.schemes import SchemeName
from heldout.unlabelled.half_model_controls import Controls


class CandidateModels(Protocol):
    """The models of one candidate on the labelled rows X, shape (N, p), wherever they are kept."""

    @property
    def X(self) -> Any:
        """The features: an array, a data frame or a sparse matrix, or a table that stays in its file."""

    @property
    def warnings(self) -> WarningCounts:
        """What the fits warned of."""

    @property
    def controls(self) -> Controls | str:
        """The controls of all rows by the half models, or the reason why there are none."""

    def hypotheses(self, scheme: SchemeName) -> Sequence[Any]:
        """Those of a scheme, in the order of its splits; fitted now where they are not kept. Raises FitFailure."""

    def stated(self, record: Estimate) -> Estimate:
        """The record of an estimate, which also says what only the learner and the rows of a run say of its target."""
