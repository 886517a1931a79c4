"""A project of a user's own: a git and DVC repository that the installed package runs (decision 76)."""

import getpass
import importlib.metadata
import re
import shutil
import subprocess
import sys
from pathlib import Path

from heldout import __version__
from tasks.init.project_files import FILES
from tasks.runtime import own_code
from tasks.runtime.errors import UserError

_REQUIREMENTS, _LOCK = "requirements.txt", "requirements.lock"
PLACES = {"docs/examples/validate.yml": ".github/workflows/validate.yml"}  # of a project, where they are others
# a dependency of a stage, with the line above it where it is the only one
_OUR_CODE = re.compile(r"^(?: +params:\n)? +- (?:flows|heldout|tasks)/.*\n", re.MULTILINE)
_IN_PLACE_OF = {
    f"      - {_LOCK}": f"      - {_REQUIREMENTS}\n      - {_LOCK}",
    f"{_LOCK}]": f"{_REQUIREMENTS}, {_LOCK}]",
    "python -m flows": "heldout",
    "make serve": "heldout serve",
    "this checkout": "this folder",
    # of the workflow
    'make .venv/ready && echo "$PWD/.venv/bin" >> "$GITHUB_PATH"': f"pip install -r {_REQUIREMENTS}",
    "a checkout of heldout: copy it to .github/workflows/validate.yml. It": "this project. It",
    "docs/how-to/ci.md explains it": "heldout's page on CI explains it",
}
_PINNED = f"""\
# Every stage of dvc.yaml depends on this file: after a change here, `dvc repro` makes all results again. No index has
# heldout yet: install its wheel, or name that here, as heldout[pipeline] @ https://HOST/heldout-VERSION-py3-none-any.whl
-c {_LOCK}
heldout[pipeline]=={__version__}
"""
_LOCKED = """\
# The versions of the environment in which this project was made: pip and uv install these where one is needed.
# To renew them from the active environment: uv pip freeze --exclude heldout > requirements.lock
"""
_README = """\
# {name}

Which model to ship, how large its true error is, and how far to trust that, by heldout.

```sh
dvc repro                      # validate the candidates of params.yaml
heldout gate --max-upper 0.05  # the test, as in CI: does the winner err at most so much?
```

Before, in a virtual environment that stays active, since DVC runs `heldout`: `uv pip install -r requirements.txt`, or
the same with `pip`. Further commands, and all of them in `heldout --help`:

```sh
heldout init ~/table.csv --target COLUMN    # look at your table, and write its params.yaml; until then: digits
heldout ui                                  # the runs in MLflow's pages
heldout open-test                           # in the end, once: the error of the model that you ship
```

A colleague: `dvc remote add --default NAME URL`, `dvc push` and `git push` here; there `git clone`, the install and
`dvc pull`.

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
| `requirements.lock` | the versions of all packages |
| `.github/workflows` | a run and the gate for each pull request, and a place for the login of DVC's remote |
| `compose`, `docs` | for nights: `heldout serve` started with the machine, messages, a pause after failures |

**Another version**: a command refuses to run by another version than that of `requirements.txt`. To go on with it, copy
`dvc.yaml`, `params.schema.json`, `requirements.lock` and that line from a project that its `heldout new FOLDER` makes.
"""


def make(folder: Path) -> list[str]:
    """Make the project, and return what to say of it.

    Raises UserError, with nothing written, for a folder that has files or lies in a checkout or a project, and without
    git.
    """
    _check_new(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "--quiet")
    texts = {PLACES.get(name, name): _of_repository(name, folder) for name in FILES}
    readme = _README.format(name=folder.name)
    _write(folder, {**texts, _REQUIREMENTS: _PINNED, _LOCK: _locked(), "README.md": readme})
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


def _of_repository(name: str, folder: Path) -> str:
    """A file of the repository as a project has it: stages depend on the installed version, and run its command."""
    text = _OUR_CODE.sub("", (own_code.FOLDER / name).read_text(encoding="utf-8"))
    service = {
        "/srv/heldout/.venv/bin": str(Path(sys.executable).parent),
        "/srv/heldout": str(folder.resolve()),
        "User=heldout": f"User={getpass.getuser()}",
    }
    for ours, theirs in {**service, **_IN_PLACE_OF}.items():
        text = text.replace(ours, theirs)
    return text


def _locked() -> str:
    """The versions of this environment, as constraints of pip; without a build of one's own, which no index has."""
    versions = {one.metadata["Name"]: one.version.partition("+")[0] for one in importlib.metadata.distributions()}
    versions = {name: version for name, version in versions.items() if name != "heldout"}
    lines = (f"{name}=={version}\n" for name, version in sorted(versions.items(), key=lambda one: one[0].lower()))
    return _LOCKED + "".join(lines)


def _write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _git(folder: Path, *arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603, S607
    if ran.returncode:
        raise UserError(f"git {arguments[0]} in {folder}: {' '.join(ran.stderr.split()) or 'failed'}")
    return ran.stdout
