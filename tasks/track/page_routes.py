"""What of MLflow's server its pages need here: a list of what is open, so that what a new version adds is shut.

Shut are, among others, uploads, new runs, experiments and versions with places of their own for artifacts, deletions,
aliases, webhooks and gateways, which send requests to any address, and jobs, which run programs.
"""

from collections.abc import Iterable

_V2 = ("/ajax-api/2.0/mlflow", "/api/2.0/mlflow")  # of the pages, and of MLflow's clients
_V3 = ("/ajax-api/3.0/mlflow", "/api/3.0/mlflow")


def _of(prefixes: Iterable[str], *names: str) -> list[str]:
    return [f"{prefix}/{name}" for prefix in prefixes for name in names]


READS = {
    "GET": [
        "/",
        "/health",
        "/version",
        "/static-files/<path>",
        "/get-artifact",
        "/model-versions/get-artifact",
        f"{_V2[0]}/gateway-proxy",  # the list of runs asks which there are: none, where the environment names none
        *_of(
            _V2,
            "artifacts/list",
            "experiments/get",
            "experiments/get-by-name",
            "experiments/search",
            "logged-models/<name>",
            "logged-models/<name>/artifacts/directories",
            "logged-models/<name>/artifacts/files",
            "metrics/get-history",
            "metrics/get-history-bulk",
            "metrics/get-history-bulk-interval",
            "model-versions/get",
            "model-versions/search",
            "registered-models/alias",
            "registered-models/get",
            "registered-models/search",
            "runs/get",
        ),
        *_of(_V3, "scorers/list", "server-info"),  # the latter says what the pages leave out
    ],
    "POST": [
        "/graphql",
        *_of(_V2, "experiments/search", "experiments/search-datasets", "logged-models/search", "runs/search"),
        *_of(_V3, "datasets/search", "traces/metrics", "traces/search"),
    ],
}
WRITES = {
    "POST": _of(
        _V2,
        "experiments/delete-experiment-tag",
        "experiments/set-experiment-tag",  # views that somebody saved are tags
        "model-versions/set-tag",
        "registered-models/set-tag",
        "runs/delete-tag",
        "runs/set-tag",  # a note is a tag
        "runs/update",  # a run's name
    ),
    "PATCH": _of(_V2, "logged-models/<name>/tags", "model-versions/update", "registered-models/update"),
    "DELETE": _of(_V2, "logged-models/<name>/tags/<name>", "model-versions/delete-tag", "registered-models/delete-tag"),
}
