"""What a web page at another address makes the user's browser send to a server on this machine."""

import base64
import http.client
import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

_TRIES = 20
COMMAND = "prefect.deployments.steps.run_shell_script"


@dataclass(frozen=True)
class Answer:
    """What came back: status, headers in small letters, and the text."""

    status: int
    headers: Mapping[str, str]
    text: str


def ask(
    address: str, method: str, path: str, body: object = None, headers: Mapping[str, str | None] | None = None
) -> Answer:
    """The answer to a request; `headers` may replace each header that a browser sets, and None leaves it out.

    A server that is busy (503: its SQLite file is locked) is asked again, as Prefect's own clients do.
    """
    for _ in range(_TRIES):
        answer = _send(address, method, path, body, headers or {})
        if answer.status != http.client.SERVICE_UNAVAILABLE:
            break
        time.sleep(1)
    return answer


def _send(address: str, method: str, path: str, body: object, headers: Mapping[str, str | None]) -> Answer:
    place = urlsplit(address)
    sent = {"Host": place.netloc, "Content-Type": "application/json", **headers}
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
    try:
        connection.putrequest(method, path, skip_host=True)
        content = b"" if body is None else json.dumps(body).encode()
        for name, value in {**sent, "Content-Length": str(len(content))}.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(content)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, found, answer.read().decode(errors="replace"))
    finally:
        connection.close()


def senders(address: str) -> dict[str, dict[str, str | None]]:
    """The headers of requests that are not the server's own, by what sends them."""
    port = urlsplit(address).port
    rebound = {
        f"a name that leads here, {name}": {"Host": name, "Origin": f"http://{name}"}
        for name in (
            f"evil.example:{port}",
            f"10.evil.example:{port}",
            f"localhost.evil.example:{port}",
            "evil.example",
        )
    }
    return {
        "another site": {"Origin": "https://evil.example"},
        "another site, without preflight": {"Origin": "https://evil.example", "Content-Type": "text/plain"},
        "another port": {"Origin": "http://127.0.0.1:8888"},
        "another name of this machine": {"Origin": f"http://localhost:{port}"},
        "a sandboxed frame": {"Origin": "null"},
        "a picture, a script or a frame": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"},
        "a page at another port": {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "iframe"},
        "no host": {"Host": ""},
        **rebound,
    }


def assert_shut(address: str, requests: list[tuple[str, str, object]], own_words: str) -> None:
    """Every sender is refused every request, also its preflight, and gets none of the server's own words."""
    for sender, headers in senders(address).items():
        for method, path, body in [*requests, *(("OPTIONS", path, None) for _, path, _ in requests)]:
            asked = {"Access-Control-Request-Method": method} if method == "OPTIONS" else {}
            answer = ask(address, method, path, body, {**headers, **asked})
            assert answer.status in (400, 403), f"{sender}: {method} {path} -> {answer}"
            assert "access-control-allow-origin" not in answer.headers, f"{sender}: {method} {path} -> {answer}"
            assert own_words not in answer.text, f"{sender}: {method} {path} -> {answer}"


def with_secret(address: str, secret: str) -> dict[str, str]:
    """The headers of a program that knows the secret of a Prefect server."""
    client = str(uuid.uuid4())
    headers = {"Authorization": f"Basic {base64.b64encode(secret.encode()).decode()}", "Prefect-Csrf-Client": client}
    answer = ask(address, "GET", f"/api/csrf-token?client={client}", headers=headers)
    return {**headers, "Prefect-Csrf-Token": json.loads(answer.text)["token"]}


def command_run(address: str, headers: Mapping[str, str | None], command: str) -> list[Answer]:
    """Ask a Prefect server for a run of a deployment that runs `command`; the answers, up to the first refusal."""
    answers: list[Answer] = []

    def post(path: str, body: object) -> str:
        answers.append(ask(address, "POST", f"/api/{path}", body, headers))
        return str(json.loads(answers[-1].text)["id"]) if answers[-1].status < 300 else ""

    ask(address, "POST", "/api/work_pools/", {"name": "heldout", "type": "process"}, headers)  # it may be there
    flow = post("flows/", {"name": "planted"})
    deployment = flow and post(
        "deployments/",
        {
            "name": "planted",
            "flow_id": flow,
            "work_pool_name": "heldout",
            "entrypoint": "planted.py:planted",
            "pull_steps": [{COMMAND: {"script": command}}],
            "job_variables": {"command": command},
        },
    )
    if deployment:
        post(f"deployments/{deployment}/create_flow_run", {"state": {"type": "SCHEDULED"}})
    return answers
