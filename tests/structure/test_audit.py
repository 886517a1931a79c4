"""make audit: what OSV knows of the versions in requirements.lock; nobody to ask is no failure."""

import json
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

AUDIT = Path(__file__).parents[2] / ".ci/audit"


class Knows(BaseHTTPRequestHandler):
    """An OSV that knows something of one package, `known`."""

    known = ""

    def do_POST(self):
        queries = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
        assert all(query["version"] and query["package"]["ecosystem"] == "PyPI" for query in queries)
        found = [{"vulns": [{"id": "X-1"}]} if query["package"]["name"] == self.known else {} for query in queries]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"results": found}).encode())

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"id": self.path.rpartition("/")[2], "aliases": ["CVE-1"]}).encode())

    def log_message(self, *_):
        """Nothing is printed."""


def audit(address: str, *accepted: object) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, AUDIT, address, *accepted], capture_output=True, text=True, check=False)


def entry(one: str, days: int, package: str = "prefect") -> dict[str, str]:
    """A finding that is accepted for so many days."""
    until = (datetime.now(tz=UTC) + timedelta(days=days)).date().isoformat()
    return {"id": one, "package": package, "reason": "it is not used", "until": until}


@pytest.mark.parametrize(
    ("known", "accepted", "code", "said"),
    [
        ("prefect", [], 1, "https://osv.dev/X-1\n"),
        ("another", [], 0, ", 0 known vulnerabilities, 0 not accepted"),
        ("prefect", [entry("X-1", 1)], 0, "it is not used"),
        ("prefect", [entry("CVE-1", 0)], 0, "https://osv.dev/X-1 accepted until"),  # by its other name
        ("prefect", [entry("X-1", -1)], 1, "prefect: X-1 was accepted until"),
        ("another", [entry("X-1", -1)], 1, "look again, then renew or remove it"),
        ("prefect", [entry("X-2", 1)], 1, "1 known vulnerabilities, 1 not accepted"),
        ("prefect", [entry("X-1", 1, package="dvc")], 1, "1 known vulnerabilities, 1 not accepted"),
    ],
)
def test_what_is_known_and_not_accepted_ends_with_1(known, accepted, code, said, monkeypatch, tmp_path):
    monkeypatch.setattr(Knows, "known", known)
    (tmp_path / "accepted.json").write_text(json.dumps(accepted))
    with HTTPServer(("127.0.0.1", 0), Knows) as served:
        threading.Thread(target=served.serve_forever, args=(0.01,), daemon=True).start()
        ran = audit(f"http://127.0.0.1:{served.server_port}", tmp_path / "accepted.json")
        served.shutdown()
    assert code == ran.returncode, ran.stderr
    assert said in ran.stdout
    lines = (AUDIT.parents[1] / "requirements.lock").read_text().splitlines()
    pins = sum(line[:1].isalnum() for line in lines)
    assert f"{pins} versions audited, " in ran.stdout


def test_what_is_accepted_is_a_pinned_package_that_security_md_names():
    security = (AUDIT.parents[1] / "SECURITY.md").read_text(encoding="utf-8")
    lock = (AUDIT.parents[1] / "requirements.lock").read_text(encoding="utf-8")
    for one in json.loads(AUDIT.with_name("accepted.json").read_text(encoding="utf-8")):
        assert one["id"] in security
        assert f"\n{one['package']}==" in lock
        assert one["reason"]


def test_where_nobody_can_be_asked_it_says_so():
    ran = audit("http://127.0.0.1:9")
    assert (0, True) == (ran.returncode, ran.stdout.startswith("not audited: http://127.0.0.1:9 "))
