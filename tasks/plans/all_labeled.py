"""All labelled rows outside of the test set: the rows that g is trained on, whatever rows the estimates use."""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
from numpy.typing import NDArray

from heldout import digests
from heldout.fits.specs import FitSpec, Known, Labeled, known_dependence
from heldout.learners import open_random_states
from heldout.losses import Loss, choose_loss
from heldout.schemes import fit_state
from heldout.splits.split import Split
from heldout.splits.weights import Weights
from tasks.data.row_roles import dependence_of
from tasks.params import Candidate, Settings
from tasks.storage import files


@dataclass(frozen=True, eq=False)
class AllLabeled:
    """The file of the rows and its hash, their labels, and the loss and the weights by these rows."""

    path: Path
    version: str
    y: NDArray[np.generic]
    loss: Loss
    weights: Weights | None


def path() -> Path:
    """labeled.parquet, or the file of all rows if split.rows takes a part of them for the estimates."""
    return files.ALL_LABELED if files.ALL_LABELED.exists() else files.LABELED


def count() -> int:
    """The number of rows, without reading one."""
    return int(pyarrow.parquet.read_metadata(path()).num_rows)


def spec_of(settings: Settings, winner: Candidate) -> FitSpec:
    """The record of the fit on all rows: by the files that say which they are, whatever rows the estimates use."""
    learner, drawn = winner.learner(), settings.data.label_probability is not None
    read = functools.cache(lambda: read_all_labeled(settings))

    def labeled() -> Labeled:
        return Labeled(files.open_features(read().path, read().version), read().y)

    def everything() -> Split:
        numbers = np.arange(count())
        return Split(numbers, numbers[:0])

    return FitSpec(
        rows=Known(labeled, files.file_hash(files.ALL_LABELED)),
        learner=Known(lambda: learner, digests.content_hash(winner.fit_identity())),
        loss=Known(lambda: read().loss, digests.content_hash(settings.loss_identity)),
        weights=Known(lambda: read().weights, digests.content_hash(files.file_hash(files.ALL_ROLES), drawn)),
        dependence=known_dependence(learner, dependence_of(_roles(path()), settings.split.gap)),
        terms=Known(dict, ""),
        state=fit_state(settings.seed, "final", 0) if open_random_states(learner) else 0,
        own=False,
        split=Known(everything, "all"),
    )


def read_all_labeled(settings: Settings) -> AllLabeled:
    """The labels of all rows; a class that none of the rows of the estimates has is a class of this loss."""
    file = path()
    version = files.file_hash(file)
    y = files.read_target(file, version)
    roles = _roles(file)
    drawn = settings.data.label_probability is not None
    weights = Weights.of(roles.get("weight"), drawn=drawn)
    values = None if weights is None else weights.values
    loss = choose_loss(settings.judged_by, y, values, "the target", settings.loss_max, drawn=drawn)
    return AllLabeled(file, version, y, loss, weights)


def _roles(file: Path) -> dict[str, NDArray[Any]]:
    return files.read_all_roles() if file == files.ALL_LABELED else files.read_roles()
