"""MLflow's first page, which holds all others, with a script that says when a version's description was not saved.

MLflow's page of a version drops the answer to such a change, and shows the new words as if they were stored. Its other
pages show what they are refused.
"""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse

_CHANGE = "/model-versions/update"
_SCRIPT = f"""<script>{{
  const send = window.fetch;
  window.fetch = (...asked) => {{
    const answer = send(...asked);
    if (String(asked[0].url ?? asked[0]).endsWith("{_CHANGE}"))
      answer
        .then(it => it.ok ? "" : it.clone().json().then(said => said.message))
        .catch(String)
        .then(why => why && alert("The description is not saved, though this page shows it: " + why));
    return answer;
  }};
}}</script>"""


def first_page(_: Request) -> HTMLResponse:
    """What the browser gets at /. The script stands before all others, which take `fetch` as it leaves it."""
    from mlflow.server import app

    head, mark, rest = Path(str(app.static_folder), "index.html").read_text(encoding="utf-8").partition("<head>")
    return HTMLResponse(f"{head}{mark}{_SCRIPT}{rest}", headers={"Cache-Control": "no-cache"})
