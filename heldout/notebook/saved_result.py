"""A `Validation` in a folder: its numbers as JSON and arrays, from which everything but the models comes back.

No file of it runs anything when it is read: JSON names records of this package and no others, arrays hold no objects,
and an array stays on the disk until somebody asks for its rows. Estimates are not stored: they follow from the losses.
"""

import json
import math
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from heldout.diagnosis.too_good import Carrier
from heldout.errors import BadArgument
from heldout.estimates import schemes_of
from heldout.learners.fit_warnings import WarningCount, WarningCounts
from heldout.losses import Losses
from heldout.losses.choice import spec_of
from heldout.losses.tested_losses import ShardMargins
from heldout.metrics.metric import Answered
from heldout.notebook.candidate_fits import CandidateFits
from heldout.notebook.candidate_models import CandidateModels
from heldout.notebook.opened_test_set import Opened
from heldout.records import Confused, Difference, Estimate
from heldout.running.content import digest_of
from heldout.schemes.design import Design
from heldout.schemes.halvings import Halvings
from heldout.selection.race import Dropped
from heldout.splits.dependence import Dependence
from heldout.splits.partition import Partition
from heldout.splits.split import joined_losses
from heldout.splits.weights import Weights
from heldout.unlabelled.half_model_controls import Controls

if TYPE_CHECKING:
    from heldout.notebook.result import Validation

FORMAT = 3
FILE, ARRAYS = "validation.json", "arrays.npy"
_RECORDS: Mapping[str, Any] = {
    one.__name__: one
    for one in (
        *(Answered, Carrier, Confused, Controls, Dependence, Difference, Dropped, Estimate, Halvings, Opened),
        *(Partition, ShardMargins, Weights, WarningCount, WarningCounts),
    )
}
_OF_DESIGN = (
    *("y", "partition", "halves", "block", "stratify", "seed", "level", "estimates", "dependence", "copies"),
    *("weights", "fold_repeats", "further_folds", "dropped", "margin"),
)
_OF_RESULT = ("dropped", "halvings", "failed", "criterion", "rule", "opened")


def save(
    made: "Validation",
    folder: Path,
    models: Mapping[str, CandidateModels],
    library: str,
    known: Mapping[str, Mapping[str, Any]],
    *,
    overwrite: bool,
) -> Path:
    """Write a result, with what is `known` of what its models say, to a folder that is there whole or not at all."""
    replaced = folder.exists()
    if replaced and not overwrite:
        raise FileExistsError(f"{folder} exists; give another name, or overwrite=True to replace it")
    if replaced and not (folder / FILE).is_file():
        raise FileExistsError(f"{folder} holds no saved result, and is not replaced; give another name")
    draft, old = (folder.with_name(f".{folder.name}.{os.getpid()}.{what}") for what in ("draft", "old"))
    try:
        draft.mkdir()
        with (draft / ARRAYS).open("wb") as file:
            record = Writer(file).of({"format": FORMAT, "library": library, **known, **_record(made, models)})
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


def _record(made: "Validation", models: Mapping[str, CandidateModels]) -> dict[str, Any]:
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
                "updated_once": models[name].updated_once,
                "final_rows": models[name].final_rows,
                "warnings": models[name].warnings,
                "controls": models[name].controls,
            }
            for name in made
        },
        **_looked(made),
        "rows": next((digest_of(of.X) for of in models.values() if isinstance(of, CandidateFits)), None),
    }


def _looked(made: "Validation") -> dict[str, Any]:
    """What the checks of the table found, in a call that looked: as mappings, which an earlier version passes over."""
    if not (made.looked.findings or made.looked.why_not):
        return {}
    return {"looked": {"findings": [vars(one) for one in made.findings], "why_not": made.looked.why_not}}


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
    return {
        "losses": {scheme: _joined(losses) for scheme, losses in evidence.losses.items()},
        "training": _joined(evidence.training) if len(evidence.training) else None,
        "terms": {name: {scheme: _joined(one) for scheme, one in of.items()} for name, of in evidence.terms.items()},
        "shards": evidence.shards,
        "failed": dict(evidence.failed),
    }


def _joined(losses: Sequence[Losses]) -> Losses | NDArray[np.uint8]:
    """Those of all splits; errors in an eighth of the space."""
    joined = joined_losses(losses)
    return joined.astype(np.uint8) if np.all((joined == 0) | (joined == 1)) else joined


class Writer:
    """Values as JSON: a list, a mapping, a record or an array is a pair of its kind and what it holds.

    Arrays are written to `file` one after the other, each as `numpy.save` writes it, and known by where they begin.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

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
        self._file.write(b"\0" * (-self._file.tell() % np.lib.format.ARRAY_ALIGN))
        start = self._file.tell()
        np.save(self._file, values, allow_pickle=False)
        return start


class Reader:
    """The values that a `Writer` wrote; arrays stay on the disk until somebody asks for their rows."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ARRAYS
        self._file = self._path.open("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def of(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.of(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "array" in value:
            return self._array(int(value["array"]))
        if "pairs" in value:
            return {self.of(key): self.of(of) for key, of in value["pairs"]}
        if "record" in value:
            made: Any = _RECORDS[value["record"]]
            of_fields = {name: self.of(of) for name, of in value["fields"].items()}
            return made(**{name: tuple(of) if isinstance(of, list) else of for name, of in of_fields.items()})
        return {key: self.of(of) for key, of in value.items()}

    def _array(self, start: int) -> NDArray[Any]:
        self._file.seek(start)
        of_version = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, by_columns, kind = of_version[np.lib.format.read_magic(self._file)](self._file)
        if kind.hasobject:
            raise ValueError("an array holds objects")
        if not math.prod(shape):
            return np.empty(shape, kind)
        found: NDArray[Any] = np.memmap(self._path, kind, "r", self._file.tell(), shape, "F" if by_columns else "C")
        return np.asarray(found)
