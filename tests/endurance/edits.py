"""Documents of all kinds are edited at random, and read back.

tests/it/content_text/random_edits.rs does it and says what has to hold: what an editor sends is what is read from the text that
it was written to, only what was edited changes, and without an edit each byte stays.
"""

from part import Form, rust_test

TESTS = [
    "edits_are_read_back",
    "values_are_read_back_and_only_they_change",
]


def endure(form: Form) -> None:
    for test in TESTS:
        rust_test(f"content_text::random_edits::{test}", GALLEY_ENDURANCE_ROUNDS=form.choose(short=300, long=10_000))
