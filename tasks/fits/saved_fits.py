"""data/results/fits: what the fits leave for `select`, a `Validation` saved as a notebook saves one, and little else.

Losses are read from the store, written, and read again one candidate at a time: those of all are never in memory
together.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from heldout.errors import BadArgument
from heldout.losses.choice import spec_of
from heldout.notebook import saved_result
from heldout.notebook.load import SavedModels, read
from heldout.notebook.result import Validation
from heldout.running.stored_fits import read_once
from heldout.schemes.design import Evidence
from heldout.splits.split import joined_losses, tested_rows
from heldout.unlabelled.half_model_controls import NO_ROWS
from tasks.fits import counted_warnings, tuned_paths
from tasks.fits.fit_results import Compared, Fitted
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError
from tasks.storage import files

_NOT_ASKED: Mapping[str, Any] = {"answered": {}, "carriers": {}, "populations": {}}  # of the models


def write(settings: Settings, fitted: Fitted, compared: Compared) -> None:
    """Write the folder: the result, the paths of tuned estimators, and the unlabelled rows with much disagreement.

    Raises UserError for a loss above loss_max, in stored fits too.
    """
    # the margin is no parameter of this stage: `select` has it
    design, finished = replace(fitted.design, dropped=len(fitted.dropped), margin=None), fitted.finished
    warnings = counted_warnings.count(*finished.values())
    evidence = _ByName([one.name for one in settings.candidates if one.name in warnings], _reads(fitted, compared))
    models = {
        name: SavedModels(
            name,
            updated_once=candidate.update is not None,
            final_rows=None,
            warnings=warnings[name],
            controls=compared.controls.get(name, _no_controls(fitted, compared, name)),
        )
        for candidate in settings.candidates
        if (name := candidate.name) in evidence
    }
    made = Validation(
        design, evidence, models, dropped=fitted.dropped, halvings=fitted.halvings, failed=fitted.failures
    )
    tables = tuned_paths.tables(settings, finished.get("final", {}))
    if compared.largest is not None:
        tables["largest_disagreement"] = compared.largest
    with files.writing_fits(tables, fitted.halvings) as folder:
        try:
            saved_result.save(made, folder, models, "pandas", _NOT_ASKED, overwrite=False)
        except BadArgument as error:
            raise UserError(str(error)) from None


def read_fits(settings: Settings, folder: Path = files.FITTED) -> tuple[Validation, Mapping[str, SavedModels]]:
    """The result in a folder, and what it knows of the models. Raises UserError where it is missing or damaged."""
    try:
        return read(files.existing(folder), loss=spec_of(read_design(settings, every_halving=True).loss))
    except BadArgument as error:
        stage = "fit" if folder == files.FITTED else "select"
        raise UserError(f"{error}; `dvc repro --force {stage}` writes it again") from None


def _reads(fitted: Fitted, compared: Compared) -> Callable[[str], Evidence]:
    """What reads all losses of a candidate."""
    design, finished = fitted.design, fitted.finished

    def of(name: str) -> Evidence:
        of_schemes = {scheme: read_once(by_name[name]) for scheme, by_name in finished.items() if name in by_name}
        losses = {scheme: units.losses for scheme, units in of_schemes.items()}
        for scheme, of_scheme in losses.items():
            design.loss.check_losses(joined_losses(of_scheme), tested_rows(design.splits(scheme)), name)
        halves = of_schemes.get("covalidation")
        training = [] if halves is None else [part for part in halves.training if part is not None]
        terms = {
            estimate: {
                scheme: [terms[estimate] for terms in units.terms]
                for scheme, units in of_schemes.items()
                if estimate in design.set_metrics_in(scheme)
            }
            for estimate in design.set_metrics
        }
        return Evidence(losses, training, compared.shards.get(name), terms, _lacking(fitted, compared, name))

    return of


def _lacking(fitted: Fitted, compared: Compared, name: str) -> Mapping[str, str]:
    """Why a candidate has no losses in some schemes, or no disagreement."""
    no_answer = {"disagreement": compared.lacking[name]} if name in compared.lacking else {}
    return {**fitted.lacking.get(name, {}), **no_answer}


def _no_controls(fitted: Fitted, compared: Compared, name: str) -> str:
    lacking = _lacking(fitted, compared, name)
    reason = lacking.get("covalidation", lacking.get("disagreement"))
    return NO_ROWS if reason is None else f"the half models do not answer: {reason}"


@dataclass(frozen=True, eq=False)
class _ByName(Mapping[str, Evidence]):
    """Evidence that is read each time that someone asks for it."""

    names: list[str]
    of: Callable[[str], Evidence]

    def __getitem__(self, name: str) -> Evidence:
        if name not in self.names:
            raise KeyError(name)
        return self.of(name)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)
