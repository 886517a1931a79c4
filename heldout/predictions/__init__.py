"""Predictions that other tools wrote: recognised, and read with the conventions of the tool that wrote them."""
