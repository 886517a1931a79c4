"""What params.yaml accepts by name is what is registered, no more and no less: losses, rules, criteria, forms."""

import json
from typing import get_args

import pytest
import yaml

from heldout.estimates.criteria import CRITERIA, OF_METRICS
from heldout.losses import KINDS
from heldout.schemes import SCHEMES
from heldout.schemes.delivery import FORMS
from heldout.selection.rules import RULES
from tasks.params import Deliver, docs, load
from tasks.params.sections import SelectionSection
from tasks.runtime.errors import UserError

SCHEMA = json.loads(docs.schema())
SECTION = SCHEMA["$defs"]["SelectionSection"]["properties"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_loss_of_the_registry_is_accepted(kind, shipped):
    assert kind.sample == load(shipped, [f"loss={yaml.safe_dump(kind.sample, default_flow_style=True)}"]).loss
    if kind.alone:
        assert kind.name == load(shipped, [f"loss={kind.name}"]).loss
    else:
        with pytest.raises(UserError, match=f"loss is '{kind.name}'; it must be one of "):
            load(shipped, [f"loss={kind.name}"])


def test_no_other_loss_is_in_the_schema():
    names, *mappings, null = SCHEMA["properties"]["loss"]["anyOf"]
    assert [kind.name for kind in KINDS if kind.alone] == names["enum"]
    assert {"type": "null"} == null
    keys = [[*SCHEMA["$defs"][one["$ref"].rpartition("/")[2]]["properties"]] for one in mappings]
    assert [*([kind.name] for kind in KINDS if kind.parameter is not None), ["function"]] == keys


def test_every_loss_stands_in_the_description():
    described = SCHEMA["properties"]["loss"]["description"]
    assert [] == [kind.written for kind in KINDS if kind.written not in described]


def test_the_rules_criteria_and_forms_are_accepted_and_no_others(shipped):
    assert [*RULES] == SECTION["rule"]["enum"]
    assert [*CRITERIA, *OF_METRICS] == SECTION["criterion"]["anyOf"][0]["enum"]
    assert [*FORMS] == SCHEMA["properties"]["deliver"]["enum"] == [*get_args(Deliver)]
    for rule in RULES:
        assert rule == load(shipped, [f"selection.rule={rule}"]).selection.rule
    for form in FORMS:
        assert form == load(shipped, [f"deliver={form}"]).deliver


def test_every_rule_and_form_is_described_in_the_words_of_its_record():
    rule, deliver = SelectionSection.model_fields["rule"].description, SCHEMA["properties"]["deliver"]["description"]
    assert [] == [name for name, one in RULES.items() if f"{name}: {one.says}" not in rule]
    assert [] == [name for name, one in FORMS.items() if f"{name}: {one.says}" not in deliver]


def test_every_form_is_made_of_the_fits_of_some_scheme():
    assert {*FORMS} == {form for scheme in SCHEMES.values() for form in scheme.forms}
