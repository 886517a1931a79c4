"""The race of the candidates of `heldout.validate`, block by block of the progressive stream, among those left."""

from collections.abc import Mapping, Sequence

from heldout.notebook.candidate_fits import CandidateFits
from heldout.notebook.progress import FitBar
from heldout.notebook.shared_fits import share
from heldout.parts.splits import tested_sizes
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.selection.race import Race

STREAM: SchemeName = "progressive"


def pays(design: Design, schemes: Sequence[SchemeName]) -> bool:
    """Whether a race can spare fits: its stream is one of the `schemes`, or has fewer fits than they have."""
    return STREAM in schemes or len(design.splits(STREAM)) < sum(len(design.splits(scheme)) for scheme in schemes)


def raced(
    fits: Mapping[str, CandidateFits], design: Design, schemes: Sequence[SchemeName], jobs: int, bar: FitBar
) -> Race:
    """The race on the stream of E_prog; the fits of those who are left are kept for `schemes`, and made once.

    Raises FitFailure, with the candidate's name, and BadArgument for a loss above a limit that was stated.
    """
    splits = design.splits(STREAM)
    race = Race.of([*fits], int(tested_sizes(splits).sum()), design.loss.limit, design.level)
    all_fits = sum(len(design.splits(scheme)) for scheme in {*schemes, STREAM})
    for number, split in enumerate(splits):
        left = [fits[name] for name in race.racing]
        if len(left) == 1:
            break
        share(left, [STREAM], jobs, bar, {STREAM: [number]})
        losses = {of.name: of.losses(STREAM, number) for of in left}
        for name, found in losses.items():
            design.loss.check_losses(found, split.validation, name)
        race = race.after(losses)
        for of in left:
            if of.name not in race.racing:
                made = number + 1 if of.without_fits(STREAM) is None else len(splits)
                bar.skip(all_fits - made)
    return race
