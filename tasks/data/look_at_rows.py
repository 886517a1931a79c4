"""What the checks of a table find in the rows of a run, where nobody ran `init` or its answers were changed since.

They are those of a verdict in a notebook (`heldout.checks.doubts`): the same functions, codes and texts.
"""

from dataclasses import replace

import numpy as np

from heldout.checks import doubts
from heldout.losses import choose_loss
from tasks.data.prepare_tables import Prepared
from tasks.params import Settings
from tasks.storage import findings
from tasks.storage.files import TARGET
from tasks.storage.findings import Found, RecordedFinding


def look(prepared: Prepared, settings: Settings, found: Found) -> Found:
    """What was `found` in the file, and then what the labelled rows show that no finding of the file asks about.

    Muted checks run too: a stage that reads the findings leaves them out (`findings.read_applied`).
    """
    rows = prepared.labeled.iloc[np.argsort(prepared.places.labeled, kind="stable")].reset_index(drop=True)
    target = rows[TARGET].rename(settings.data.target or TARGET)
    seen = doubts.look(
        rows.drop(columns=TARGET),
        target,
        classes=choose_loss(settings.judged_by, target.to_numpy()).of_classes,
        dependent=settings.data.groups is not None or settings.data.time is not None,
    )
    more = [RecordedFinding.of(one.not_done()) for one in seen]
    new = [
        findings.by_the_run(one, settings) for one in more if not any(one.is_asked_by(old) for old in found.findings)
    ]
    return replace(found, findings=(*found.findings, *new)) if new else found
