"""The curves of one hypothesis, from what it answered on rows that it was not trained on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from heldout.diagnosis.curves.calibration import calibration_curve
from heldout.diagnosis.curves.residuals import residuals
from heldout.diagnosis.curves.roc import roc_curve
from heldout.metrics.metric import Answered
from heldout.records import CalibrationBin, Residual, RocPoint


@dataclass(frozen=True)
class Curves:
    """The lines of each, none where the target or the answers have no such curve.

    They are `whose` it says: the candidate, the hypothesis, and the part of the rows that it met.
    """

    whose: Mapping[str, str]
    calibration: Sequence[CalibrationBin]
    roc: Sequence[RocPoint]
    residuals: Sequence[Residual]

    @classmethod
    def of(cls, answered: Answered, level: float, whose: Mapping[str, str]) -> Self:
        """From what was `answered`, with intervals at `level`."""
        return cls(whose, calibration_curve(answered, level), roc_curve(answered), residuals(answered))
