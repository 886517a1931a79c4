"""An example automation of Prefect: a webhook is sent a message for each of five events.

Once, in this folder, while `make serve` runs; the address, which is a secret, in the environment: python docs/notify.py
"""

import os
from typing import Any

from prefect.automations import Automation, CallWebhook, EventTrigger, Posture
from prefect.blocks.webhook import Webhook

EVENTS = {
    "heldout.run.failed",
    "heldout.champion.changed",
    "heldout.champion.prevented",
    "heldout.over_time.alarm",
    "heldout.batch.quarantined",
}
# a template, which Prefect fills in: what happened to which model and why, and all numbers
MESSAGE = """{
  "text": {{ (event.event ~ " (" ~ event.resource.name ~ "): " ~ event.payload.reason) | tojson }},
  "details": {{ event.payload | tojson }}
}"""

if "WEBHOOK" not in os.environ:
    raise SystemExit("WEBHOOK has no address: WEBHOOK=https://… python docs/notify.py")
webhook: Any = Webhook(url=os.environ["WEBHOOK"], headers={"Content-Type": "application/json"})
Automation(
    name="tell of models",
    trigger=EventTrigger(posture=Posture.Reactive, expect=EVENTS, threshold=1),
    actions=[CallWebhook(block_document_id=webhook.save("heldout", overwrite=True), payload=MESSAGE)],
).create()
