"""The store on a disk that fails, fills up, loses power, or reports flushes that it has not done.

tests/it/store/faults_at_random.rs runs this and checks the results: acknowledged commits are complete, and all other commits
report an error. A seed repeats the same faults.
"""

from part import Form, rust_test

TESTS = [
    "random_disk_faults_lose_no_acknowledged_commit",
    "lost_flushes_leave_an_earlier_state_or_detected_damage",
]


def endure(form: Form) -> None:
    for test in TESTS:
        rust_test(f"store::faults_at_random::{test}", GALLEY_ENDURANCE_ROUNDS=form.choose(short=100, long=5_000))
