"""Fit: train and test every candidate as each scheme asks for, and compare the half models on the unlabelled shards."""

from flows.stage import stage
from tasks.fits import saved_fits
from tasks.fits.compare_halves import compare_halves
from tasks.fits.fit_schemes import fit_schemes
from tasks.fits.forecast import check_budget
from tasks.fits.run_schemes import remove_old_fits
from tasks.params import Settings


@stage
def fit(settings: Settings) -> None:
    """The losses behind every estimate; a race among many candidates ends for those that fall behind."""
    remove_old_fits(settings)
    check_budget(settings)
    # a task for each candidate and block of the hold-out, the folds, the progressive steps and the half models
    fitted = fit_schemes(settings)
    compared = compare_halves(settings, fitted)  # a task for each candidate and batch of shards
    saved_fits.write(settings, fitted, compared)
