"""A project of a user's own: a git and DVC repository that the installed package runs (decision 76)."""

import re
import shutil
import subprocess
from pathlib import Path

from heldout import __version__
from tasks.init.project_files import FILES
from tasks.runtime import own_code
from tasks.runtime.errors import UserError

_REQUIREMENTS = "requirements.txt"
# a dependency of a stage, with the line above it where it is the only one
_OUR_CODE = re.compile(r"^(?: +params:\n)? +- (?:flows|heldout|tasks)/.*\n", re.MULTILINE)
_IN_PLACE_OF = {
    "requirements.lock": _REQUIREMENTS,
    "python -m flows": "heldout",
    "make serve": "heldout serve",
    "this checkout": "this folder",
}
_PINNED = f"""\
# Every stage of dvc.yaml depends on this file: after a change here, `dvc repro` makes all results again. No index has
# heldout yet: install its wheel, or name that here, as heldout[pipeline] @ https://HOST/heldout-VERSION-py3-none-any.whl
heldout[pipeline]=={__version__}
"""
_README = """\
# {name}

Which model to ship, how large its true error is, and how far to trust that, by heldout.

```sh
pip install -r requirements.txt             # in a virtual environment, which stays active: DVC runs `heldout`
heldout init ~/table.csv --target COLUMN    # look at your table, and write its params.yaml; until then: digits
dvc repro                                   # validate the candidates of params.yaml
heldout ui                                  # the runs in MLflow's pages; all commands: heldout --help
heldout open-test                           # in the end, once: the error of the model that you ship
```

| file | |
|---|---|
| `params.yaml`, `table_checks.yaml` | what a run is understood by (all keys: `params.schema.json`); what `init` found |
| `quarantine.json` | labelled rows that no run uses, until you decide: `heldout batch` |
| `dvc.yaml`, `dvc.lock` | the stages, which are heldout's: have your own in another folder; what they read and wrote |
| `prefect.yaml`, `prefect.toml` | what `heldout serve` runs every night; how `prefect` finds its server |
| `data/raw`, `data/raw.dvc` | your tables, in DVC; the list of them, in git |
| `reports`, `models`, `data/results` | what the stages make, in DVC |
| `mlruns` | the runs, and how often these rows were used to choose: keep it |
| `requirements.txt` | the version of heldout; add the packages that your candidates need |

**Another version**: a command refuses to run by another version than that of `requirements.txt`. To go on with it, copy
`dvc.yaml`, `params.schema.json` and that line from a project that its `heldout new FOLDER` makes.
"""


def make(folder: Path) -> list[str]:
    """Make the project, and return what to say of it.

    Raises UserError, with nothing written, for a folder that has files or lies in a checkout or a project, and without
    git.
    """
    _check_new(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "--quiet")
    texts = {name: _of_repository(name) for name in FILES}
    _write(folder, {**texts, _REQUIREMENTS: _PINNED, "README.md": _README.format(name=folder.name)})
    _git(folder, "add", "--all")
    return [
        f"made      {folder}, of heldout {__version__}",
        "next      in it: git commit -m Start; heldout init PATH --target COLUMN, with a table of yours; dvc repro",
    ]


def _check_new(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; name a folder that is new or empty")
    inside = sorted(path.name for path in folder.iterdir() if path.name != ".git") if folder.exists() else []
    if inside:
        more = f" and {len(inside) - 3} more" if len(inside) > 3 else ""
        raise UserError(
            f"{folder} has files ({', '.join(inside[:3])}{more}), and a project needs a folder of its own; name one "
            "that is new or empty, and move your files there later"
        )
    if above := next((parent for parent in folder.parents if (parent / "dvc.yaml").is_file()), None):
        raise UserError(f"{folder} lies in {above}, which has stages of its own; name a folder outside of it")
    if shutil.which("git") is None:
        raise UserError("git is not installed, in which a project keeps its settings; install it")


def _of_repository(name: str) -> str:
    """A file of the repository as a project has it: stages depend on the installed version, and run its command."""
    text = _OUR_CODE.sub("", (own_code.FOLDER / name).read_text(encoding="utf-8"))
    for ours, theirs in _IN_PLACE_OF.items():
        text = text.replace(ours, theirs)
    return text


def _write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _git(folder: Path, *arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603, S607
    if ran.returncode:
        raise UserError(f"git {arguments[0]} in {folder}: {' '.join(ran.stderr.split()) or 'failed'}")
    return ran.stdout
