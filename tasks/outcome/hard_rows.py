"""hard_rows.csv: the labelled rows that most candidates get wrong, for a person who checks their labels."""

from itertools import islice
from typing import Any

import pandas as pd

from heldout.diagnosis.hard_rows import answers_of_others, hard_rows
from heldout.learners.threads import one_thread
from heldout.running.quiet import quiet
from tasks.fits.run_schemes import each_hypothesis
from tasks.outcome.estimate import Results
from tasks.params import Candidate, Settings
from tasks.storage import files, source_rows

MOST_ROWS = 100
_REPEATS = 10  # of the half models that are asked what they answer


def table(settings: Settings, results: Results, winner: Candidate) -> pd.DataFrame:
    """A line for each row, the hardest first, from stored losses and stored half models."""
    design = results.design
    found = hard_rows(design, results.evidence, winner.name, MOST_ROWS)
    answer: Any = None
    share: Any = None
    if len(found.rows) and "covalidation" in results.evidence[winner.name].losses:
        X = files.open_features(files.LABELED, files.file_hash(files.LABELED))
        halves = islice(each_hypothesis(settings, winner, "covalidation"), 2 * _REPEATS)
        with quiet(), one_thread():
            answer, share = answers_of_others(halves, X, design, found.rows)
    numbers = source_rows.read_source_rows(source_rows.LABELED)
    return pd.DataFrame(
        {
            "row": None if numbers is None else numbers[found.rows],
            "prepared_row": found.rows,
            "label": design.y[found.rows],
            "answer": answer,
            "answer_share": share,
            "loss": found.losses,
            "least_loss": found.least,
            "half_loss": found.halves,
            "candidates_wrong": found.wrong,
            "candidates": len(results.candidates),
        }
    )
