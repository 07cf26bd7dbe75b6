//! Ghost's format.

use super::publication::{Publication, assert_same};

#[test]
fn the_sample_export_comes_in_and_goes_out_and_in_and_answers_the_same() {
    let first = Publication::imported("tests/it/export/corpus.json".as_ref());
    let second = Publication::imported(&first.to_json("first.json"));
    assert_same(&second.answers(), &first.answers());
}
