"""What users read: a message never has the login of an address."""

import pytest

from tasks.runtime.errors import UserError

pytestmark = pytest.mark.fault("secrets")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tracking.uri is http://me:planted@host:5000/p, fix it", "tracking.uri is http://***@host:5000/p, fix it"),
        ("(postgresql+psycopg2://me:pl@nted@host/db)", "(postgresql+psycopg2://***@host/db)"),
        ("https://planted@host and s3://bucket/a", "https://***@host and s3://bucket/a"),
        ("mysql://host/db?user=me&password=planted&x=1", "mysql://host/db?user=me&password=***&x=1"),
        ("see https://host/?access_token=planted)", "see https://host/?access_token=***)"),
        ("models:/heldout@champion, a@b.org", "models:/heldout@champion, a@b.org"),
        ("http://host, mail a@b.org", "http://host, mail a@b.org"),
    ],
)
def test_a_message_has_no_login(text, shown):
    assert shown == str(UserError(text))
