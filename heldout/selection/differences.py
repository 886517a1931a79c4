"""How much less the selected candidate errs than each other candidate, and than the baseline: no further fit.

The differences of E_cv, paired on the rows of both, have the intervals mean(d) +- t sqrt(V) of
`heldout.selection.paired_differences`.

The intervals hold at the same time for the best against the rest (J. C. Hsu, Annals of Statistics 9, 1981): with
probability `level`, each interval between the candidate of least true error and another holds. Each of the M - 1 has
the level 1 - (1 - level) / (M - 1), M with the baseline (Bonferroni). Which candidate was selected does not matter: if
it is the best, all of its intervals hold, and if not, its interval against the best does, and cannot lie below 0.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

from heldout import baseline
from heldout.design import Design, Evidence, cross_validated
from heldout.records import Difference
from heldout.selection.paired_differences import paired_differences

OF_SUBSAMPLES, OF_ROWS = "corrected t, Bonferroni", "corrected t of rows, Bonferroni"


def differences(design: Design, evidence: Mapping[str, Evidence], selected: str) -> list[Difference]:
    """E_cv of `selected` less that of each other candidate, in their order, and of the baseline.

    Empty where E_cv was not computed; without an interval where there is a single row or cluster.
    """
    if "E_cv" not in design.estimates:
        return []
    every = {**evidence, baseline.NAME: baseline.evidence(design)}
    observed = [cross_validated(design, of) for of in every.values()]
    place = list(every).index(selected)
    # every candidate has the batches of the selected one where rows are in time
    observed = [replace(of, cluster=observed[place].cluster) for of in observed]
    found = paired_differences(observed, observed[0].folds)
    level, most = design.level, design.loss.limit
    reach = found.reach(1 - (1 - level) / (len(every) - 1))[place]
    records = []
    for other, name in enumerate(every):
        error = float(found.error[place, other])
        record = Difference(selected, name, error)
        if math.isfinite(reach[other]):
            low, high = max(error - float(reach[other]), -most), min(error + float(reach[other]), most)
            interval = OF_SUBSAMPLES if found.of_subsamples else OF_ROWS
            record = replace(record, low=low, high=high, level=level, interval=interval)
        records.append(record)
    return [record for record in records if record.against != selected]
