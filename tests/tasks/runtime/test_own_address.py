"""Which requests reach a server of this machine."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from tasks.runtime.own_address import OwnAddressOnly, is_own

pytestmark = pytest.mark.fault("servers")

OWN = ["127.0.0.1", "localhost", "127.0.0.1:4200", "localhost:5000"]
LETTERS = st.text("127.0localhostevi:/[]@#\\%4 ", max_size=20)


@pytest.mark.parametrize("host", OWN)
@pytest.mark.parametrize(
    "sent", [{}, {"sec-fetch-site": "none"}, {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}]
)
def test_programs_own_pages_and_links_pass(host, sent):
    assert is_own(Headers({"host": host, **sent}))
    assert is_own(Headers({"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}))


@given(host=LETTERS | st.sampled_from(OWN), origin=LETTERS | st.sampled_from([f"http://{host}" for host in OWN]))
def test_a_page_passes_only_at_an_address_of_this_machine_and_as_its_own(host, origin):
    passes = is_own(Headers({"host": host, "origin": origin}))
    name, _, port = host.partition(":")
    assert passes <= (name in ("127.0.0.1", "localhost") and (port.isdecimal() or host == name))
    assert passes <= (origin == f"http://{host}")


@given(
    site=st.sampled_from(["cross-site", "same-site", "new-value"]), kind=LETTERS | st.sampled_from(["iframe", "image"])
)
def test_what_another_page_shows_or_runs_does_not_pass(site, kind):
    assert not is_own(Headers({"host": OWN[2], "sec-fetch-site": site, "sec-fetch-dest": kind}))


@pytest.mark.parametrize("sent", [{"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}])
def test_a_link_may_come_from_elsewhere_and_a_form_may_not(sent):
    assert is_own(Headers({"host": OWN[2], **sent}), method="GET")
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert not is_own(Headers({"host": OWN[2], **sent}), method=method)


def test_a_second_origin_and_a_missing_host_do_not_pass():
    two = [(b"host", b"localhost"), (b"origin", b"http://localhost"), (b"origin", b"http://evil.example")]
    assert not is_own(Headers(raw=two))
    assert not is_own(Headers({}))


@pytest.mark.parametrize(
    ("kind", "host", "arrives"),
    [
        ("http", b"localhost", True),
        ("http", b"evil.example", False),
        ("websocket", b"localhost", True),
        ("websocket", b"evil.example", False),
        ("lifespan", None, True),
    ],
)
def test_the_application_sees_only_what_is_its_own(kind, host, arrives):
    seen, sent = [], []

    async def application(scope, receive, send):
        seen.append(scope["type"])

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "headers": [(b"host", host)] if host else []}
    asyncio.run(OwnAddressOnly(application)(scope, None, send))
    assert ([kind], []) == (seen, sent) if arrives else ([], 403) == (seen, sent[0]["status"])
