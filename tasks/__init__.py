"""Thin units of work around the science, in ten rooms; each imports only the rooms below it: docs/architecture.md."""
