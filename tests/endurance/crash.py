"""The program is killed at random moments, while clients write, content files change and webhooks are sent.

tests/it/events_through_crashes.rs runs this and checks the results: acknowledged changes are stored and delivered in order, no
change is partial, and the program starts again.
"""

from part import Form, rust_test

TEST = (
    "events_through_crashes::"
    "acknowledged_changes_are_delivered_at_least_once_in_order_across_crashes"
)


def endure(form: Form) -> None:
    rust_test(TEST, GALLEY_ENDURANCE_ROUNDS=form.choose(short=25, long=500))
