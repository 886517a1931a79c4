"""The prepared rows of the present settings, for a command that is no stage and needs them."""

from tasks.data import look_at_rows
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.params import Settings
from tasks.storage import findings, stage_settings


def make_sure(settings: Settings) -> None:
    """Prepare the rows, unless data/prepared is of these settings. Raises UserError, as the stage does."""
    if not stage_settings.made_with("prepare", settings):
        prepared = prepare(settings)
        found = look_at_rows.look(prepared, settings, findings.read(settings))
        write_prepared(prepared, found.with_more(prepared.left_out))
        stage_settings.write("prepare", settings)
