"""Two clones push and a client edits through the API at random, and the program is killed in between.

tests/it/write_back/endurance.rs runs this and checks the results: each acknowledged word is in the branch or in a conflict
branch, and a copy of the site that follows the same branch returns the same responses.
"""

from part import Form, rust_test

TEST = "write_back::endurance::acknowledged_edits_are_in_the_branch_or_in_conflict_branches"


def endure(form: Form) -> None:
    rust_test(TEST, GALLEY_ENDURANCE_ROUNDS=form.choose(short=12, long=500))
