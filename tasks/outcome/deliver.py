"""What is delivered: the winner in the form that the parameter `deliver` names."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from heldout.errors import FitFailure
from heldout.hypotheses import KFoldHypothesis, ProgressiveHypothesis
from heldout.schemes.design import mean_fold_training_size
from heldout.schemes.progressive import mean_training_size
from tasks.fits import tuned_paths
from tasks.fits.fit_all_labeled import fit_all_labeled
from tasks.fits.model_process import Model, opened
from tasks.fits.run_schemes import hypotheses
from tasks.params import Candidate, Settings
from tasks.plans import all_labeled
from tasks.plans.read_design import read_design
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError
from tasks.storage import files, model_file


@dataclass(frozen=True, eq=False)
class Delivered:
    """The hypothesis that is saved, registered and tested, and g, the single model with which it is compared.

    `rows` is the number of rows that the hypothesis was trained on, for a form of several hypotheses their mean.
    `tuned` has the value that a tuned winner took on all labelled rows, if the estimates use a part of them.
    """

    hypothesis: Any
    final: Any
    rows: int
    tuned: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def stored(self) -> bytes:
        """The hypothesis as skops stores it."""
        return model_file.dumped(self.hypothesis)

    def sizes(self) -> dict[str, int]:
        """The bytes of both, as skops stores them."""
        final = self.stored if self.final is self.hypothesis else model_file.dumped(self.final)
        return {"bytes": len(self.stored), "bytes_final": len(final)}


@dataclass(frozen=True)
class Speed:
    """Microseconds a row that a prediction of many rows takes: of the delivered hypothesis, and of g."""

    delivered: float
    final: float

    def __str__(self) -> str:
        return f"{self.delivered:.1f} µs a row, {self.final:.1f} µs with the single model"


def compare_speed(settings: Settings, winner: Candidate, model: Model) -> Speed | None:
    """The times of both, measured now on this machine, for the terminal and MLflow; None where g is delivered.

    Raises UserError if the `model` that is delivered does not answer the labelled rows.
    """
    if settings.deliver == "final":
        return None
    X, _ = files.read_table(files.LABELED)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        model_file.save(hypotheses(settings, winner, "final")[0], Path(folder, "final.skops"))
        with opened(Path(folder, "final.skops"), settings) as final:
            return Speed(_microseconds(model, X), _microseconds(final, X))


def _microseconds(model: Model, X: Any) -> float:
    try:
        return 1e6 * model.seconds(X) / len(X)
    except FitFailure as failure:
        raise UserError(f"{model.path} does not answer the labelled rows: {failure}") from None


def deliver(settings: Settings, winner: Candidate) -> Delivered:
    """The winner in the form that the parameters name, from the hypotheses that were fitted already.

    g is trained on all labelled rows, also if the estimates use a part of them.
    """
    form = settings.deliver
    if form == "final" and files.ALL_LABELED.exists():
        final = fit_all_labeled(settings, winner)
        tuned = {} if winner.family is None else {"tuned": tuned_paths.chosen(final)}
        return Delivered(final, final, all_labeled.count(), tuned)
    final = hypotheses(settings, winner, "final")[0]
    design = read_design(settings)
    if form == "final":
        return Delivered(final, final, len(design.y))
    learner = winner.learner()
    if form == "progressive":
        members = hypotheses(settings, winner, "progressive")
        tested = np.array([len(split.validation) for split in design.splits("progressive")])
        progressive = ProgressiveHypothesis.of(
            members,
            tested,
            learner=learner,
            tested_fraction=settings.progressive.tested_fraction,
            block=design.block,
            stratify=settings.split.stratify,
            seed=settings.seed,
        )
        return Delivered(progressive, final, mean_training_size(design.splits("progressive")))
    members = hypotheses(settings, winner, "cross_validation")
    tested = np.array([len(split.validation) for split in design.splits("cross_validation")])
    k_fold = KFoldHypothesis.of(
        members,
        tested,
        learner=learner,
        folds=len(members),
        stratify=settings.split.stratify,
        vote=form == "vote",
        seed=settings.seed,
    )
    return Delivered(k_fold, final, mean_fold_training_size(design))
