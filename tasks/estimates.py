"""From losses to estimates: gathers each candidate's results and has the science judge them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from heldout import covalidation, cross_validation, holdout, progressive
from heldout.losses import ZERO_ONE, natural_loss
from heldout.records import Estimate
from heldout.selection import criterion_value, standard_error
from tasks import files
from tasks.params import Settings

SCHEMES = ("holdout", "cross_validation", "progressive", "covalidation")


@dataclass(frozen=True, eq=False)
class Results:
    """All results of the four schemes, without the candidates that failed in any of them."""

    losses: pd.DataFrame
    training: pd.DataFrame
    disagreement: pd.DataFrame
    in_sample: pd.DataFrame
    failures: Mapping[str, str]
    candidates: tuple[str, ...]

    def of(self, candidate: str, scheme: str) -> pd.DataFrame:
        """The losses of one candidate in one scheme."""
        losses = self.losses
        return losses[(losses["candidate"] == candidate) & (losses["scheme"] == scheme)]


def read_results(settings: Settings) -> Results:
    """The results of all schemes, candidates in the order of the parameters."""
    failures: dict[str, str] = {}
    for scheme in SCHEMES:
        for name, reason in files.read_failures(scheme).items():
            failures.setdefault(name, reason)
    names = tuple(candidate.name for candidate in settings.candidates if candidate.name not in failures)

    def read(scheme: str, table: str) -> pd.DataFrame:
        frame = files.read_result(scheme, table)
        return frame[frame["candidate"].isin(names)].reset_index(drop=True)

    return Results(
        losses=pd.concat([read(scheme, "losses").assign(scheme=scheme) for scheme in SCHEMES], ignore_index=True),
        training=read("covalidation", "training"),
        disagreement=read("covalidation", "disagreement"),
        in_sample=read("holdout", "in_sample"),
        failures=failures,
        candidates=names,
    )


def estimate_all(settings: Settings, results: Results) -> dict[str, list[Estimate]]:
    """Every estimate of every candidate that did not fail."""
    return {candidate: _estimate(settings, results, candidate) for candidate in results.candidates}


def _estimate(settings: Settings, results: Results, candidate: str) -> list[Estimate]:
    _, y = files.read_table(files.LABELED)
    partition = files.read_partition()
    level, block, loss = settings.selection.level, settings.progressive.block, natural_loss(y)
    losses = {scheme: results.of(candidate, scheme)["loss"].to_numpy() for scheme in SCHEMES}
    in_sample = results.in_sample
    training = results.training
    disagreement = results.disagreement[results.disagreement["candidate"] == candidate]
    mean = None
    if len(disagreement):
        mean = float(np.average(disagreement["disagreement"], weights=disagreement["rows"]))
    return [
        holdout.training_estimate(candidate, in_sample[in_sample["candidate"] == candidate]["loss"].to_numpy()),
        holdout.estimate(candidate, losses["holdout"], int((~partition.validation).sum()), loss, level),
        cross_validation.estimate(candidate, losses["cross_validation"], int(partition.fold.max()) + 1, loss, level),
        progressive.estimate(
            candidate, losses["progressive"], progressive.mean_training_size(partition.step, block), loss, level
        ),
        *covalidation.estimates(
            candidate,
            losses["covalidation"],
            training[training["candidate"] == candidate]["error"].tolist(),
            mean,
            n_labeled=len(y),
            n_unlabeled=int(disagreement[disagreement["repeat"] == 0]["rows"].sum()),
            loss=loss,
            classes=len(np.unique(y)) if loss is ZERO_ONE else 0,
        ),
    ]


def criterion_values(settings: Settings, estimates: Mapping[str, list[Estimate]]) -> dict[str, float]:
    """The criterion's value of each candidate."""
    return {
        name: criterion_value(settings.criterion, {record.estimate: record.value for record in records})
        for name, records in estimates.items()
    }


def standard_errors(settings: Settings, results: Results) -> dict[str, float] | None:
    """The standard error of each candidate's criterion; None where it is no mean of losses."""
    scheme = {"E_val": "holdout", "E_prog": "progressive", "E_2cv": "covalidation", "E_cv": "cross_validation"}.get(
        settings.criterion
    )
    if scheme is None:
        return None
    # independent terms: fold errors for E_cv; for E_2cv a row's mean over repeats, which share their rows
    by = {"cross_validation": "unit"}.get(scheme, "row")
    return {
        name: standard_error(results.of(name, scheme).groupby(by)["loss"].mean().to_numpy())
        for name in results.candidates
    }
