"""make audit: what OSV knows of the versions in requirements.lock; nobody to ask is no failure."""

import json
import subprocess
import sys
import threading
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

    def log_message(self, *_):
        """Nothing is printed."""


def audit(address: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, AUDIT, address], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("known", "code"), [("prefect", 1), ("another", 0)])
def test_a_known_vulnerability_is_listed_and_ends_with_1(known, code, monkeypatch):
    monkeypatch.setattr(Knows, "known", known)
    with HTTPServer(("127.0.0.1", 0), Knows) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        ran = audit(f"http://127.0.0.1:{served.server_port}")
        served.shutdown()
    assert code == ran.returncode, ran.stderr
    assert ("https://osv.dev/X-1" in ran.stdout) == bool(code)
    lines = (AUDIT.parents[1] / "requirements.lock").read_text().splitlines()
    pins = sum(line[:1].isalnum() for line in lines)
    assert f"{pins} versions audited, {code} with" in ran.stdout


def test_where_nobody_can_be_asked_it_says_so():
    ran = audit("http://127.0.0.1:9")
    assert (0, True) == (ran.returncode, ran.stdout.startswith("not audited: http://127.0.0.1:9 "))
