"""What chooses among candidates, and what the choice costs (METHOD, sections 2 and 6)."""
