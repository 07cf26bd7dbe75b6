"""Documents of all kinds are edited at random, and read back.

tests/it/content_text/random_edits.rs runs this and checks the results: the values of an edit are read back from the written
file, only edited parts change, and without an edit each byte is unchanged.
"""

from part import Form, rust_test

TESTS = [
    "edits_are_read_back",
    "values_are_read_back_and_only_they_change",
]


def endure(form: Form) -> None:
    for test in TESTS:
        rust_test(f"content_text::random_edits::{test}", GALLEY_ENDURANCE_ROUNDS=form.choose(short=300, long=10_000))
