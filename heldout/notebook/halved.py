"""The halvings of `heldout.validate` where nobody names their number: made in rounds, the same for all candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from heldout.errors import FitFailure
from heldout.notebook.candidate_fits import CandidateFits
from heldout.notebook.failures import Failures
from heldout.notebook.progress import FitBar
from heldout.notebook.shared_fits import share
from heldout.schemes import SchemeName
from heldout.schemes.design import Design, Evidence, half_tested
from heldout.schemes.halvings import Halvings, after_look, looks, most

HALVES: SchemeName = "covalidation"


def halved(
    fits: Mapping[str, CandidateFits],
    design: Design,
    schemes: Sequence[SchemeName],
    jobs: int,
    bar: FitBar,
    failures: Failures,
) -> Halvings:
    """The halvings that `heldout.schemes.halvings` asks for; their fits are kept for `schemes`, and made once.

    `design` has the most halvings. The fits of all `schemes` are shared among `jobs` processes with those of the first
    look. After a failure that is not recorded no more are looked at: `CandidateFits.evidence` reports the first one of
    the candidates. No more are made either where the half models of all candidates fail.
    """
    rows = len(design.y)
    look: int | None = looks(rows)[0]
    found = Halvings(most(rows), most(rows))
    share([*fits.values()], schemes, jobs, bar, {HALVES: range(2 * looks(rows)[0])})
    try:
        while look is not None:
            made, cut = look, replace(design, halves=design.halves[:look])
            observed = {}
            for name, of in fits.items():
                if failures.has(name, HALVES):
                    continue
                with failures.of(name, HALVES):
                    losses = of.first_losses(HALVES, 2 * made, schemes)
                    observed[name] = half_tested(cut, Evidence({HALVES: losses}))
            failures.check_not_all(len(fits) - len(failures.reasons))
            if not observed:
                break
            found, look = after_look(observed, made, rows)
            if look is not None:
                share([*fits.values()], [HALVES], jobs, bar, {HALVES: range(2 * look)})
    except FitFailure:
        return Halvings(most(rows), most(rows))
    for of in fits.values():
        if of.without_fits(HALVES) is None:
            bar.skip(2 * (found.most - found.made))
    return found
