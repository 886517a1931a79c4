"""Which runs may promote: those of the schedule and of `validate --promote`. All others are trials (decision 36)."""

import os
from collections.abc import Sequence

from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.storage.dvc_commands import NO_PART_OF_RESULTS

STAGE_ALONE = "a stage alone is no whole validation"
# DVC sets them for every stage of `dvc exp run`; and the tags of the run that say them
_OF_EXPERIMENTS = {"DVC_EXP_NAME": "dvc.exp_name", "DVC_EXP_BASELINE_REV": "dvc.baseline_rev"}


_anyway = False


def promote_anyway() -> None:
    """Let the runs of this process promote a winner also against the advice: a person at a terminal said so."""
    global _anyway
    _anyway = True


def promotes_anyway() -> bool:
    """Whether somebody said so."""
    return _anyway


def why_trial(
    settings: Settings, overrides: Sequence[str] = (), *, asked: bool = False, scheduled: bool = False
) -> str:
    """Why a whole validation may not promote its winner; empty if it may.

    `asked` by --promote, `scheduled` as a run of a deployment. Raises UserError if what was asked for is not allowed.
    """
    promote = settings.tracking.promote
    if promote == "never":
        if asked:
            raise UserError("--promote: tracking.promote is never; write scheduled or always, or leave --promote out")
        return "tracking.promote is never"
    if any(name in os.environ for name in _OF_EXPERIMENTS):
        return "it is an experiment of DVC"
    changed = _changed_results(overrides)
    if asked and changed:
        raise UserError(
            f"--promote: {changed[0]} is overridden, which makes the run a trial; write the value into the file of the "
            "parameters, or leave --promote out"
        )
    if promote == "always" or asked:
        return ""
    if changed:
        return f"{changed[0]} is overridden"
    return "" if scheduled else "it was started by hand, without --promote"


def opens_sealed(settings: Settings, trial: str) -> str:
    """What is said before a run that opens the sealed test set, though no key asks for it; empty for any other."""
    if trial or settings.selection.open_test or settings.split.test_fraction == 0:
        return ""
    return (
        "it may promote its winner, and opens the sealed test set for it, though selection.open_test is false: these "
        "rows then test no other winner. tracking.promote: never leaves it sealed"
    )


def experiment_tags() -> dict[str, str]:
    """Which experiment of DVC a run is part of, and on which commit; nothing outside of experiments."""
    return {tag: os.environ[name] for name, tag in _OF_EXPERIMENTS.items() if os.environ.get(name)}


def _changed_results(overrides: Sequence[str]) -> list[str]:
    """The overridden keys on which the results depend."""
    keys = [override.partition("=")[0].strip() for override in overrides]
    return [key for key in keys if key.partition(".")[0] not in NO_PART_OF_RESULTS]
