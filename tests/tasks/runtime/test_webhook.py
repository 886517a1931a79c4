"""A POST to a receiver: taken, refused, or given up after a time; the address is in no message."""

import socket
import time

import pytest

from tasks.runtime import webhook
from tests.receiver import TOKEN, receiving

PATIENCE = 0.5


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(webhook, "_PATIENCE_SECONDS", PATIENCE)
    monkeypatch.setenv("no_proxy", "*")


def test_the_message_arrives_as_json_once():
    with receiving() as receiver:
        assert webhook.post(receiver.address, {"event": "é", "numbers": {"E_cv": 0.1}}) is None
    assert [{"event": "é", "numbers": {"E_cv": 0.1}}] == receiver.messages


@pytest.mark.parametrize("status", ["301", "302", "307", "308", "404", "500"])
def test_an_error_or_a_redirection_is_a_refusal_and_nobody_else_is_asked(status):
    with receiving(status) as receiver:
        refused = webhook.post(receiver.address, {})
    assert status in refused
    assert TOKEN not in refused
    assert 1 == len(receiver.paths)


@pytest.mark.parametrize("answer", ["hangs", "drips"])
def test_a_receiver_that_does_not_answer_in_time_is_left(answer):
    with receiving(answer) as receiver:
        started = time.monotonic()
        refused = webhook.post(receiver.address, {})
        assert time.monotonic() - started < PATIENCE + 2
    assert f"{PATIENCE:g} s" in refused or "Timeout" in refused


def test_what_cannot_be_reached_is_a_refusal_without_the_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed = probe.getsockname()[1]
        with receiving() as receiver:
            plain = receiver.address.replace("http:", "https:")
            for address in (
                f"http://127.0.0.1:{closed}/{TOKEN}",
                f"http://{TOKEN}.invalid/",
                plain,
                f"http://a b/{TOKEN}",
            ):
                refused = webhook.post(address, {})
                assert refused
                assert TOKEN not in refused
