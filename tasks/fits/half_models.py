"""The half models of one candidate that co-validation stored, and how far they disagree at each row; no fit is made."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from heldout.errors import FitFailure
from heldout.fits.specs import hypothesis_key
from heldout.learners.fitting import ROWS_AT_ONCE, failures
from heldout.losses import Loss, Losses
from heldout.running import make
from heldout.running.fit_limit import limited
from heldout.running.quiet import quiet
from heldout.unlabelled.answer_shares import answer_shares
from heldout.unlabelled.disagreement import disagreements
from tasks.fits.executor import local
from tasks.params import Candidate, Settings
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.plans.units_of_scheme import plan_units
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND
from tasks.storage import files, fit_cache


def keys_of(settings: Settings, candidate: Candidate) -> tuple[str, ...]:
    """The keys of the half models of `candidate` by halves.parquet: (repeat 0, half 0), (repeat 0, half 1), …"""
    plan = scheme(read_design(settings), "covalidation", settings.deliver)
    alone = settings.model_copy(update={"candidates": [candidate]})
    ((_, units),) = plan_units(alone, plan, Versions.current())
    return tuple(unit.key for unit in units)


def are_stored(keys: Sequence[str]) -> bool:
    """Whether every one of these half models can be loaded."""
    return all(fit_cache.store.has(hypothesis_key(key)) for key in keys)


@dataclass(frozen=True)
class HalfModels:
    """The stored half models of one candidate. They are asked in a worker, which may die on it.

    Each question raises UserError that names the rows, `whose`, if the half models do not answer.
    """

    settings: Settings
    keys: tuple[str, ...]

    @classmethod
    def of(cls, settings: Settings, keys: Sequence[str], candidate: str) -> "HalfModels":
        """Raises UserError where one of them is missing: `watch` fits nothing."""
        missing = sum(not fit_cache.store.has(hypothesis_key(key)) for key in keys)
        if missing:
            raise UserError(
                f"{missing} of the {len(keys)} half models of {candidate} by {files.HALVES} are not "
                f"stored below {fit_cache.FOLDER}, and watch fits none; run `{COMMAND} validate` with these "
                "parameters first"
            )
        return cls(settings, tuple(keys))

    def by_row(self, X: pd.DataFrame, loss: Loss, whose: str) -> Losses:
        """The disagreement at each row of X, shape (n,): the mean over the pairs."""
        return self._ask(_by_row, X, loss, whose)

    def answers_by_row(self, X: pd.DataFrame, loss: Loss, scale: Sequence[Any], whose: str) -> Losses:
        """What the half models answer at each row of X, as `heldout.unlabelled.answer_shares` has it."""
        return self._ask(_answers_by_row, X, loss, whose, scale)

    def _ask(self, question: Callable[..., Losses], X: pd.DataFrame, loss: Loss, whose: str, *more: Any) -> Losses:
        workers = local(self.settings.execution)
        try:
            answer: Losses = workers.submit(_in_worker, question, self.settings, self.keys, X, loss, *more).result()
        except FitFailure as failure:
            raise UserError(f"{whose}: the half models do not answer its rows: {failure}") from None
        return answer


def _in_worker(
    question: Callable[..., Losses], settings: Settings, keys: tuple[str, ...], X: pd.DataFrame, *more: Any
) -> Losses:
    """The answer to a question about all rows of X, under the limits of as many fits as there are answers."""
    settings.use_folder()
    hypotheses = _loaded(keys)
    times = len(keys) * max(1, -(-len(X) // ROWS_AT_ONCE))
    with quiet(), limited(settings.execution.fit_timeout, times), failures():
        return question(hypotheses, X, *more)


@functools.lru_cache(maxsize=1)
def _loaded(keys: tuple[str, ...]) -> list[Any]:
    return make.hypotheses(keys, fit_cache.store)


def _by_row(hypotheses: Sequence[Any], X: pd.DataFrame, loss: Loss) -> Losses:
    return disagreements(hypotheses, X, loss)[1] / (len(hypotheses) // 2)


def _answers_by_row(hypotheses: Sequence[Any], X: pd.DataFrame, loss: Loss, scale: Sequence[Any]) -> Losses:
    return answer_shares(hypotheses, X, loss, scale)
