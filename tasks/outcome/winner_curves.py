"""calibration.csv, roc.csv and residuals.csv: curves of the winner on rows that it was not trained on; no fit is made.

They are those of the delivered hypothesis on the test part, where that was opened, as metrics.csv is; else those of the
winner's hold-out hypothesis on the held-out rows, on which candidates were compared too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.diagnosis.curves.calibration import calibration_curve
from heldout.diagnosis.curves.residuals import residuals
from heldout.diagnosis.curves.roc import roc_curve
from heldout.metrics.answered_rows import ask_held_out
from heldout.metrics.metric import Answered
from heldout.metrics.skill import Skill, shown_skill
from heldout.records import CalibrationBin, Residual, RocPoint
from heldout.schemes import holdout
from heldout.schemes.delivery import FORMS
from heldout.schemes.design import tested
from tasks.outcome.estimate import Results
from tasks.params import Settings
from tasks.storage import files


@dataclass(frozen=True)
class WinnerCurves:
    """The lines of the three tables, and `whose` they are: the candidate, its hypothesis, and the part that it met."""

    whose: Mapping[str, str]
    calibration: Sequence[CalibrationBin]
    roc: Sequence[RocPoint]
    residuals: Sequence[Residual]
    skill: Skill | None = None  # what is shown to be learned, whatever the loss says


def measure(settings: Settings, results: Results, winner: str, g_minus: Any, answered: Answered | None) -> WinnerCurves:
    """The curves, as far as the target and the answers of the hypothesis have them.

    `answered` is what the delivered hypothesis answered on the test part, None where it was not opened.
    """
    design = results.design
    target, part = FORMS[settings.deliver].target, "test part"
    if answered is None:
        target, part = holdout.TARGET, "held-out rows"
        held_out = design.splits("holdout")[0].validation
        observed = tested(design, results.evidence[winner], "holdout")
        X = files.open_features(files.LABELED, files.file_hash(files.LABELED))
        answered = ask_held_out(g_minus, X, design.y, held_out, observed)
    whose = {"candidate": winner, "hypothesis": results.target(winner, target), "part": part}
    skill = shown_skill(answered, design.level, part)
    return WinnerCurves(
        whose, calibration_curve(answered, design.level), roc_curve(answered), residuals(answered), skill
    )
