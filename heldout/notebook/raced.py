"""The race of the candidates of `heldout.validate`, on fits that are kept for the estimates of those left."""

from collections.abc import Mapping, Sequence

from heldout.losses import Losses
from heldout.notebook.candidate_fits import CandidateFits
from heldout.notebook.failures import Failures
from heldout.notebook.progress import FitBar
from heldout.notebook.shared_fits import share
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.selection.race import STREAM, Race, run


def pays(design: Design, schemes: Sequence[SchemeName]) -> bool:
    """Whether a race can spare fits: its stream is one of the `schemes`, or has fewer fits than they have."""
    return STREAM in schemes or len(design.splits(STREAM)) < sum(len(design.splits(scheme)) for scheme in schemes)


def raced(
    fits: Mapping[str, CandidateFits],
    design: Design,
    schemes: Sequence[SchemeName],
    limit: float,
    finalists: int | None,
    jobs: int,
    bar: FitBar,
    failures: Failures,
) -> Race:
    """The race on the stream of E_prog; the fits of those who are left are kept for `schemes`, and made once.

    One that fails on the stream drops nobody: the race begins again without it. Raises FitFailure as `Failures`, and
    BadArgument for a loss above a limit that was stated.
    """

    def losses_of(names: Sequence[str], number: int) -> Mapping[str, Losses]:
        left, found = [fits[name] for name in names], {}
        share(left, [STREAM], jobs, bar, {STREAM: [number]})
        for of in left:
            with failures.of(of.name):
                found[of.name] = of.losses(STREAM, number)
        failures.check_not_all(len(fits) - len(failures.reasons))
        return found

    race = run([*fits], design, losses_of, limit, finalists)
    while STREAM in schemes and len(race.racing) == 1:
        (last,) = race.racing
        with failures.of(last):
            for number in range(len(design.splits(STREAM))):
                fits[last].losses(STREAM, number)
        if last not in failures.reasons:
            break
        failures.check_not_all(len(fits) - len(failures.reasons))
        race = run([name for name in fits if name not in failures.reasons], design, losses_of, limit, finalists)
    all_fits = sum(len(design.splits(scheme)) for scheme in {*schemes, STREAM})
    for one in race.dropped:
        fitted = fits[one.candidate].without_fits(STREAM) is None
        bar.skip(all_fits - (one.blocks(design) if fitted else len(design.splits(STREAM))))
    return race
