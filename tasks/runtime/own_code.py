"""Where our code lies: in a checkout of the repository, or where pip installed it for projects (decision 76)."""

import importlib.metadata
import re
from pathlib import Path

from tasks.runtime.errors import UserError

FOLDER = Path(__file__).parents[2]  # with flows/, tasks/, dvc.yaml, and the files of a new project
INSTALLED = not (FOLDER / "heldout").is_dir()  # which is next to them in a checkout
COMMAND = "heldout" if INSTALLED else "python -m flows"
MAKE = "heldout" if INSTALLED else "make"  # of the commands that the Makefile has too
PACKAGES = Path("requirements.txt" if INSTALLED else "requirements.lock")  # a dependency of every stage
NAMED_VERSION = re.compile(  # in requirements.txt, also by the name of a wheel
    r"(?<=^heldout)(?P<before>(?:\[[^\]]*\])?\s*(?:==\s*|@\s.*/heldout-))(?P<version>[\w.+!]+)", re.MULTILINE
)


def check_version(project: Path) -> None:
    """Raise UserError if the installed heldout is not the one on which the stages of `project` depend."""
    if not INSTALLED:
        return
    if not (project / PACKAGES).is_file():
        raise UserError(
            f"{project} has a dvc.yaml and no {PACKAGES}: it is no project of heldout; make one by `heldout new "
            "FOLDER`. In a checkout of heldout's repository write `python -m flows` for `heldout`"
        )
    installed = importlib.metadata.version("heldout")
    found = NAMED_VERSION.search((project / PACKAGES).read_text(encoding="utf-8"))
    named = "no version of heldout" if found is None else f"heldout {found['version']}"
    if found is None or found["version"] != installed:
        raise UserError(
            f"{PACKAGES} names {named}, and {installed} is installed. `pip install -r {PACKAGES}` installs what it "
            "names. To go on with what is installed, copy dvc.yaml, params.schema.json and the version in "
            f"{PACKAGES} from a project that `heldout new FOLDER` makes; `dvc repro` then makes all results again"
        )
