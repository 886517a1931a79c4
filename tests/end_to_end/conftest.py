"""End to end: the real commands, in clones of this checkout below a temporary folder, never in the checkout itself."""

import contextlib
import copy
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from tasks.runtime.server import Server
from tests.end_to_end.foreign_page import ask, with_secret
from tests.golden.configurations import RICH

ROOT = Path(__file__).parents[2]
LEARNERS = Path(__file__).with_name("learners")
OUTPUTS = ("data/prepared", "data/results", "reports", "models")
EVERY_NIGHT = "reports/history.html"  # of no stage: it has times
PATIENCE_SECONDS = 500
COMMIT = ("-c", "user.name=a", "-c", "user.email=a@example.com", "commit")
_FOREIGN = (
    "PREFECT_",
    "MLFLOW_",
    "DVC_",
    "GIT_",
    "PYTEST_",
    "HELDOUT_",
)  # of the one who runs the tests, not of a user
_BAYES = "sklearn.naive_bayes.GaussianNB"
_NEIGHBOURS = "sklearn.neighbors.KNeighborsClassifier"


def environment(**own: str) -> dict[str, str]:
    """The environment of a user who has the virtual environment active."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    said = {"HELDOUT_VERBOSE": "1", "COLUMNS": "160"}  # every sentence, which most tests look for
    return {**inherited, "PATH": path, "DVC_NO_ANALYTICS": "1", **said, **own}


@dataclass(frozen=True)
class Checkout:
    """A clone, and the environment of the commands that run in it."""

    path: Path
    own: Mapping[str, str] = field(default_factory=dict)

    def start(self, *command: str, **options: object) -> subprocess.Popen:
        """Start a command in a process group of its own."""
        settings = {"stdin": subprocess.DEVNULL, "text": True, "env": environment(**self.own), **options}
        # a test run that a shell started in the background ignores Ctrl-C, and its children would inherit that
        ignored = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return subprocess.Popen(command, cwd=self.path, start_new_session=True, **settings)
        finally:
            signal.signal(signal.SIGINT, ignored)

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run a command to its end; nothing that it started stays behind if it does not end in time."""
        process = self.start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            stdout, stderr = process.communicate(timeout=PATIENCE_SECONDS)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
        if check:
            assert not process.returncode, f"{' '.join(command)}\n{stdout}\n{stderr}"
        return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)

    def flow(self, name: str, *arguments: object, check: bool = True) -> subprocess.CompletedProcess:
        """python -m flows NAME ..."""
        return self.run("python", "-m", "flows", name, *map(str, arguments), check=check)

    def processes(self, word: str = "") -> list[psutil.Process]:
        """The live processes whose current folder is the checkout or below, with the word in their command."""
        return [
            process
            for process in psutil.process_iter(["cwd", "status", "cmdline"])
            if process.info["status"] != psutil.STATUS_ZOMBIE
            and Path(process.info["cwd"] or "/").is_relative_to(self.path)
            and word in " ".join(process.info["cmdline"] or ())
        ]

    def wait_until(self, what: Callable[[], object], process: subprocess.Popen | None = None, seconds: float = 120):
        """Return when something is so; fail after a time, or when a process that must live on has ended."""
        deadline = time.monotonic() + seconds
        while not what():
            assert process is None or process.poll() is None, "the run ended too early"
            assert time.monotonic() < deadline, f"not so within {seconds} s; running: {self.processes()}"
            time.sleep(0.02)

    def git(self, *arguments: str) -> str:
        """What git says."""
        return self.run("git", *arguments).stdout

    def hashes(self, *folders: str) -> dict[str, str]:
        """The SHA-256 of every file below `folders`, or of the outputs of a run; not of the page of all nights."""
        found = (path for folder in folders or OUTPUTS for path in sorted((self.path / folder).rglob("*")))
        files = [path for path in found if path.is_file() and path != self.path / EVERY_NIGHT]
        return {str(path.relative_to(self.path)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def copy(self, path: Path) -> "Checkout":
        """All of it, also what git ignores; without the socket of a host, which may be about to end."""
        ignored = shutil.ignore_patterns("*.sock")
        return Checkout(Path(shutil.copytree(self.path, path, symlinks=True, ignore=ignored)), self.own)


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory) -> Path:
    """A repository that holds the working tree as it stands, one commit, whatever is written to it meanwhile."""
    folder = tmp_path_factory.mktemp("snapshot")
    here, there = Checkout(ROOT), Checkout(folder)
    for name in here.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    there.git("init", "--quiet", "--initial-branch=main")
    there.git("add", "--all")
    there.git(
        "-c", "user.name=Tester", "-c", "user.email=tester@example.org", "commit", "--quiet", "-m", "as it stands"
    )
    return folder


@pytest.fixture(scope="session")
def wheel(snapshot, tmp_path_factory) -> Path:
    """The wheel of the working tree."""
    return built(Path(shutil.copytree(snapshot, tmp_path_factory.mktemp("source") / "heldout")))


def built(source: Path) -> Path:
    """The wheel of a checkout, which gets a folder `dist`."""
    command = ["uv", "build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, source]
    subprocess.run(command, check=True)
    (path,) = (source / "dist").glob("*.whl")
    return path


@dataclass(frozen=True)
class PrefectServer:
    """A running server, what it asks its users for, and its current folder."""

    url: str
    secret: str
    folder: Path

    def events(self, name: str) -> list[dict[str, Any]]:
        """The events of a name, the first at the beginning."""
        pages = self.url.removesuffix("/api")
        wanted = {"filter": {"event": {"name": [name]}}, "limit": 50}
        answer = ask(pages, "POST", "/api/events/filter", wanted, with_secret(pages, self.secret))
        return sorted(json.loads(answer.text)["events"], key=lambda one: one["occurred"])


@pytest.fixture(scope="session")
def clone(snapshot, tmp_path_factory) -> Callable[..., Checkout]:
    """A function that makes a fresh clone; a Prefect server spares its flows the start of one."""

    def make(server: PrefectServer | None = None) -> Checkout:
        path = tmp_path_factory.mktemp("checkout") / "heldout"
        Checkout(snapshot).git("clone", "--quiet", str(snapshot), str(path))
        known = {"PREFECT_API_URL": server.url, "PREFECT_API_AUTH_STRING": server.secret} if server else {}
        return Checkout(path, known)

    return make


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[PrefectServer]:
    """A Prefect server that lives as long as the tests."""
    folder = tmp_path_factory.mktemp("server")
    made = Server()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PREFECT_API_URL", raising=False)
        patch.setenv("PREFECT_HOME", str(folder))
        patch.setenv("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
        with contextlib.chdir(folder):
            made.start()
            made.wait()
            found = PrefectServer(os.environ["PREFECT_API_URL"], os.environ["PREFECT_API_AUTH_STRING"], folder)
    try:
        yield found
    finally:
        made.stop()


@pytest.fixture(scope="session")
def reproduced(clone) -> Checkout:
    """A clone in which `dvc repro` ran on the shipped parameters, from nothing."""
    checkout = clone()
    checkout.run("dvc", "repro")
    checkout.wait_until(lambda: not checkout.processes())  # the host, whose files a copy would miss when it ends
    return checkout


@pytest.fixture(scope="session")
def brief(clone, write_params) -> Checkout:
    """A clone in which `dvc repro` ran on parameters of a second's work, from nothing."""
    checkout = clone()
    write_params(checkout.path / "params.yaml")
    checkout.git(*COMMIT, "-qam", "mine")
    checkout.run("dvc", "repro")
    return checkout


@pytest.fixture(scope="session")
def validated(clone, server, write_params) -> Checkout:
    """A clone in which `python -m flows validate --promote` ran on the parameters of `brief`, with a single worker."""
    checkout = clone(server)
    write_params(checkout.path / "params.yaml")
    checkout.git(*COMMIT, "-qam", "mine")
    checkout.flow("validate", "--promote", "--set", "execution.workers=1")
    return checkout


@pytest.fixture(scope="session")
def write_params() -> Callable[..., Path]:
    """A function that writes parameters of a second's work; changes of the form section={key: value} on top."""
    shipped = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    small = {
        "data": {"labeled_rows": 120, "shards": 2},
        "split": {"folds": 3},
        "progressive": {"block": 15},
        "covalidation": {"repeats": 2},
    }
    candidates = [{"name": "bayes", "estimator": _BAYES}, {"name": "neighbours", "estimator": _NEIGHBOURS}]

    def write(path: Path, **changes: object) -> Path:
        params = copy.deepcopy({**shipped, "candidates": candidates})
        for section, values in [*small.items(), *changes.items()]:
            params[section] = {**(params.get(section) or {}), **values} if isinstance(values, dict) else values
        path.write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")
        return path

    return write


@dataclass(frozen=True)
class Ran:
    """A checkout, the parameters of the validation that ran in it, and what it printed."""

    checkout: Checkout
    params: Path
    said: str

    @property
    def path(self) -> Path:
        return self.checkout.path


@pytest.fixture(scope="session")
def rich(clone, server, write_params, tmp_path_factory) -> Ran:
    """A validation of all that a user may ask for: families, nested selection, and the k-fold hypothesis delivered."""
    checkout = clone(server)
    params = write_params(tmp_path_factory.mktemp("rich") / "params.yaml", **RICH)
    return Ran(checkout, params, checkout.flow("validate", "--promote", "--params", params).stdout)


@pytest.fixture(scope="session")
def write_slow(write_params) -> Callable[..., Path]:
    """A function that writes parameters of 40 fits of cross-validation that sleep, and the learner next to them."""

    def write(folder: Path, seconds: float = 0.2) -> Path:
        learner = (LEARNERS / "slow.py").read_text()
        (folder / "slow.py").write_text(learner.replace("SECONDS = 0.2", f"SECONDS = {seconds}"))
        candidates = [
            {"name": f"slow-{place}", "estimator": "slow.Slow", "params": {"var_smoothing": 10.0**-place}}
            for place in (9, 3)
        ]
        changes = {"data": {"labeled_rows": 240}, "split": {"folds": 20}, "candidates": candidates}
        changes["execution"] = {"allowed_modules": ["sklearn", "slow"]}
        changes["intervals"] = {"E_cv": "Bayle within folds"}  # which asks for no further fits
        return write_params(folder / "params.yaml", **changes)

    return write
