"""Which columns matter for the winner (`heldout.diagnosis.column_reliance`), where params.yaml asks for it."""

import logging
from collections.abc import Sequence

from heldout.diagnosis.column_reliance import column_reliance
from heldout.errors import FitFailure
from heldout.records import ColumnReliance
from heldout.rows.exchanged import column_sets
from tasks.fits.run_schemes import hypotheses
from tasks.outcome.estimate import Results
from tasks.params import Candidate, Settings
from tasks.storage import files

log = logging.getLogger("heldout")


def look(settings: Settings, results: Results, winner: Candidate) -> Sequence[ColumnReliance]:
    """A line for each column, or set of columns; none where nobody asked, or where a hypothesis refuses such a row."""
    asked = settings.report.columns
    if asked is False:
        return []
    X, _ = files.read_table(files.LABELED)
    together = [] if asked is True else asked
    of_folds = hypotheses(settings, winner, "cross_validation")
    try:
        return column_reliance(winner.name, of_folds, X, results.design, column_sets(X, together))
    except FitFailure as failure:
        log.warning("report.columns: which columns matter cannot be told: %s", failure)
        return []
