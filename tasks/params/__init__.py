"""What params.yaml may say, and what is reported when it is wrong.

May import `runtime` alone. Each key is described once, in the `Field` of its section.
"""

from tasks.params.settings import Candidate, Deliver, Settings, load

__all__ = ["Candidate", "Deliver", "Settings", "load"]
