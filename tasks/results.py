"""data/results: what each scheme leaves for `select`, one table a kind of number, and read back as evidence."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from heldout.design import Design, Evidence, half_losses
from heldout.losses import Losses
from heldout.observed import Crossed
from heldout.records import Split
from heldout.seeds import SchemeName
from tasks import families, files
from tasks.params import Settings
from tasks.schemes import further_schemes
from tasks.worker import Finished

_COLUMNS = ["candidate", "unit", "row", "loss"]
SCHEMES: tuple[SchemeName, ...] = ("holdout", "cross_validation", "progressive", "covalidation")


def write_holdout(
    settings: Settings, design: Design, finished: Mapping[str, Mapping[str, Finished]], failures: Mapping[str, str]
) -> None:
    """Losses of g- on the held-out rows, and of g on the rows that it was trained on; the paths of families."""
    tables = {
        "losses": _losses(finished["holdout"], design.splits("holdout")),
        "in_sample": _losses(finished["final"], design.splits("final")),
        **families.tables(settings, finished["final"]),
    }
    files.write_result("holdout", tables, failures)


def write_cross_validation(
    design: Design, finished: Mapping[str, Mapping[str, Finished]], failures: Mapping[str, str]
) -> None:
    """One loss a row, its unit the fold; and the losses of the fits that intervals ask for."""
    tables = {"losses": _losses(finished["cross_validation"], design.splits("cross_validation"))}
    for scheme in further_schemes(design):
        tables[scheme] = _losses(finished[scheme], design.splits(scheme))
    files.write_result("cross_validation", tables, failures)


def write_progressive(design: Design, finished: Mapping[str, Finished], failures: Mapping[str, str]) -> None:
    """One loss a tested row, its unit the step."""
    losses = _losses(finished, design.splits("progressive"))
    losses["unit"] = design.partition.step[losses["row"].to_numpy(dtype=np.intp)]
    losses = losses.sort_values("unit", kind="stable")
    in_order = [losses[losses["candidate"] == candidate] for candidate in finished]
    files.write_result("progressive", {"losses": pd.concat(in_order, ignore_index=True)}, failures)


def write_covalidation(
    design: Design,
    finished: Mapping[str, Finished],
    disagreement: Mapping[str, pd.DataFrame],
    failures: Mapping[str, str],
) -> None:
    """The loss of each row by the half model that did not see it and by the one that did, and disagreement.

    Rows in time have no line of the first kind.
    """
    tested = {name: units.losses for name, units in finished.items()}
    trained = {name: [part for part in units.training if part is not None] for name, units in finished.items()}
    training = _halves(design, trained, own=True)
    untested = design.dependence.time is not None
    tables = {"losses": training[:0] if untested else _halves(design, tested, own=False), "training": training}
    files.write_result("covalidation", {**tables, **disagreement}, failures)


def read_evidence(design: Design, candidates: Sequence[str]) -> dict[str, Evidence]:
    """All that the schemes left of each of `candidates`."""
    tables: dict[tuple[str, str], str] = {
        ("holdout", "losses"): "holdout",
        ("holdout", "in_sample"): "final",
        ("cross_validation", "losses"): "cross_validation",
        **{("cross_validation", scheme): scheme for scheme in further_schemes(design)},
        ("progressive", "losses"): "progressive",
        ("covalidation", "losses"): "covalidation",
        ("covalidation", "training"): "training",
    }
    if design.dependence.time is not None:
        del tables["covalidation", "losses"]
    read = {name: _by_candidate(files.read_result(*place)) for place, name in tables.items()}
    repeats = _by_candidate(files.read_result("covalidation", "disagreement"))
    rows = _by_candidate(files.read_result("covalidation", "disagreement_rows"))
    found = {}
    for candidate in candidates:
        losses: dict[SchemeName, list[Losses]] = {
            scheme: _parts(design, scheme, read[scheme][candidate]) for scheme in design.schemes() if scheme in read
        }
        if design.dependence.time is not None:
            losses["covalidation"] = [np.empty(0) for _ in design.splits("covalidation")]
        training = _half_parts(design, read["training"][candidate], own=True)
        disagreement = _crossed(design, repeats[candidate], rows[candidate]) if candidate in rows else None
        found[candidate] = Evidence(losses, training, disagreement)
    return found


def read_losses(candidates: Sequence[str]) -> pd.DataFrame:
    """losses.parquet of the contract: the losses of the four schemes."""
    read = [files.read_result(scheme, "losses").assign(scheme=scheme) for scheme in SCHEMES]
    losses = pd.concat(read, ignore_index=True)
    return losses[losses["candidate"].isin(candidates)].reset_index(drop=True)


def read_failures() -> dict[str, str]:
    """The reason of each candidate that failed in any scheme."""
    failures: dict[str, str] = {}
    for scheme in SCHEMES:
        for name, reason in files.read_failures(scheme).items():
            failures.setdefault(name, reason)
    return failures


def _losses(finished: Mapping[str, Finished], splits: Sequence[Split]) -> pd.DataFrame:
    """A line for each candidate, unit and row, in that order."""
    unit = np.repeat(np.arange(len(splits)), [len(split.validation) for split in splits])
    row = np.concatenate([split.validation for split in splits])
    tables = [
        pd.DataFrame({"candidate": candidate, "unit": unit, "row": row, "loss": np.concatenate(units.losses)})
        for candidate, units in finished.items()
    ]
    return pd.concat(tables, ignore_index=True)[_COLUMNS]


def _halves(design: Design, losses: Mapping[str, Sequence[Losses]], *, own: bool) -> pd.DataFrame:
    """A line for each candidate, repeat and row, in that order."""
    repeats, n = design.halves.shape
    places = {"unit": np.repeat(np.arange(repeats), n), "row": np.tile(np.arange(n), repeats)}
    tables = [
        pd.DataFrame({"candidate": candidate, **places, "loss": half_losses(design, parts, own=own).ravel()})
        for candidate, parts in losses.items()
    ]
    return pd.concat(tables, ignore_index=True)[_COLUMNS]


def _by_candidate(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {str(name): own for name, own in table.groupby("candidate", sort=False)}


def _parts(design: Design, scheme: SchemeName, table: pd.DataFrame) -> list[Losses]:
    """The losses of each split, in the order of `Design.splits`."""
    if scheme == "covalidation":
        return _half_parts(design, table, own=False)
    splits = design.splits(scheme)
    losses = table["loss"].to_numpy()
    if scheme == "progressive":  # kept in the order of steps
        by_row = np.empty(len(design.y))
        by_row[table["row"].to_numpy(dtype=np.intp)] = losses
        return [by_row[split.validation] for split in splits]
    return np.split(losses, np.cumsum([len(split.validation) for split in splits])[:-1])


def _half_parts(design: Design, table: pd.DataFrame, *, own: bool) -> list[Losses]:
    by_repeat = table["loss"].to_numpy().reshape(design.halves.shape)
    return [
        by_repeat[number // 2, split.train if own else split.validation]
        for number, split in enumerate(design.splits("covalidation"))
    ]


def _crossed(design: Design, repeats: pd.DataFrame, rows: pd.DataFrame) -> Crossed:
    """The margins over all shards, from those of each."""
    weighted = (
        repeats.assign(total=repeats["disagreement"] * repeats["rows"]).groupby("repeat")[["total", "rows"]].sum()
    )
    n, means, variances = (rows[name].to_numpy(dtype=np.float64) for name in ("rows", "mean", "variance"))
    total = float(n.sum())
    mean = float(n @ means) / total
    spread = float(n @ (variances + (means - mean) ** 2)) / max(total - 1, 1)
    by_repeat: Any = (weighted["total"] / weighted["rows"]).to_numpy()
    return Crossed(by_repeat, spread, int(total), design.loss, design.seed)
