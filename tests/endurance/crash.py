"""The program is killed at moments that nobody chose, while clients write, content files change and webhooks go out.

tests/it/events_through_crashes.rs does it and says what has to hold: what was acknowledged is there and told in its order,
nothing is half there, and the program starts again.
"""

from part import Form, rust_test

TEST = (
    "events_through_crashes::"
    "every_acknowledged_change_is_told_at_least_once_and_in_order_however_often_the_process_is_killed"
)


def endure(form: Form) -> None:
    rust_test(TEST, GALLEY_ENDURANCE_ROUNDS=form.choose(short=25, long=500))
