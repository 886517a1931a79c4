"""MLflow's first page, which holds all others, with a script and a style of ours.

The script says when a version's description was not saved: MLflow's page of a version drops the answer to such a
change, and shows the new words as if they were stored. Its other pages show what they are refused. The script also
opens the list of the runs with their estimates (`shared_view`) for who asks for no page, and the pages of models for
who chose no kind.

The style leaves out MLflow's assistant, which would run commands of this machine, and which we do not serve.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse

from tasks.params import Settings
from tasks.track import experiments, shared_view

_CHANGE = "/model-versions/update"
_STYLE = "<style>[data-assistant-ui] { display: none !important; }</style>"
# MLflow's own keys in the browser's store: the pages of models or of chats, and whether the assistant came by itself
_CHOSEN = {"mlflow.workflowType_v1": "machine_learning", "mlflow.assistant.fab.autoOpenedOnFirstLoad_v1": True}
_SCRIPT = """<script>{
  const chosen = %(chosen)s, first = %(first)s;
  for (const key of Object.keys(chosen))
    if (localStorage.getItem(key) === null) localStorage.setItem(key, JSON.stringify(chosen[key]));
  if (first && /^(#\\/?)?$/.test(location.hash)) location.hash = first;
  const send = window.fetch;
  window.fetch = (...asked) => {
    const answer = send(...asked);
    if (String(asked[0].url ?? asked[0]).endsWith("%(change)s"))
      answer
        .then(it => it.ok ? "" : it.clone().json().then(said => said.message))
        .catch(String)
        .then(why => why && alert("The description is not saved, though this page shows it: " + why));
    return answer;
  };
}</script>"""


def first_page(settings: Settings) -> Callable[[Request], Awaitable[HTMLResponse]]:
    """What answers at /, for the runs of the data source.

    The script stands before all others, which take `fetch` as it leaves it.
    """

    async def answer(_: Request) -> HTMLResponse:
        from mlflow.server import app

        said = {"chosen": json.dumps(_CHOSEN), "first": json.dumps(_list_of(settings)), "change": _CHANGE}
        head, mark, rest = Path(str(app.static_folder), "index.html").read_text(encoding="utf-8").partition("<head>")
        return HTMLResponse(f"{head}{mark}{_STYLE}{_SCRIPT % said}{rest}", headers={"Cache-Control": "no-cache"})

    return answer


def _list_of(settings: Settings) -> str:
    """The address of the list of its runs; empty before the first one."""
    from mlflow import MlflowClient

    found = experiments.find(MlflowClient(), settings)
    return "" if found is None else shared_view.address(found)
