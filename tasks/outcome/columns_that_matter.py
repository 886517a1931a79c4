"""Which columns matter for the winner (`heldout.diagnosis.column_reliance`), where params.yaml asks for it."""

import logging
from collections.abc import Sequence

from heldout.errors import FitFailure
from heldout.notebook.result import Validation
from heldout.records import ColumnReliance
from tasks.params import Settings

log = logging.getLogger("heldout")


def look(settings: Settings, validation: Validation) -> Sequence[ColumnReliance]:
    """A line for each column, or set of columns; none where nobody asked, or where a hypothesis refuses such a row."""
    asked = settings.report.columns
    if asked is False:
        return []
    try:
        return validation.columns(together=[] if asked is True else asked)
    except FitFailure as failure:
        log.warning("report.columns: which columns matter cannot be told: %s", failure)
        return []
