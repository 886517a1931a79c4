"""The outcome of a validation in MLflow: the parent run, a child run for each candidate, and the registered model."""

import warnings
from typing import Any

from tasks.outcome.contest import Decision
from tasks.params import Settings
from tasks.report.summary import Summary
from tasks.report.tracked import candidate_items, outcome_items, version_tags
from tasks.storage import files
from tasks.track.ledger import ledger_items
from tasks.track.lifecycle import child_run
from tasks.track.promote import promote
from tasks.track.registry import log_model
from tasks.track.send import send
from tasks.track.store import connect


def log_outcome(settings: Settings, summary: Summary, model: Any, speed: object | None) -> tuple[Decision, str]:
    """Log everything on the active run and its children, the promotion last; returns it, and where the model is."""
    import mlflow

    # hints about integer columns and about two equal kinds of source, which no user can act upon
    warnings.filterwarnings("ignore", category=UserWarning, module=r"mlflow\.")
    parent = mlflow.active_run()
    if parent is None:
        raise RuntimeError("log_outcome needs an active run: call it inside of lifecycle.run()")
    client = connect(settings)
    winner = next(candidate for candidate in settings.candidates if candidate.name == summary.selected)
    compared = [candidate for candidate in settings.candidates if candidate.name not in summary.failures]
    opened = summary.selection["E_test"] is not None
    data_hash, seen = files.read_data_hash(), files.read_seen_rows()
    items = ledger_items(settings, data_hash, seen, winner, compared, test_opened=opened)
    send(client, parent.info.run_id, items)
    send(client, parent.info.run_id, outcome_items(summary, speed))
    for candidate in settings.candidates:
        with child_run(client, parent, candidate.name, failed=candidate.name in summary.failures) as child:
            send(client, child, candidate_items(candidate, summary))
    return promote(settings, winner, model, log_model(model), version_tags(winner, summary))
