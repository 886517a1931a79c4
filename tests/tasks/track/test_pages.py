"""MLflow's pages: what a reader gets, what needs the login, and that every other route of MLflow is shut."""

import asyncio
import base64
import contextlib
import json
import os
import re
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from tasks.runtime.server import login
from tasks.track import artifacts
from tasks.track.experiments import experiment_id
from tasks.track.page_routes import READS, WRITES
from tasks.track.store import connect

pytestmark = pytest.mark.fault("servers")

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PREFIX = re.compile(r"/(?:ajax-)?api/([23])\.0/mlflow")
SHUT = "these pages show runs"  # in the answer of a shut door
API = "/ajax-api/2.0/mlflow"
GATEWAY = f"{API}/gateway-proxy"


@dataclass(frozen=True)
class Answer:
    status: int
    text: str


@dataclass(frozen=True)
class Pages:
    """The application of `make ui`, the folder that it was started in, and what its store has."""

    application: ASGIApp
    folder: Path
    experiment: str
    run: str
    poisoned: str  # a run whose artifacts the store places elsewhere
    login: str
    loop: asyncio.Runner

    def ask(self, method: str, path: str, body: object = None, query: str = "", known: bool = False) -> Answer:
        """The answer to a page's own request."""
        sent, content = [], json.dumps(body or {}).encode()
        fields = {"host": "127.0.0.1:5000", "content-type": "application/json", "content-length": str(len(content))}
        if known:
            fields["authorization"] = f"Basic {base64.b64encode(self.login.encode()).decode()}"
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
            "server": ("127.0.0.1", 5000),
            "client": ("127.0.0.1", 40000),
        }
        waiting = [{"type": "http.request", "body": content, "more_body": False}]

        async def receive():
            return waiting.pop() if waiting else await asyncio.Event().wait()

        async def send(message):
            sent.append(message)

        with contextlib.chdir(self.folder):
            self.loop.run(self.application(scope, receive, send))
        text = b"".join(message.get("body", b"") for message in sent[1:])
        return Answer(sent[0]["status"], text.decode(errors="replace"))

    def everything(self) -> tuple[dict[str, bytes], list[str]]:
        """All files but the database, and all that is in the database."""
        with contextlib.closing(sqlite3.connect(self.folder / "mlflow.db")) as database:
            content = [*database.iterdump()]
        files = (path for path in self.folder.rglob("*") if path.is_file() and "mlflow.db" not in path.name)
        return {str(path): path.read_bytes() for path in files}, content


@pytest.fixture(scope="module")
def pages(tmp_path_factory, empty_store, settings_with):
    folder, elsewhere = tmp_path_factory.mktemp("pages"), tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "private.txt").write_text("planted")
    shutil.copy(empty_store, folder / "mlflow.db")
    before = dict(os.environ)
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setattr(artifacts, "_reading", [])
        patch.setenv("MLFLOW_DEPLOYMENTS_TARGET", "http://127.0.0.1:1")
        settings = settings_with(f"tracking.uri=sqlite:///{folder}/mlflow.db")
        client = connect(settings)
        experiment = experiment_id(client, settings)
        run = client.create_run(experiment).info.run_id
        client.log_text(run, "shown", "a.txt")
        poisoned = client.create_experiment("poisoned", artifact_location=str(elsewhere))
        from tasks.track.pages import application

        made = application(settings)
        with asyncio.Runner() as loop:  # a new one for each of thousands of requests takes a second
            yield Pages(made, folder, experiment, run, client.create_run(poisoned).info.run_id, login(), loop)
    for name in os.environ.keys() - before:
        del os.environ[name]
    os.environ.update(before)


def routes_of_mlflow() -> set[tuple[str, str]]:
    """Each method and path that MLflow's server knows, Flask's and those of FastAPI's routers."""
    import mlflow.server
    from fastapi import APIRouter
    from mlflow.server import fastapi_app

    found = {(method, rule.rule) for rule in mlflow.server.app.url_map.iter_rules() for method in rule.methods}
    routers = [part for part in vars(fastapi_app).values() if isinstance(part, APIRouter)]
    native = [route for router in routers for route in router.routes]
    found |= {(method, route.path) for route in native for method in getattr(route, "methods", None) or ()}
    assert len(native) > 20
    assert len(found) > 600
    return found


def listed(routes: dict[str, list[str]]) -> set[tuple[str, str]]:
    return {(method, path) for method, paths in routes.items() for path in paths}


def plain(path: str) -> str:
    """A path of a list or of MLflow, without its prefix, and with the same word for each part that is a name."""
    return PREFIX.sub(r"\1", re.sub(r"<path:\w+>", "<path>", re.sub(r"<(?!path)\w+>", "<name>", path)))


def filled(path: str) -> str:
    return re.sub(r"[<{][^>}]*[>}]", "x", path)


def fits(method: str, path: str, routes: dict[str, list[str]]) -> bool:
    patterns = (re.sub("<path>", ".+", re.sub("<name>", "[^/]+", known)) for known in routes.get(method, ()))
    return any(re.fullmatch(pattern, path) for pattern in patterns)


def test_every_route_of_mlflow_is_a_read_or_a_write_on_the_lists_or_shut(pages):
    """Also with the login, and for every method: what a new version of MLflow adds is shut until somebody lists it."""
    before = pages.everything()
    shut = 0
    for path in sorted({filled(path) for _, path in routes_of_mlflow()}):
        for method in METHODS:
            answer = pages.ask(method, path, known=True)
            expected = any(fits(method, path, routes) for routes in (READS, WRITES))
            assert expected == (SHUT not in answer.text), (method, path)
            shut += not expected
    assert shut > 2000
    assert before == pages.everything()


def test_no_route_that_changes_something_by_its_name_is_read_without_the_login():
    import mlflow.server

    changes = re.compile(
        "create|delete|update|upload|log_|set_|restore|finalize|register_|upsert|add_|remove|transition|rename|start|end_"
        "|link|invoke|cancel|proxy|presigned|webhook|demo|job|mpu|multipart|optimi|secret|gateway|workspace|telemetry"
    )
    rules = mlflow.server.app.url_map.iter_rules()
    named = {(method, filled(rule.rule)): rule.endpoint for rule in rules for method in rule.methods or ()}
    read = [key for key, name in named.items() if fits(*key, READS) and changes.search(name)]
    assert [("GET", GATEWAY)] == read  # of none, as another test shows
    allowed = re.compile("_(set|delete)_.*tags?|_update_(run|model_version|registered_model)")
    assert [] == [
        name for (method, path), name in named.items() if fits(method, path, WRITES) and not allowed.fullmatch(name)
    ]


def test_every_entry_of_the_lists_is_a_route_of_mlflow():
    known = {(method, plain(path)) for method, path in routes_of_mlflow()}
    assert {(method, plain(path)) for method, path in listed(READS) | listed(WRITES)} <= known


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "planted", "artifact_location": "heldout", "experiment_ids": ["0", "1"], "experiment_id": "1"},
        {"filter": "name = 'x'", "max_results": 5, "run_id": "x", "key": "a", "value": "b", "locations": []},
    ],
)
def test_nothing_on_the_list_of_reads_changes_anything(pages, body):
    before = pages.everything()
    query = f"run_id={pages.run}&run_uuid={pages.run}&experiment_id={pages.experiment}&path=a.txt&metric_key=E_cv"
    for method, path in sorted(listed(READS)):
        assert 404 != (answer := pages.ask(method, filled(path), body, query)).status or SHUT not in answer.text
        assert 401 != answer.status
    assert before == pages.everything()


def test_what_the_pages_show_is_there_without_a_login(pages):
    searched = json.loads(pages.ask("POST", f"{API}/runs/search", {"experiment_ids": [pages.experiment]}).text)
    assert [pages.run] == [run["info"]["run_id"] for run in searched["runs"]]
    for path, query in (
        ("/api/2.0/mlflow/runs/get", f"run_id={pages.run}"),
        (f"{API}/artifacts/list", f"run_id={pages.run}"),
        (f"{API}/experiments/search", "max_results=5"),
    ):
        assert 200 == pages.ask("GET", path, query=query).status, path
    assert Answer(200, "shown") == pages.ask("GET", "/get-artifact", query=f"run_uuid={pages.run}&path=a.txt")
    asked = {"query": f'query {{ mlflowGetRun(input: {{runId: "{pages.run}"}}) {{ run {{ info {{ runId }} }} }} }}'}
    assert pages.run in pages.ask("POST", "/graphql", asked).text


def test_no_gateway_is_asked_whatever_the_environment_named(pages):
    answer = pages.ask("GET", GATEWAY, query="gateway_path=api/2.0/endpoints/")
    assert (200, {"endpoints": []}) == (answer.status, json.loads(answer.text))
    assert 404 == pages.ask("POST", GATEWAY, {"gateway_path": "a"}, known=True).status


def test_the_first_page_leaves_out_the_assistant_before_the_scripts_of_mlflow(pages):
    text = pages.ask("GET", "/").text
    assert text.index("[data-assistant-ui]") < text.index('src="static-files')


def test_names_notes_and_tags_are_changed_with_the_login_alone(pages):
    kinds = {
        "runs/set-tag": {"run_id": pages.run, "key": "mlflow.note.content", "value": "a note"},
        "runs/update": {"run_id": pages.run, "run_name": "another name"},
        "experiments/set-experiment-tag": {"experiment_id": pages.experiment, "key": "a", "value": "a view"},
    }
    before = pages.everything()
    for path, body in kinds.items():
        assert 401 == pages.ask("POST", f"{API}/{path}", body).status
    assert before == pages.everything()
    for path, body in kinds.items():
        assert 200 == pages.ask("POST", f"{API}/{path}", body, known=True).status
    files, content = pages.everything()
    assert files == before[0]
    assert all(any(word in line for line in content) for word in ("a note", "another name", "a view"))


@pytest.mark.parametrize("path", ["private.txt", "", "../elsewhere0/private.txt", "/etc/passwd"])
def test_a_store_that_names_another_folder_has_nothing_of_it_shown(pages, path):
    for asked in ("/get-artifact", f"{API}/artifacts/list"):
        answer = pages.ask("GET", asked, query=f"run_uuid={pages.poisoned}&run_id={pages.poisoned}&path={path}")
        assert answer.status >= 400
        assert "planted" not in answer.text
        assert "private.txt" not in answer.text


def test_graphql_has_no_mutations(pages):
    assert "mutation" in pages.ask("POST", "/graphql", {"query": "mutation { testMutation { output } }"}).text
    answer = json.loads(pages.ask("POST", "/graphql", {"query": "mutation { __typename }"}).text)
    assert None is answer["data"]
    assert answer["errors"]


def test_an_answer_of_a_shut_door_says_what_is_open(pages):
    answer = pages.ask("POST", f"{API}/runs/delete", {"run_id": pages.run}, known=True)
    assert 404 == answer.status
    assert "these pages show runs; all that they change is names, notes and tags" == json.loads(answer.text)["message"]
