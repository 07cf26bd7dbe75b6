"""Hooks that connect the fuzzer to Galley: with the owner's permissions, and with identifiers of existing records.

The fuzzer generates values from the OpenAPI document, and Galley rejects almost all of them. Several measures make sure that
records are read and changed as well. Identifiers in paths are often replaced by those of existing records. An update of a post
contains the current version, and no generated editor documents. Requests for lists and records often select fields and included
records, and lists are filtered and ordered by the names of the records' fields, which come from the document, so that both APIs
are tested alike. All requests conform to the document.
"""

import json
import os
import random
from collections import defaultdict, deque
from pathlib import Path

import jsonschema_rs
import schemathesis
from schemathesis.specs.openapi.checks import response_schema_conformance
from selections import Selections
from site_under_test import SiteUnderTest

# The maximum number of records of each resource that are remembered; the oldest are evicted.
RECORDS_KNOWN_MAX = 50
# The number of generated values, of ten, that are replaced by real ones.
REAL_OF_TEN = 7

site = SiteUnderTest(os.environ["GALLEY_ADDRESS"], os.environ["GALLEY_COOKIE"])
chance = random.Random(int(os.environ["GALLEY_SEED"]))
document = json.loads((Path(__file__).resolve().parents[2] / "schema/openapi.json").read_text())
selections = Selections(document, chance)
records = defaultdict(lambda: deque(maxlen=RECORDS_KNOWN_MAX))
for plural, identifiers in site.records().items():
    records[plural].extend(identifiers)


@schemathesis.hook
def before_call(_context, case, _kwargs):
    if case.method == "GET" and chance.randrange(10) < REAL_OF_TEN:
        case.query = {**(case.query or {}), **selections.of(case.operation.path)}
    if "/admin/" not in case.path:
        case.query = {**(case.query or {}), "key": site.content_key}
        return
    case.headers["Authorization"] = site.authorization()
    plural = case.path.split("/")[2]
    if chance.randrange(10) < REAL_OF_TEN:
        make_real(case, plural)


def make_real(case, plural):
    """Replaces the identifier in the path by that of a record, and makes an update of a post valid."""
    written = first_record(case.body, plural) or {}
    for field in ("lexical", "mobiledoc"):
        written.pop(field, None)
    if not records[plural] or "id" not in (case.path_parameters or {}):
        return
    identifier = chance.choice(records[plural])
    case.path_parameters["id"] = identifier
    if case.method == "PUT" and plural in ("posts", "pages"):
        written["updated_at"] = site.version(plural, identifier)


@schemathesis.hook
def after_call(_context, case, response):
    if case.path.endswith("/token/"):
        site.forget_key()
    if response.status_code == 201 and "/admin/" in case.path:
        plural = case.path.split("/")[2]
        added = first_record(response.json() if response.content else None, plural)
        if added is not None and isinstance(added.get("id"), str):
            records[plural].append(added["id"])


@schemathesis.check
def response_fits_document(context, response, case):
    """Checks that a response without `fields` contains complete records, which are the first of the two schemas in the
    document."""
    response_schema_conformance(context, response, case)
    if response.status_code != 200 or case.method != "GET" or "fields" in (case.query or {}):
        return
    responses = document["paths"][case.operation.path]["get"]["responses"]
    schema = responses["200"].get("content", {}).get("application/json", {}).get("schema", {})
    if "anyOf" in schema:
        whole = {**schema["anyOf"][0], "components": document["components"]}
        jsonschema_rs.validator_for(whole).validate(response.json())


def first_record(body, plural):
    records_in_body = body.get(plural) if isinstance(body, dict) else None
    first = records_in_body[0] if isinstance(records_in_body, list) and records_in_body else None
    return first if isinstance(first, dict) else None
