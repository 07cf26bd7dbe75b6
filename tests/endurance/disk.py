"""The store on a disk that fails, fills up, loses its power, or says that it has flushed what it has not.

tests/it/store/faults_at_random.rs does it and says what has to hold: what was acknowledged is there and whole, and what
cannot be promised is said. A seed brings the same faults again.
"""

from part import Form, rust_test

TESTS = [
    "whatever_the_disk_does_what_was_acknowledged_is_there_and_whole",
    "after_a_disk_that_lies_the_store_is_as_it_once_was_or_says_that_it_is_damaged",
]


def endure(form: Form) -> None:
    for test in TESTS:
        rust_test(f"store::faults_at_random::{test}", GALLEY_ENDURANCE_ROUNDS=form.choose(short=100, long=5_000))
