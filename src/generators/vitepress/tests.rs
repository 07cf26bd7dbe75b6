//! Tests of the syntax of VitePress.

use crate::generators::{tables::*, vitepress::VitePress};

#[test]
fn containers_become_elements() {
    hold(
        &VitePress,
        &[
            (
                "::: tip\n*a*\n:::\n",
                "<div class=\"tip custom-block\"><p class=\"custom-block-title\">TIP</p>\n\n*a*\n\n</div>\n",
            ),
            (
                "::: details See *b* {open}\nc\n:::\n",
                "<details class=\"details custom-block\"><summary>See <em>b</em> {open}</summary>\n\nc\n\n</details>\n",
            ),
            (
                "::: code-group\n\n```js [a.js]{1}\nb\n```\n\n:::\n",
                "<div class=\"code-group\">\n\n\n<div class=\"code-block-title\">a.js</div>\n\n```js\nb\n```\n\n</div>\n",
            ),
            (
                "<script setup>\nimport a from 'b'\n</script>\n\n[[toc]]\n\n# C\n",
                "\n\n\n# C\n",
            ),
            (
                "```\n[[toc]]\n<script>\n```\n",
                "```\n[[toc]]\n<script>\n```\n",
            ),
        ],
    );
}

#[test]
fn included_files_are_inserted() {
    hold(
        &VitePress,
        &[("<!--@include: /_common/a.md-->\n", "*a* {{< odd >}}\n")],
    );
    hold_with_remarks(
        &VitePress,
        &[(
            "<<< @/none.js{1}\n",
            "\n",
            &["1: the file `@/none.js` is not included: the file does not exist"],
        )],
    );
}

#[test]
fn inclusions_are_bounded() {
    hold_inclusion_bounds(&VitePress, &"<!--@include: a-->\n".repeat(1_000));
}
