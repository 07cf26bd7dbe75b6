//! Tests of the syntax of Material for MkDocs.

use crate::generators::{mkdocs::MkDocs, tables::*};

#[test]
fn material_syntax_is_expanded() {
    hold(
        &MkDocs,
        &[
            ("A :material-anchor:{ .lg } b :smile:\n", "A  b :smile:\n"),
            ("`:material-anchor:`\n", "`:material-anchor:`\n"),
            ("[a](b.md){ .md-button }\n", "[a](b.md){: .md-button}\n"),
            ("# A { #b .c }\n", "# A {#b}\n"),
            ("a {b} {{ c }} {% d %}\n", "a {b} {{ c }} {% d %}\n"),
            (
                "++ctrl+page-up++ and C++ or ++i\n",
                "<span class=\"keys\"><kbd>Ctrl</kbd><span>+</span><kbd>Page Up</kbd></span> and C++ or ++i\n",
            ),
        ],
    );
}

#[test]
fn inclusions_are_bounded() {
    hold_inclusion_bounds(&MkDocs, &"--8<-- \"a\"\n".repeat(1_000));
}
