"""All labelled rows outside of the test part: the rows that g is trained on, whatever rows the estimates use."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
from numpy.typing import NDArray

from heldout.learners import open_random_states
from heldout.losses import Loss, choose_loss
from heldout.parts.weights import Weights
from heldout.schemes import fit_state
from tasks.params import Candidate, Settings
from tasks.storage import files, fit_cache


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


def fit_key(settings: Settings, winner: Candidate) -> tuple[str, int]:
    """Where the hypothesis of all rows is stored, and the seed of its learner; 0 if the learner uses none."""
    state = fit_state(settings.seed, "final", 0) if open_random_states(winner.learner()) else 0
    versions = [files.file_hash(file) for file in (files.ALL_LABELED, files.ALL_ROLES)]
    return fit_cache.key("all labelled rows", winner.fit_identity(), versions, state), state


def read_all_labeled(settings: Settings) -> AllLabeled:
    """The labels of all rows; a class that none of the rows of the estimates has is a class of this loss."""
    file = path()
    version = files.file_hash(file)
    y = files.read_target(file, version)
    roles: dict[str, NDArray[Any]] = files.read_all_roles() if file == files.ALL_LABELED else files.read_roles()
    drawn = settings.data.label_probability is not None
    weights = Weights.of(roles.get("weight"), drawn=drawn)
    values = None if weights is None else weights.values
    loss = choose_loss(settings.judged_by, y, values, "the target", settings.loss_max, drawn=drawn)
    return AllLabeled(file, version, y, loss, weights)
