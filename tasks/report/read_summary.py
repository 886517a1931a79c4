"""The summary of a validation, read from the files of the contract alone."""

import numpy as np

from heldout.diagnosis.more_rows import missing
from heldout.estimates import lacking_text
from heldout.intervals import confidence_sequence
from heldout.losses import Losses
from heldout.losses.tested_losses import in_units_of_limit
from heldout.schemes import progressive
from heldout.schemes.design import Design, Evidence, disagreement_of, fold_errors, losses_in_order, tested
from heldout.splits import class_shares
from heldout.unlabelled import implied_error
from tasks.outcome.read_validation import read_validation
from tasks.params import Settings
from tasks.report.summary import Curves, LabeledRows, Summary, TestSet, Tuned, Unlabeled, WinnerTables
from tasks.storage import files, findings, metrics_files, report_tables


def read_summary(settings: Settings) -> Summary:
    """Gather the summary from the files that `select` left.

    Estimates are read, not computed again; the curves and the fold errors are means of the stored losses.
    """
    validation = read_validation(settings, files.VALIDATION)
    design = validation.design
    selection = files.read_json(files.SELECTION)
    winner = validation.evidence[selection["selected"]]
    errors_of_folds, progressive_errors = {}, {}
    for name, evidence in validation.evidence.items():
        errors_of_folds[name] = fold_errors(design, evidence)
        if "progressive" in evidence.losses:
            rows, losses = losses_in_order(design, evidence, "progressive")
            progressive_errors[name] = progressive.curve(losses, design.weights_of(rows))
    return Summary(
        settings=settings,
        loss=design.loss,
        estimates=report_tables.read_estimates(),
        selection=selection,
        differences=report_tables.read_differences(),
        more_rows=report_tables.read_more_rows(),
        no_more_rows=missing(design),
        prediction_powered=report_tables.read_prediction_powered(),
        prediction_sets=report_tables.read_prediction_sets(),
        failures=validation.failed,
        lacking={name: text for name, of in validation.evidence.items() if (text := lacking_text(design, of))},
        warned={name: counted for name, counted in validation.warnings.items() if counted.concerned},
        test_set=TestSet(metrics_files.read(), metrics_files.read_confusion()),
        curves=Curves(errors_of_folds, progressive_errors, _band(design, winner)),
        tuned=Tuned(files.read_result("families"), files.read_result("paths")),
        unlabeled=Unlabeled(bool(files.shards()), _least_half_error(design, winner), files.read_shard_reports()),
        rows=LabeledRows(
            kind=design.dependence.kind,
            optimism=class_shares.optimism(design.y) if design.stratify else None,
            labels=_labels(design),
            data_hash=files.read_data_hash(),
            columns=len(files.read_dtypes(files.LABELED)),
            found=findings.read_applied(settings.muted_checks),
        ),
        tables=_winner_tables(),
        not_credible=_not_credible(),
        equal=validation.equal,
    )


def _winner_tables() -> WinnerTables:
    paths = {
        "class_errors": files.CLASS_ERRORS,
        "confusion": files.CV_CONFUSION,
        "columns": files.COLUMNS_THAT_MATTER,
        "hard_rows": files.HARD_ROWS,
        "to_label": files.TO_LABEL,
        "shards": files.SHARD_DISAGREEMENT,
        "calibration": files.CALIBRATION,
        "roc": files.ROC,
        "residuals": files.RESIDUALS,
    }
    return WinnerTables(**{name: report_tables.read(path) for name, path in paths.items()})


def _not_credible() -> dict[tuple[str, str], str]:
    lines = report_tables.read_not_credible()
    return {(line["candidate"], line["estimate"]): line["reason"] for line in lines.to_dict("records")}


def _labels(design: Design) -> list[tuple[str, int]]:
    if not design.loss.of_classes:
        return []
    names, counts = np.unique(design.y, return_counts=True)
    return [(str(name), int(count)) for name, count in zip(names.tolist(), counts, strict=True)]


def _band(design: Design, winner: Evidence) -> tuple[Losses, Losses] | None:
    """The confidence sequence of the winner along the stream, for losses of known limit."""
    if not design.loss.bounded or design.dependence.group is not None or "progressive" not in winner.losses:
        return None
    observed, limit = in_units_of_limit(tested(design, winner, "progressive")), design.loss.limit
    errors = design.loss.binary or design.loss.two_valued
    low, high = confidence_sequence.band(observed.losses, design.level, errors=errors, planned=observed.n)
    return limit * low, limit * high


def _least_half_error(design: Design, winner: Evidence) -> float | None:
    """The least error of the half models in the population of the unlabelled rows; None for rows that are dependent."""
    found = disagreement_of(design, winner)
    if found is None or design.dependence.kind is not None or design.loss.pair_factor is None:
        return None
    return implied_error.least_half_error(found, design.loss, design.level)
