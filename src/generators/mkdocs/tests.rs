//! Tests of the syntax of Material for MkDocs.

use crate::generators::{mkdocs::MkDocs, tables::*};

#[test]
fn material_syntax_is_expanded() {
    hold(
        &MkDocs,
        &[
            ("A :material-anchor:{ .lg } b :smile:\n", "A b :smile:\n"),
            (
                "-   :material-anchor: **a**\n\n    b\n",
                "-   **a**\n\n    b\n",
            ),
            (
                "1.  :material-anchor:{ .lg } :octicons-link-16: a\n",
                "1.  a\n",
            ),
            (
                "- :material-anchor:\n\n    a\n",
                "- {::comment/}\n\n    a\n",
            ),
            ("[:octicons-link-16: a](b.md)\n", "[a](b.md)\n"),
            ("**:octicons-link-16: a** b\n", "**a** b\n"),
            ("**a**:octicons-link-16: b\n", "**a** b\n"),
            ("a:octicons-link-16: b\n", "a b\n"),
            ("`:material-anchor:`\n", "`:material-anchor:`\n"),
            ("[a](b.md){ .md-button }\n", "[a](b.md){: .md-button}\n"),
            ("# A { #b .c }\n", "# A {#b}\n"),
            ("a {b} {{ c }} {% d %}\n", "a {b} {{ c }} {% d %}\n"),
            ("++ctrl++ [a](b c.md)\n", "++ctrl++ [a](<b c.md>)\n"),
        ],
    );
}

#[test]
fn keys_are_expanded_with_their_extension() {
    let mut environment = environment();
    environment
        .site
        .insert("pymdownx.keys".to_owned(), json!(true));
    for (text, expected) in [
        (
            "++ctrl+page-up++ and C++ or ++i\n",
            "<span class=\"keys\"><kbd>Ctrl</kbd><span>+</span><kbd>Page Up</kbd></span> and C++ or ++i\n",
        ),
        (
            "++\"My Jobs\"++\n",
            "<span class=\"keys\"><kbd>My Jobs</kbd></span>\n",
        ),
        ("a++b c++d\n", "a++b c++d\n"),
    ] {
        assert_eq!(expanded(text, &MkDocs, &environment).0, expected, "{text}");
    }
}

#[test]
fn blocks_between_slashes_and_generated_parts_are_expanded() {
    hold_with_remarks(
        &MkDocs,
        &[
            (
                "/// tip | A *b*\n\nc\n\n///\n",
                "<div class=\"admonition tip\"><p class=\"admonition-title\">A <em>b</em></p>\n\n\nc\n\n</div>\n",
                &[],
            ),
            (
                "a\n\n::: pkg.Name\n    options:\n      b: 1\n\nc\n",
                "a\n\n\nc\n",
                &["3: the documentation of `pkg.Name` is generated from code and is left out"],
            ),
            (
                "## ::: pkg.my_name\n",
                "## pkg.my\\_name\n",
                &["1: the documentation of `pkg.my_name` is generated from code and is left out"],
            ),
        ],
    );
}

#[test]
fn texts_at_urls_are_not_included() {
    hold_with_remarks(
        &MkDocs,
        &[(
            "a\n\n--8<-- \"https://example.org/b.md\"\n",
            "a\n\n\n",
            &["3: the text at https://example.org/b.md is not included: URLs are not fetched"],
        )],
    );
}

#[test]
fn inclusions_are_bounded() {
    hold_inclusion_bounds(&MkDocs, &"--8<-- \"a\"\n".repeat(1_000));
}
