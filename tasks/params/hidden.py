"""Overrides that contain a secret: Prefect stores the parameters of each flow, so it is given a name for them."""

_KEY = "tracking.uri"  # an address may have a password
_hidden: dict[str, str] = {}


def hide(override: str) -> str:
    """The override; if it sets a secret, a text of the form a.b=hidden-0, which `reveal` knows in this process."""
    key, equals, _ = override.partition("=")
    if not equals or not sets_secret(key):
        return override
    shown = next((name for name, known in _hidden.items() if known == override), f"{key}=hidden-{len(_hidden)}")
    _hidden[shown] = override
    return shown


def reveal(override: str) -> str:
    """The override behind a name that `hide` gave; any other text as it is."""
    return _hidden.get(override, override)


def sets_secret(key: str) -> bool:
    """Whether an override of `key` sets a secret: the key itself, its section, or a part of its value."""
    return f"{_KEY}.".startswith(f"{key}.") or key.startswith(f"{_KEY}.")
