"""What is found in a table: the record of a finding, its words, and `heldout.audit`, which lists them."""
