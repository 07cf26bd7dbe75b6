//! Tests of inclusions.

use crate::generators::{mdbook::MdBook, tables::*};

#[test]
fn inclusions_are_bounded() {
    hold_inclusion_bounds(&MdBook, &"{{#include a}}\n".repeat(1_000));
}
