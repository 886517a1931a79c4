"""A result that was saved, read again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from heldout.errors import BadArgument
from heldout.estimates import methods, schemes_of, set_metrics
from heldout.findings.finding import Finding
from heldout.fits.specs import How
from heldout.learners.fit_warnings import WarningCounts
from heldout.losses import Loss, Losses, choose_loss
from heldout.notebook.candidate_fits import CandidateFits, digests_of
from heldout.notebook.look import Looked
from heldout.notebook.named_candidates import named
from heldout.notebook.progress import FitBar
from heldout.notebook.result import Validation
from heldout.notebook.saved_result import FILE, FORMAT, Reader
from heldout.rows.checked_rows import as_table
from heldout.rows.frames import LIBRARIES
from heldout.running.content import digest_of
from heldout.running.store import Store, store_of_user
from heldout.schemes import SchemeName
from heldout.schemes.design import Design, Evidence
from heldout.splits.dependence import Dependence
from heldout.splits.split import SplitLosses, tested_sizes, trained_sizes
from heldout.unlabelled.half_model_controls import Controls


@dataclass(frozen=True, eq=False)
class SavedModels:
    """What is known of the models of a candidate without them; `fits` make them again, where there are some."""

    name: str
    updated_once: bool
    final_rows: int | None
    warnings: WarningCounts
    controls: Controls | str
    fits: CandidateFits | None = None

    @property
    def X(self) -> Any:
        """The rows that the models answer."""
        return self._known.X

    def hypotheses(self, scheme: SchemeName) -> Sequence[Any]:
        """Those of a scheme, fitted again. Raises BadArgument without learner and rows, and FitFailure."""
        return self._known.hypotheses(scheme)

    @property
    def unlabeled(self) -> None:
        """They are in no saved result."""

    @property
    def _known(self) -> CandidateFits:
        if self.fits is None:
            raise BadArgument(
                "candidates",
                f"this needs the models of {self.name}, which are in no saved result: "
                "load(folder, candidates=..., X=...) fits them again, from the same learners and rows",
            )
        return self.fits


def load(
    folder: str | PathLike[str],
    *,
    candidates: Any = None,
    X: Any = None,
    loss: Any = None,
    store: str | PathLike[str] | None = None,
) -> Validation:
    """The result that `Validation.save` wrote: equal to it, and everything works that needs no model.

    The files may be a stranger's: nothing in them is run. Losses stay on the disk until somebody asks for them, so the
    folder must stay where it is.

    Parameters
    ----------
    folder : str or path
        Where it was saved.
    candidates : mapping of str to estimator, estimator, or list of estimators, optional
        The learners that `validate` was given, in the same form, for what needs models: `target`, `columns`, `metric`,
        `prediction_sets`. They are fitted again, when somebody asks, from the same random states.
    X : array-like, data frame or sparse matrix of shape (N, p), optional
        The rows that `validate` was given, with the `candidates`.
    loss : callable, optional
        The loss, where it is a function.
    store : path, optional
        Where `validate(store=...)` kept its fits: with `candidates` and X their models are read there, and only those
        that are missing are fitted again.

    Returns
    -------
    Validation
        What was saved.

    Raises
    ------
    BadArgument
        For a folder without a result, one that another version wrote in another format, and one that was changed; for
        candidates without X, or of other names; for X with another number of rows; without a loss that is needed; and
        for a store without candidates, or that is no folder.

    Examples
    --------
    >>> import heldout, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> validation = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"])
    >>> with tempfile.TemporaryDirectory() as place:
    ...     found = heldout.load(validation.save(f"{place}/iris"), candidates={"bayes": GaussianNB()}, X=X)
    ...     found.decide().verdict, len(found.target("bayes", "E_cv"))
    ('ship', 10)
    """
    if (candidates is None) is not (X is None):
        raise BadArgument("candidates", "candidates and X are given together: models are fitted again from both")
    if store is not None and candidates is None:
        raise BadArgument("store", "a store is given with candidates and X: its fits are found by them")
    kept = None if store is None else store_of_user(store)
    return read(Path(folder), None if candidates is None else named(candidates), X, loss, kept)[0]


def read(
    folder: Path,
    candidates: Mapping[str, Any] | None = None,
    X: Any = None,
    loss: Any = None,
    store: Store | None = None,
) -> tuple[Validation, Mapping[str, SavedModels]]:
    """The result of a folder, and what is known of the models of each candidate. Raises BadArgument as `load`."""
    if not (folder / FILE).is_file():
        raise BadArgument("folder", f"{folder} holds no result that save() wrote")
    try:
        stored = json.loads((folder / FILE).read_text(encoding="utf-8"))
        found = stored["format"]
        if found != FORMAT:
            raise BadArgument(
                "folder",
                f"{folder} has the format {found!r}, and this version of heldout reads {FORMAT}; save it again, or "
                "load it with the version that saved it",
            )
        with Reader(folder) as reader:
            return _result(reader.of(stored), candidates, X, loss, store)
    except BadArgument:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError, OSError) as error:
        raise BadArgument(
            "folder", f"{folder} was damaged or changed since it was saved: {type(error).__name__}: {error}"
        ) from error


def _result(
    stored: Mapping[str, Any], candidates: Mapping[str, Any] | None, X: Any, function: Any, store: Store | None
) -> tuple[Validation, Mapping[str, SavedModels]]:
    known, written = stored["design"], stored["loss"]
    if stored["library"] not in LIBRARIES:
        raise ValueError(f"there is no library {stored['library']!r}")
    y, weights = known["y"], known["weights"]
    if any(len(rows) != len(y) for rows in vars(known["partition"]).values()):
        raise ValueError("the parts are of another number of rows than the labels")
    if written["spec"] is None and not callable(function):
        raise BadArgument("loss", f"the loss is {written['name']}, a function, which no file holds: load(loss=...)")
    loss = choose_loss(
        function if written["spec"] is None else written["spec"],
        y,
        None if weights is None else weights.values,
        loss_max=written["limit"],
        drawn=weights is not None and weights.drawn,
        of_classes=written["of_classes"],
    )
    of_estimates = _methods(stored["methods"], loss, known["dependence"], cross_validated=stored["cross_validated"])
    lists = {name: tuple(known[name]) for name in ("estimates", "further_folds")}
    design = Design(**{**known, **lists}, loss=loss, methods=of_estimates, set_metrics=set_metrics(known["estimates"]))
    evidence = {name: _evidence_of(design, of) for name, of in stored["evidence"].items()}
    models = {name: SavedModels(name, **of) for name, of in stored["models"].items()}
    if {*models} != {*evidence}:
        raise ValueError("the losses are of other candidates than the models")
    if candidates is not None:
        rows = as_table(X, "X")
        if rows.shape[0] != len(design.y) or stored["rows"] not in (None, digest_of(rows)):
            raise BadArgument(
                "X", f"X has not the {len(design.y)} rows of the result; give those that validate was given"
            )
        fits = _fits(models, candidates, rows, design, store)
        models = {name: replace(of, fits=fits[name]) for name, of in models.items()}
    result = {**stored["result"], "dropped": tuple(stored["result"]["dropped"])}
    made = Validation(design, evidence, models, stored["library"], **result, _look=_looked(stored.get("looked")))
    carriers = {name: of and tuple(of) for name, of in stored["carriers"].items()}
    confused = {name: tuple(of) for name, of in stored.get("confused", {}).items()}  # an earlier version has none
    made.take_known(stored["answered"], carriers, stored["populations"], confused)
    return made, models


def _looked(stored: Mapping[str, Any] | None) -> Looked | None:
    """What the checks of the table found. Raises TypeError for what is no finding."""
    if stored is None:
        return None
    findings: list[dict[str, Any]] = [
        {name: tuple(value) if isinstance(value, list) else value for name, value in one.items()}
        for one in stored["findings"]
    ]
    return Looked(tuple(Finding(**one) for one in findings), stored["why_not"])


def _methods(names: Mapping[str, str], loss: Loss, dependence: Dependence, *, cross_validated: bool) -> Any:
    """The interval methods of these names. Raises BadArgument for one that is not known any more."""
    kind = dependence.kind
    plain = methods.choose(None, loss, kind, cross_validated=cross_validated)
    chosen = {name: of for name, of in names.items() if name not in plain or plain[name].name != of}
    found = methods.choose(chosen, loss, kind, cross_validated=cross_validated)
    return {name: found[name] for name in names}


def _evidence_of(design: Design, of: Mapping[str, Any]) -> Evidence:
    return Evidence(
        {scheme: _parts(design, scheme, losses) for scheme, losses in of["losses"].items()},
        () if of["training"] is None else _parts(design, "covalidation", of["training"], own=True),
        of["shards"],
        {
            name: {scheme: _parts(design, scheme, terms) for scheme, terms in parts.items()}
            for name, parts in of["terms"].items()
        },
        of["failed"],
    )


def _parts(design: Design, scheme: str, losses: Losses, *, own: bool = False) -> SplitLosses:
    """The losses of each split. Raises ValueError for another number of them than the splits test."""
    if scheme not in schemes_of(design):
        raise ValueError(f"there are losses of {scheme}, which no estimate needs")
    splits = design.splits(scheme)
    sizes = trained_sizes(splits) if own else tested_sizes(splits)
    if losses.shape != (int(np.sum(sizes)),) or losses.dtype not in (np.float64, np.uint8):
        raise ValueError(f"there are {losses.shape} losses of {scheme}, whose splits test {int(np.sum(sizes))} rows")
    return SplitLosses(losses, sizes)


def _fits(
    names: Iterable[str], candidates: Mapping[str, Any], X: Any, design: Design, store: Store | None
) -> Mapping[str, CandidateFits]:
    for name in names:
        if name not in candidates:
            raise BadArgument("candidates", f"candidates has no {name}, which is in the result; give its learner too")
    bar = FitBar(shown=False)
    fits = {name: CandidateFits(name, candidates[name], X, design, How(), bar) for name in names}
    if store is None:
        return fits
    known = digests_of(candidates, X, design.y, None, design.loss)
    return {name: of.kept(store, known[name]) for name, of in fits.items()}
