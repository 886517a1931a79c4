"""How a child process ended."""

import signal


def in_words(code: int) -> str:
    """What an exit code says; a negative one is the number of a signal."""
    if code == -signal.SIGKILL:
        return "killed, as the system does when memory runs out"
    return f"exit code {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"
