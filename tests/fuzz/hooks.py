"""How the fuzzer meets Galley: with the owner's rights, and with identifiers of records that there are.

What the document describes is tried with made-up values; almost all of them are refused. So that records are read and
changed too, identifiers in paths are often replaced by those of real records, a change of a post names the version that it
is about, and made-up documents of an editor are left out of it. What is sent stays within what the document allows.
"""

import os
import random
from collections import defaultdict, deque

import schemathesis
from schemathesis.specs.openapi.checks import response_schema_conformance
from site_under_test import SiteUnderTest

# Of each resource, the records that the fuzzer knows; the oldest are forgotten.
RECORDS_KNOWN_MAX = 50
# How often, of ten times, what is real takes the place of what is made up.
REAL_OF_TEN = 7

site = SiteUnderTest(os.environ["GALLEY_ADDRESS"], os.environ["GALLEY_COOKIE"])
choices = random.Random(1)
records = defaultdict(lambda: deque(maxlen=RECORDS_KNOWN_MAX))
for plural, identifiers in site.records().items():
    records[plural].extend(identifiers)


@schemathesis.hook
def before_call(_context, case, _kwargs):
    if "/admin/" not in case.path:
        case.query = {**(case.query or {}), "key": site.content_key}
        return
    case.headers["Authorization"] = site.authorization()
    plural = case.path.split("/")[2]
    if choices.randrange(10) < REAL_OF_TEN:
        make_real(case, plural)


def make_real(case, plural):
    written = first_record(case.body, plural) or {}
    for document in ("lexical", "mobiledoc"):
        written.pop(document, None)
    if not records[plural] or "id" not in (case.path_parameters or {}):
        return
    identifier = choices.choice(records[plural])
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
def answer_fits_document(context, response, case):
    """The document describes whole records: what `fields` leaves of one is not held against it."""
    if "fields" not in (case.query or {}):
        response_schema_conformance(context, response, case)


def first_record(body, plural):
    found = body.get(plural) if isinstance(body, dict) else None
    return found[0] if isinstance(found, list) and found and isinstance(found[0], dict) else None
