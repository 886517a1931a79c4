"""Candidates that tune one parameter: the errors along the parameter's path, and the choice, of the final fit."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from heldout.family import ParameterPath, TunedEstimator
from heldout.fits.specs import hypothesis_key
from heldout.running.stored_fits import Finished
from tasks.params import Settings
from tasks.storage import fit_cache

_PATHS = ["candidate", "value", "E_in", "E_val"]
_CHOICES = ["candidate", "parameter", "chosen", "validated_on", "E_val", "corrected", "low", "high", "bound", "many"]


def tables(settings: Settings, final: Mapping[str, Finished]) -> dict[str, pd.DataFrame]:
    """`paths`: both errors at every value; `families`: the choice, its optimistic and its corrected error."""
    lines, choices = [], []
    for candidate in settings.candidates:
        if candidate.family is None or candidate.name not in final:
            continue
        path = _path(fit_cache.store.load(hypothesis_key(final[candidate.name].keys[0])))
        errors = zip(path.values, path.training_errors, path.validation_errors, strict=True)
        lines += [(candidate.name, str(value), training, tested) for value, training, tested in errors]
        choices.append(
            (
                candidate.name,
                candidate.family.parameter,
                str(path.chosen),
                path.validated_on,
                float(path.validation_errors.min()),
                path.corrected,
                None if path.interval is None else path.interval.low,
                None if path.interval is None else path.interval.high,
                path.bound,
                path.degrees_are_many,
            )
        )
    return {
        "paths": pd.DataFrame(lines, columns=_PATHS),
        "families": pd.DataFrame(choices, columns=_CHOICES),
    }


def chosen(hypothesis: Any) -> str:
    """The value that a tuned estimator took, as text."""
    return str(_path(hypothesis).chosen)


def _path(hypothesis: Any) -> ParameterPath:
    """The path of a tuned estimator, which may be the last step after preprocessing."""
    tuned = hypothesis if isinstance(hypothesis, TunedEstimator) else hypothesis.steps[-1][1]
    path: ParameterPath = tuned.path_
    return path
