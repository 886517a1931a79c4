"""The names of a package are listed when heldout is first used: it is allowed before."""

import heldout

heldout.allow("heldout_example")
