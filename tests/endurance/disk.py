"""The store on a disk that fails, fills up, loses its power, or says that it has flushed what it has not.

tests/it/store/faults_at_random.rs does it and says what has to hold: what was acknowledged is there and whole, and what
cannot be promised is said. A seed brings the same faults again.
"""

from part import Form, rust_test

TESTS = [
    "random_disk_faults_lose_no_acknowledged_commit",
    "lost_flushes_leave_an_earlier_state_or_detected_damage",
]


def endure(form: Form) -> None:
    for test in TESTS:
        rust_test(f"store::faults_at_random::{test}", GALLEY_ENDURANCE_ROUNDS=form.choose(short=100, long=5_000))
