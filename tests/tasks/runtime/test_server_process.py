"""How our server answers Prefect's client."""

import asyncio
import time

import httpx
import pytest
from prefect.client.base import PrefectHttpxAsyncClient
from starlette.responses import PlainTextResponse

from tasks.runtime.server_process import asked_again_soon

pytestmark = pytest.mark.fault("servers")


def test_prefects_client_asks_again_soon_where_the_database_was_busy():
    answers = iter([503, 200])

    async def application(scope, receive, send):
        await PlainTextResponse("", next(answers))(scope, receive, send)

    async def ask() -> int:
        transport = httpx.ASGITransport(asked_again_soon(application))
        async with PrefectHttpxAsyncClient(
            transport=transport, base_url="http://localhost", enable_csrf_support=False
        ) as client:
            return (await client.get("/")).status_code

    started = time.monotonic()
    assert 200 == asyncio.run(ask())
    assert 1 > time.monotonic() - started  # by itself it waits for two seconds
