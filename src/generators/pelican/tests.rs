//! Tests of Pelican's links.

use crate::generators::{pelican::Pelican, tables::*};

#[test]
fn links_to_files_are_paths() {
    hold(
        &Pelican,
        &[
            ("[a]({filename}/posts/b.md#c)\n", "[a](/posts/b.md#c)\n"),
            ("![a]({static}../images/b.png)\n", "![a](../images/b.png)\n"),
            ("[a](|filename|b.md) | {c}\n", "[a](b.md) | {c}\n"),
            ("`{static}a`\n", "`{static}a`\n"),
        ],
    );
}
