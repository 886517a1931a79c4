"""The login of MLflow's pages in a real browser: what a person is asked, sees and changes, and what other pages get."""

import contextlib
import json
import socket
from dataclasses import dataclass

import pytest
from mlflow import MlflowClient
from mlflow.entities import RunTag
from playwright.sync_api import Browser, BrowserContext, Page

from tests.end_to_end.browser import CHROMIUM, answer_prompts, launched, served
from tests.end_to_end.mlflow_pages import pages_of_mlflow

pytestmark = [
    pytest.mark.long,
    pytest.mark.fault("servers"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH"),
]
PATIENCE, STEP = 60_000, 500  # milliseconds
EXPERIMENT, NAME, NOTE, DESCRIPTION, ARTIFACT = (
    "heldout",
    "a night",
    "the first note",
    "the first version",
    "kept words",
)
ASKED = "log in; name and password are in .cache/login of the checkout"
REFUSED = "refused: sent by another page"
API = "/ajax-api/2.0/mlflow"
ELSEWHERE = ("127.0.0.1", "evil.example")  # at another port: of the same site, and of another


@dataclass(frozen=True)
class Site:
    """A store, and its pages as `make ui` has them (`open`), and with --login (`shut`)."""

    open: str
    shut: str
    login: str
    client: MlflowClient
    experiment: str
    run: str

    def page(self, address: str) -> str:
        return f"{address}/#/experiments/{self.experiment}/runs/{self.run}"

    def state(self) -> list[str]:
        """All that the pages can change."""
        kept = [*self.client.search_experiments(), *self.client.search_runs([self.experiment])]
        return [str(one) for one in [*kept, *self.client.search_model_versions()]]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def site(clone):
    checkout = clone()
    store = checkout.path / "mlruns"
    store.mkdir()
    client = MlflowClient(f"sqlite:///{store}/mlflow.db")
    experiment = client.create_experiment(EXPERIMENT, artifact_location=f"{store}/artifacts")
    run = client.create_run(experiment, run_name=NAME).info.run_id
    client.log_batch(run, tags=[RunTag("mlflow.note.content", NOTE)])
    client.log_metric(run, "E_cv", 0.1)
    client.log_text(run, ARTIFACT, "report.txt")
    client.set_terminated(run)
    client.create_registered_model("digits")
    client.create_model_version("digits", f"{store}/artifacts", run, description=DESCRIPTION)
    ports = free_port(), free_port()
    with pages_of_mlflow(checkout, port=ports[0]), pages_of_mlflow(checkout, "--login", port=ports[1]):
        login = (checkout.path / ".cache/login").read_text().strip()
        yield Site(*(f"http://127.0.0.1:{port}" for port in ports), login, client, experiment, run)


@pytest.fixture(scope="module")
def browser():
    with launched("--host-resolver-rules=MAP evil.example 127.0.0.1") as found:
        yield found


@pytest.fixture
def person(browser: Browser):
    """A person's windows: their browser knows no login yet."""
    with contextlib.closing(browser.new_context(viewport={"width": 1600, "height": 1000})) as context:
        context.set_default_timeout(PATIENCE)
        yield context


def change_note(page: Page, site: Site, words: str) -> None:
    page.goto(site.page(site.open))
    page.get_by_label("Edit description").click()
    page.locator("textarea").first.fill(words)
    page.get_by_role("button", name="Save").click()


def rename(page: Page, site: Site, words: str) -> None:
    page.goto(site.page(site.open))
    page.get_by_label("Open header dropdown menu").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("dialog").locator("input").fill(words)
    page.get_by_role("dialog").get_by_role("button", name="Save").click()


def add_tag(page: Page, site: Site, words: str) -> None:
    page.goto(site.page(site.open))
    page.get_by_role("button", name="Add tags").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input").first.click()
    page.keyboard.type("looked")
    page.keyboard.press("Enter")
    dialog.locator("input").nth(1).fill(words)
    dialog.get_by_role("button", name="Add tag").click()
    dialog.get_by_role("button", name="Save tags").click()


CHANGES = {"note": (change_note, "set-tag"), "name": (rename, "update"), "tag": (add_tag, "set-tag")}


def test_who_reads_is_asked_for_nothing(site, person: BrowserContext):
    page = person.new_page()
    asked = answer_prompts(page)
    page.goto(f"{site.open}/#/experiments/{site.experiment}/runs")
    page.get_by_text(NAME).first.wait_for()
    page.get_by_text(NAME).first.click()
    page.get_by_text(NOTE).first.wait_for()
    page.get_by_role("tab", name="Artifacts").click()
    page.get_by_text("report.txt").first.click()
    page.get_by_text(ARTIFACT).first.wait_for()
    assert [] == asked


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("logins", [(), ("heldout:guessed", "guessed:guessed")], ids=["none", "wrong"])
def test_who_has_no_login_is_asked_changes_nothing_and_is_told_so(site, person, change, logins):
    page, before = person.new_page(), site.state()
    asked = answer_prompts(page, *logins)
    make, route = CHANGES[change]
    make(page, site, "planted")
    page.get_by_text(ASKED).first.wait_for()
    assert asked == [f"{API}/runs/{route}"] * (1 + len(logins))
    assert before == site.state()


def test_who_has_the_login_gives_it_once_and_changes_stay(site, person):
    page = person.new_page()
    asked = answer_prompts(page, "heldout:mistyped", site.login)
    change_note(page, site, "changed in the browser")
    for _ in range(PATIENCE // STEP):  # a wait of the page's, in which prompts are answered
        page.wait_for_timeout(STEP)
        if "changed in the browser" == site.client.get_run(site.run).data.tags["mlflow.note.content"]:
            break
    page.reload()
    page.get_by_text("changed in the browser").first.wait_for()
    rename(page, site, "a night, renamed")
    page.get_by_role("heading", name="a night, renamed").wait_for()
    add_tag(page, site, "by its owner")
    page.get_by_text("by its owner").first.wait_for()
    assert "a night, renamed" == site.client.get_run(site.run).info.run_name
    assert [f"{API}/runs/set-tag"] * 2 == asked


READING = """async ({address, paths, query}) => {
    const read = [];
    const ask = async (path, how) => {
        try { read.push(await (await fetch(address + path, {credentials: "include", ...how})).text()); }
        catch (error) { read.push("failed"); }
    };
    for (const mode of ["cors", "no-cors"]) {
        for (const path of paths) await ask(path, {mode});
        const headers = {"Content-Type": mode == "cors" ? "application/json" : "text/plain"};
        await ask("/graphql", {mode, method: "POST", headers, body: query});
    }
    return read;
}"""


def read_by(page: Page, site: Site, address: str) -> list[str]:
    """What a script of the page that is shown reads of the run at `address`, of each kind of route."""
    paths = ["/", f"{API}/runs/get?run_id={site.run}", f"/get-artifact?run_uuid={site.run}&path=report.txt"]
    asked = f'query {{ mlflowGetRun(input: {{runId: "{site.run}"}}) {{ run {{ info {{ runName }} }} }} }}'
    return page.evaluate(READING, {"address": address, "paths": paths, "query": json.dumps({"query": asked})})


def assert_none_of_it(read: list[str], site: Site) -> None:
    kept = site.client.get_run(site.run)
    for words in (kept.info.run_name, kept.data.tags["mlflow.note.content"], ARTIFACT, '<div id="root"'):
        assert [] == [text for text in read if words in text], words


def test_with_login_the_first_page_asks_and_shows_nothing_without_the_login(site, person):
    page = person.new_page()
    asked = answer_prompts(page, "heldout:guessed")
    page.goto(site.page(site.shut))
    assert ["/", "/"] == asked
    assert ASKED in page.inner_text("body")
    read = read_by(page, site, site.shut)
    assert 8 == len(read) == sum(ASKED in text for text in read)
    assert_none_of_it(read, site)


def test_with_login_and_who_has_it_all_pages_work(site, person):
    page = person.new_page()
    asked, refused = answer_prompts(page, site.login), []
    page.on("response", lambda answer: answer.status in (401, 403, 415) and refused.append(answer.url))
    page.goto(f"{site.shut}/#/experiments/{site.experiment}/runs")
    page.get_by_role("link", name=site.client.get_run(site.run).info.run_name).first.click()
    page.get_by_text("E_cv").first.wait_for()  # static files and graphql
    page.get_by_role("tab", name="Artifacts").click()
    page.get_by_text("report.txt").first.click()
    page.get_by_text(ARTIFACT).first.wait_for()
    page.goto(f"{site.shut}/#/models/digits/versions/1")
    page.get_by_text(DESCRIPTION).first.wait_for()
    assert ["/"] == asked
    assert {f"{site.shut}/"} >= {*refused}  # the answer that made the browser ask


WRITING = """async ({address, run}) => {
    const read = [], path = "/ajax-api/2.0/mlflow/runs/set-tag";
    const said = JSON.stringify({run_id: run, key: "mlflow.note.content", value: "planted"});
    const form = new FormData();
    form.append("run_id", run), form.append("key", "mlflow.note.content"), form.append("value", "planted");
    const bodies = [said, form, new URLSearchParams(form), new Blob([said], {type: "application/json"})];
    for (const body of bodies)
        for (const mode of ["cors", "no-cors"])
            for (const headers of [{}, {"Content-Type": "application/json"}, {"Content-Type": "text/plain"}])
                for (const method of ["POST", "PATCH", "GET"])
                    try {
                        const asked = {method, mode, headers, credentials: "include"};
                        if (method != "GET") asked.body = body;
                        const answer = await fetch(address + path, asked);
                        read.push(await answer.text());
                    } catch (error) { read.push("failed"); }
    navigator.sendBeacon(address + path, said);
    return read;
}"""
FORM = """({address, run, kind, target}) => {
    const form = document.createElement("form");
    Object.assign(form, {method: "POST", enctype: kind, target, action: address + "/ajax-api/2.0/mlflow/runs/set-tag"});
    const field = document.createElement("textarea");  // as text/plain it is JSON, of which "=" is a part
    const said = JSON.stringify({run_id: run, key: "mlflow.note.content", value: "planted"});
    [field.name, field.value] = [said.slice(0, -2), said.slice(-2)];
    form.append(field);
    document.body.append(form);
    form.submit();
}"""


@pytest.mark.parametrize("name", ELSEWHERE)
@pytest.mark.parametrize("pages", ["open", "shut"])
def test_another_page_neither_reads_nor_writes_with_the_login_that_the_browser_knows(
    site, person, tmp_path, pages, name
):
    address = getattr(site, pages)
    own = person.new_page()
    asked = answer_prompts(own, site.login)
    own.goto(site.page(address))
    own.get_by_text("E_cv").first.wait_for()
    tag = {"run_id": site.run, "key": "given", "value": f"{pages} {name}"}
    send = """async ({path, tag}) => (await fetch(path, {
        method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(tag)})).status"""
    assert 200 == own.evaluate(send, {"path": f"{API}/runs/set-tag", "tag": tag})
    before = site.state()
    (tmp_path / "page.html").write_text("<title>elsewhere</title><body></body>", encoding="utf-8")
    with served(str(tmp_path)) as port:
        other = person.new_page()
        prompts = answer_prompts(other)
        foreign = f"http://{name}:{port}/page.html"
        other.goto(foreign)
        read = read_by(other, site, address) + other.evaluate(WRITING, {"address": address, "run": site.run})
        assert_none_of_it(read, site)
        assert before == site.state()
        for kind in ("text/plain", "multipart/form-data", "application/x-www-form-urlencoded"):
            other.goto(foreign)
            other.evaluate("document.body.innerHTML = '<iframe name=inner></iframe>'")
            for target in ("inner", "_self"):
                other.evaluate(FORM, {"address": address, "run": site.run, "kind": kind, "target": target})
                place = other if target == "_self" else other.frame_locator("iframe")
                place.get_by_text(REFUSED).wait_for()
        other.goto(foreign)
        other.evaluate("where => document.body.innerHTML = `<iframe src='${where}/'></iframe>`", address)
        other.frame_locator("iframe").get_by_text(REFUSED).wait_for()  # nor is a click led into it
        if name != "127.0.0.1":
            other.goto(f"http://{name}:{address.rpartition(':')[2]}/")  # a name that leads to this machine
            assert REFUSED in other.inner_text("body")
    assert [] == prompts
    assert before == site.state()
    tag["value"] = "at the end"  # the browser has known the login all the time
    assert 200 == own.evaluate(send, {"path": f"{API}/runs/set-tag", "tag": tag})
    assert 1 == len(asked)
