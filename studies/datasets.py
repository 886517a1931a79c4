"""Twenty-five public data sets, from the file to the decision; only the target is named by hand: docs/datasets.md.

Each set is run in a fresh clone of the last commit: `python -m flows init FILE --target COLUMN`, then `dvc repro`.
The results are stored below `.cache/studies/datasets`, and the page is written from all stored results.

    python -m studies.datasets --data FOLDER                # all sets, an hour
    python -m studies.datasets --data FOLDER --only votes   # one set
    python -m studies.datasets --data FOLDER --only votes --seed 1   # again, with other random draws
"""

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path

from studies.datasets_page import page
from studies.public_sets import NAMES
from studies.run_set import Outcome, run

CACHE = Path(".cache/studies/datasets")
PAGE = Path("docs/datasets.md")
FOLDER = Path(os.environ.get("HELDOUT_DATA", Path(__file__).parents[2] / "shared/data"))


def main() -> None:
    """Run the wanted sets, and write the page from all stored results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=FOLDER, help="the folder of the files, instead of HELDOUT_DATA")
    parser.add_argument("--only", choices=NAMES, help="run this set alone")
    parser.add_argument("--seed", type=int, default=0, help="the seed in params.yaml, instead of 0")
    arguments = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in [arguments.only] if arguments.only else NAMES:
        outcome = run(name, arguments.data.resolve(), arguments.seed)
        (CACHE / f"{name}-{arguments.seed}.json").write_text(json.dumps(asdict(outcome), indent=2))
        print(
            f"{name}: {outcome.selected}, E_test inside {outcome.inside or 'none'}, {outcome.seconds:.0f} s", flush=True
        )
    stored = [path for name in NAMES for path in sorted(CACHE.glob(f"{name}-*.json"))]
    PAGE.write_text(page([Outcome(**json.loads(path.read_text())) for path in stored]), encoding="utf-8")


if __name__ == "__main__":
    main()
