"""What the fits of a run leave, before it is written."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from heldout.losses.tested_losses import ShardMargins
from heldout.running.stored_fits import Finished
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.schemes.halvings import Halvings
from heldout.selection.race import Dropped
from heldout.unlabelled.half_model_controls import Controls


@dataclass(frozen=True, eq=False)
class Fitted:
    """The fits of a run by scheme and candidate, of those who did not fail as a whole; `design` has their halvings.

    `failures` has the reason of each that failed, `lacking` those of each that failed in a scheme alone, by the scheme.
    `dropped` are those that a race dropped. `halvings` says how many there are where a rule decided it; None for a
    number.
    """

    design: Design
    finished: Mapping[SchemeName, Mapping[str, Finished]]
    failures: Mapping[str, str] = field(default_factory=dict)
    lacking: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    dropped: tuple[Dropped, ...] = ()
    halvings: Halvings | None = None


@dataclass(frozen=True, eq=False)
class Compared:
    """What the half models of each candidate answer on unlabelled rows, as far as they answer; `lacking` says why not.

    `shards` is how far they disagree, `largest` the rows where they do most, `controls` what is about single rows.
    """

    shards: Mapping[str, ShardMargins] = field(default_factory=dict)
    largest: pd.DataFrame | None = None
    controls: Mapping[str, Controls | str] = field(default_factory=dict)
    lacking: Mapping[str, str] = field(default_factory=dict)
