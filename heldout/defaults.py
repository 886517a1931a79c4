"""The defaults that `heldout.validate` and params.yaml share."""

from typing import Final

SEED: Final = 0
LEVEL: Final = 0.95
VALIDATION_FRACTION: Final = 0.2
FOLDS: Final = 10
TESTED_FRACTION: Final = 0.5
BLOCK: Final = "auto"
REPEATS: Final = "auto"
GAP: Final = 0
RACE: Final = "auto"
SHORTCUTS: Final = "auto"
MUTED_CHECKS: Final = ()
