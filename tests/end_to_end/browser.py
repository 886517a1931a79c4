"""A real browser, where the machine has one."""

import contextlib
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

COLOURS = 192  # of a picture that is kept: of 256 shades a dot is off by at most 6
CHROMIUM = shutil.which("chromium")
QUIET = ("--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update")


@contextlib.contextmanager
def launched(*arguments: str) -> Iterator[Browser]:
    """A browser; each of its contexts is a person of its own, who has given no login yet."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *QUIET, *arguments])
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(
    address: str = "about:blank",
    *,
    width: int = 1280,
    height: int = 900,
    color_scheme: Literal["light", "dark"] = "light",
) -> Iterator[Page]:
    """A page in a window, for clicks, pictures and questions about its layout."""
    with launched() as browser:
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=color_scheme)
        page.goto(address)
        yield page


def answer_prompts(page: Page, *logins: str) -> list[str]:
    """The paths for which the browser asks this person for a login, as far as it has come.

    Each of `logins` (name:password) is what the person types into the next prompt; every further prompt is cancelled.
    """
    asked: list[str] = []
    typed = iter(logins)
    browser = page.context.new_cdp_session(page)

    def answer(event: dict[str, Any]) -> None:
        asked.append(urlsplit(event["request"]["url"]).path)
        name, _, password = next(typed, "").partition(":")
        given = {"response": "ProvideCredentials", "username": name, "password": password}
        response = given if name else {"response": "CancelAuth"}
        browser.send("Fetch.continueWithAuth", {"requestId": event["requestId"], "authChallengeResponse": response})

    browser.on("Fetch.authRequired", answer)
    browser.on("Fetch.requestPaused", lambda it: browser.send("Fetch.continueRequest", {"requestId": it["requestId"]}))
    browser.send("Fetch.enable", {"handleAuthRequests": True})
    return asked


def keep(page: Page, name: str, of: str | None = None) -> None:
    """Store a picture of what the window shows, or of an element, if HELDOUT_PICTURES names a folder (`make pictures`).

    It has few colours, so that it is a small file.
    """
    if folder := os.environ.get("HELDOUT_PICTURES"):
        for panel in page.get_by_role("button", name="Close", exact=True).all():  # that MLflow opens at the first visit
            panel.click()
        page.wait_for_timeout(1500)  # milliseconds, for what moves into its place
        shown = page.screenshot() if of is None else page.locator(of).first.screenshot()
        few = Image.open(BytesIO(shown)).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=2)
        few.save(Path(folder) / f"{name}.png", optimize=True)


def page(address: str, profile: object) -> str:
    """The page's elements after its scripts ran for twenty seconds of its own time."""
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-sync", "--virtual-time-budget=20000")
    command = [str(CHROMIUM), *options, *QUIET, f"--user-data-dir={profile}", "--dump-dom", address]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def tried_from_elsewhere(address: str, calls: list[tuple[str, str]]) -> list[str]:
    """What a page at another port of this machine gets from `address`, for each method and path."""
    script = f"""
    const found = [], address = {json.dumps(address)};
    const note = what => {{ found.push(what); document.title = JSON.stringify(found); }};
    const ask = async (method, path, mode) => {{
        const asked = {{method, mode, body: method == "GET" ? undefined : "{{}}"}};
        try {{ const answer = await fetch(address + path, asked); note(mode + " " + (await answer.text())); }}
        catch (error) {{ note(mode + " failed"); }}
    }};
    onload = async () => {{
        for (const [method, path] of {json.dumps(calls)})
            for (const mode of ["cors", "no-cors"]) await ask(method, path, mode);
    }};"""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.html").write_text(f"<title></title><script>{script}</script>", encoding="utf-8")
        with served(folder) as port:
            seen = page(f"http://127.0.0.1:{port}/page.html", f"{folder}/profile")
    return list(json.loads(unescape(seen.partition("<title>")[2].partition("</title>")[0])))


@contextlib.contextmanager
def served(folder: str) -> Iterator[int]:
    """The port of this machine at which the pages of a folder are."""
    handler = lambda *given: _Silent(*given, directory=folder)  # noqa: E731
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""
