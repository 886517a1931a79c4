"""Watch: a stand-in until the flow of that name is here."""

import logging

from prefect import flow

log = logging.getLogger("heldout")


@flow(name="watch")
def watch(params: str = "params.yaml", overrides: tuple[str, ...] = (), shards: tuple[str, ...] = ()) -> None:
    """Nothing yet."""
    log.info("watch: %s %s %s", params, overrides, shards)
