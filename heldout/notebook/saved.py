"""A `Validation` in a folder: its numbers as JSON and arrays, from which everything but the models comes back.

No file of it runs anything when it is read: JSON names records of this package and no others, arrays hold no objects,
and an array stays on the disk until somebody asks for its rows. Estimates are not stored: they follow from the losses.
"""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heldout.diagnosis.too_good import Carrier
from heldout.errors import BadArgument
from heldout.estimates import schemes_of
from heldout.learners.fit_warnings import WarningCount, WarningCounts
from heldout.losses import Losses
from heldout.losses.choice import spec_of
from heldout.losses.tested_losses import RepeatedByRow
from heldout.metrics.metric import Answered
from heldout.notebook.candidate_fits import CandidateFits
from heldout.notebook.opened import Opened
from heldout.parts.dependence import Dependence
from heldout.parts.partition import Partition
from heldout.parts.splits import SplitLosses
from heldout.parts.weights import Weights
from heldout.records import Difference, Estimate
from heldout.running.content import digest_of
from heldout.schemes.design import Design
from heldout.schemes.halvings import Halvings
from heldout.selection.race import Dropped
from heldout.unlabelled.half_model_controls import Controls

if TYPE_CHECKING:
    from heldout.notebook.result import Validation

FORMAT = 1
FILE = "validation.json"
_RECORDS: Mapping[str, Any] = {
    one.__name__: one
    for one in (
        *(Answered, Carrier, Controls, Dependence, Difference, Dropped, Estimate, Halvings, Opened, Partition, Weights),
        *(WarningCount, WarningCounts),
    )
}
_OF_DESIGN = (
    *("y", "partition", "halves", "block", "stratify", "seed", "level", "estimates", "dependence", "copies"),
    *("weights", "fold_repeats", "further_folds", "dropped", "margin"),
)
_OF_DISAGREEMENT = tuple(one.name for one in fields(RepeatedByRow) if one.name != "loss")
_OF_RESULT = ("dropped", "halvings", "failed", "criterion", "rule", "opened")


def save(made: "Validation", folder: Path, models: Mapping[str, Any], library: str, *, overwrite: bool) -> Path:
    """Write a result, with what its `models` say, to a folder that is there whole or not at all."""
    replaced = folder.exists()
    if replaced and not overwrite:
        raise FileExistsError(f"{folder} exists; give another name, or overwrite=True to replace it")
    if replaced and not (folder / FILE).is_file():
        raise FileExistsError(f"{folder} holds no saved result, and is not replaced; give another name")
    draft, old = (folder.with_name(f".{folder.name}.{os.getpid()}.{what}") for what in ("draft", "old"))
    try:
        draft.mkdir()
        record = Writer(draft).of({"format": FORMAT, "library": library, **_record(made, models)})
        (draft / FILE).write_text(json.dumps(record), encoding="utf-8")
        if replaced:
            folder.rename(old)
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        if old.exists() and not folder.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
    return folder


def _record(made: "Validation", models: Mapping[str, Any]) -> dict[str, Any]:
    design = made.design
    return {
        "design": {name: getattr(design, name) for name in _OF_DESIGN},
        "loss": _loss(design),
        "methods": {name: method.name for name, method in design.methods.items()},
        "cross_validated": "cross_validation" in schemes_of(design),
        "evidence": {name: partial(_evidence, made, name) for name in made},  # of one at a time in memory
        "result": {name: getattr(made, name) for name in _OF_RESULT},
        "models": {
            name: {
                "targets": {one.estimate: one.target for one in made[name].values()},
                "warnings": models[name].warnings,
                "controls": models[name].controls,
            }
            for name in made
        },
        "rows": next((digest_of(of.X) for of in models.values() if isinstance(of, CandidateFits)), None),
        **made.known_of_models(),
    }


def _loss(design: Design) -> dict[str, Any]:
    spec = spec_of(design.loss)
    return {
        "spec": None if callable(spec) else spec,
        "name": design.loss.name,
        "of_classes": design.loss.of_classes,
        "limit": design.loss.limit if design.loss.limit_is_stated else None,
    }


def _evidence(made: "Validation", name: str) -> dict[str, Any]:
    evidence = made.evidence[name]
    of_rows = evidence.disagreement
    return {
        "losses": {scheme: _joined(losses) for scheme, losses in evidence.losses.items()},
        "training": _joined(evidence.training) if len(evidence.training) else None,
        "terms": {name: {scheme: _joined(one) for scheme, one in of.items()} for name, of in evidence.terms.items()},
        "disagreement": None if of_rows is None else {name: getattr(of_rows, name) for name in _OF_DISAGREEMENT},
        "failed": dict(evidence.failed),
    }


def _joined(losses: Sequence[Losses]) -> Losses:
    joined: Losses = losses.values if isinstance(losses, SplitLosses) else np.concatenate([*losses])
    return joined


class Writer:
    """Values as JSON: a list, a mapping, a record or an array is a pair of its kind and what it holds."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._arrays = folder, 0

    def of(self, value: Any) -> Any:
        if isinstance(value, partial):
            return self.of(value())
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, np.ndarray):
            return {"array": self._written(value)}
        if isinstance(value, Mapping):
            if all(isinstance(key, str) for key in value) and not {*value} & {"array", "record", "pairs"}:
                return {key: self.of(of) for key, of in value.items()}
            return {"pairs": [[self.of(key), self.of(of)] for key, of in value.items()]}
        if isinstance(value, list | tuple):
            return [self.of(one) for one in value]
        if is_dataclass(value) and type(value).__name__ in _RECORDS:
            of_fields = {one.name: self.of(getattr(value, one.name)) for one in fields(value)}
            return {"record": type(value).__name__, "fields": of_fields}
        raise BadArgument("folder", f"a {type(value).__name__} of the result cannot be saved")

    def _written(self, values: NDArray[Any]) -> int:
        if values.dtype.hasobject:
            values = np.array(values.tolist())
            if values.dtype.hasobject:
                raise BadArgument("y", "labels of several types cannot be saved; give strings or numbers")
        self._arrays += 1
        np.save(self._folder / f"{self._arrays}.npy", values, allow_pickle=False)
        return self._arrays


class Reader:
    """The values that a `Writer` wrote; arrays are read where somebody asks for their rows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.of(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "array" in value:
            path = self._folder / f"{int(value['array'])}.npy"
            if not path.is_file():
                raise ValueError(f"{path.name} is missing")
            return np.asarray(np.lib.format.open_memmap(path, mode="r"))
        if "pairs" in value:
            return {self.of(key): self.of(of) for key, of in value["pairs"]}
        if "record" in value:
            made: Any = _RECORDS[value["record"]]
            of_fields = {name: self.of(of) for name, of in value["fields"].items()}
            return made(**{name: tuple(of) if isinstance(of, list) else of for name, of in of_fields.items()})
        return {key: self.of(of) for key, of in value.items()}
