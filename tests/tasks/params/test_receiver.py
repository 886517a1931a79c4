"""operations.notify: which addresses are taken, and that no message shows one."""

import pytest
import yaml

from tasks.params import load
from tasks.params.hidden import hide, reveal
from tasks.runtime.errors import UserError
from tests.tasks.mistakes import assert_names, mistakes

TOKEN = "T0K3N"
URL = f"https://hooks.example.org:8443/services/{TOKEN}?key={TOKEN}"


@pytest.mark.parametrize("written", [URL, {"webhook": URL}, "$RECEIVER"])
def test_an_address_is_kept_and_never_shown(shipped, written, monkeypatch):
    monkeypatch.setenv("RECEIVER", URL)
    settings = load(shipped, [f"operations.notify={yaml.safe_dump(written, width=1000)}".removesuffix("\n...\n")])
    assert URL == settings.operations.notify.get_secret_value()
    assert TOKEN not in f"{settings!r} {settings} {settings.model_dump()}"


def test_nobody_is_notified_by_default(shipped):
    assert load(shipped).operations.notify is None


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (f"file:///{TOKEN}", ["http", "https"]),
        (f"ftp://host/{TOKEN}", ["http", "https"]),
        (f"gopher://host/{TOKEN}", ["http", "https"]),
        (TOKEN, ["http", "https"]),
        (f"https:///{TOKEN}", ["host"]),
        (f"https://{TOKEN}:password@host/", ["login"]),
        (f"https://host:port/{TOKEN}", ["port"]),
        (f"https://[{TOKEN}/", ["host"]),
        (f"'https://host/{TOKEN} x'", ["character"]),
        (f'"https://host/{TOKEN}\\nx"', ["character"]),
        (f"{{webhok: https://host/{TOKEN}}}", ["webhook"]),
        (f"{{webhook: https://host/{TOKEN}, email: a}}", ["webhook"]),
        ("{webhook: null}", ["NoneType"]),
        (f"[https://host/{TOKEN}]", ["list"]),
        ("5", ["int"]),
        ("$NOT_SET_ANYWHERE", ["$NOT_SET_ANYWHERE", "null"]),
        (f"$https://host/{TOKEN}", ["environment"]),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_and_not_shown(shipped, written, words):
    (mistake,) = mistakes(shipped, f"operations.notify={written}")
    assert "operations.notify" == mistake.key
    assert_names(mistake, *words)
    assert TOKEN not in mistake.text


@pytest.mark.parametrize(
    "change",
    [
        f"operations=https://host/{TOKEN}",
        f"operations=[https://host/{TOKEN}]",
        f"operations.promote_level=https://host/{TOKEN}",
        f"operations.notify: https://host/{TOKEN}",
        f"operations.notify=[https://host/{TOKEN}",
        f"notify=https://host/{TOKEN}",
        f"operations.notify.webhook.more=https://host/{TOKEN}",
        f"operations.notfy=https://host/{TOKEN}",
    ],
)
def test_an_address_in_the_wrong_place_is_not_shown(shipped, change):
    with pytest.raises(UserError) as refused:
        load(shipped, [change])
    assert TOKEN not in str(refused.value)


def test_what_a_flow_is_given_for_an_override_with_a_secret_shows_no_secret(shipped):
    for override in (f"operations.notify={URL}", f"operations={{notify: '{URL}'}}", f"operations.notify.webhook={URL}"):
        shown = hide(override)
        assert TOKEN not in shown
        assert override.partition("=")[0] == shown.partition("=")[0]
        assert (override, shown) == (reveal(shown), hide(override))
        assert URL == load(shipped, [shown]).operations.notify.get_secret_value()
    assert "split.folds=5" == hide("split.folds=5") == reveal("split.folds=5")
