"""The estimates that unlabelled rows narrow (`heldout.diagnosis.powered`), of every candidate."""

from collections.abc import Mapping, Sequence

from heldout.diagnosis.powered import powered
from heldout.estimates import schemes_of
from heldout.records import Estimate, Powered
from heldout.schemes.design import Evidence
from heldout.unlabelled.half_model_controls import Controls, why_none
from tasks.fits.controls import read_controls
from tasks.outcome.estimate import Results
from tasks.params import Settings
from tasks.storage import files


def powered_all(settings: Settings, results: Results, estimates: Mapping[str, Sequence[Estimate]]) -> list[Powered]:
    """The lines of powered.csv, of each candidate that did not fail."""
    half_models = "covalidation" in schemes_of(results.design)
    reason = why_none(results.design, unlabeled=bool(files.shards()), half_models=half_models)
    if settings.data.sampling == "active":
        reason = reason or "data.sampling is active: the labelled rows are not drawn as the unlabelled rows are"
    return [
        line
        for name, evidence in results.evidence.items()
        for line in powered(results.design, evidence, estimates[name], reason or _controls(name, evidence))
    ]


def _controls(name: str, evidence: Evidence) -> Controls | str:
    failed = [evidence.failed[part] for part in ("covalidation", "disagreement") if part in evidence.failed]
    return f"the half models do not answer: {failed[0]}" if failed else read_controls(name)
