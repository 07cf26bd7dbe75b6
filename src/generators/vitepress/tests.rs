//! Tests of the syntax of VitePress.

use crate::generators::{tables::*, vitepress::VitePress};

#[test]
fn comments_contain_no_containers() {
    hold(
        &VitePress,
        &[
            (
                "<!-- ::: tip\n```js\na\n```\n::: -->\n\n::: tip B\nc\n:::\n",
                "<!-- ::: tip\n```js\na\n```\n::: -->\n\n<div class=\"tip custom-block\"><p class=\"custom-block-title\">B</p>\n\nc\n\n</div>\n",
            ),
            (
                "<!--\n<Chart />\n{{ a }}\n-->\nB\n",
                "<!--\n<Chart />\n{{ a }}\n-->\nB\n",
            ),
        ],
    );
}

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
            ("```js [a.js]{1}\nb\n```\n", "```js\nb\n```\n"),
            (
                "[a](b.html){target=\"_self\"} `c`{.d #e}\n# *F*{#g}\n`{.h}` {i}\n",
                "[a](b.html) `c`\n# *F*{#g}\n`{.h}` {i}\n",
            ),
            (
                "<script setup>\nimport a from 'b'\n</script>\n\n[[toc]]\n\n# C\n",
                "\n\n\n# C\n",
            ),
            (
                "![a](b.png) {#c}\n\n{.d}\nd {.e} f\n",
                "![a](b.png) \n\n{.d}\nd {.e} f\n",
            ),
            (
                "::: link {a-b} The *c*\nd\n:::\n",
                "<div class=\"link\"><p class=\"custom-block-title\">The <em>c</em></p>\n\nd\n\n</div>\n",
            ),
            (
                "::: info\n```js\na\n:::\n\n# B\n",
                "<div class=\"info custom-block\"><p class=\"custom-block-title\">INFO</p>\n\n```js\na\n```\n\n</div>\n\n# B\n",
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
fn remarks_have_the_lines_of_included_files() {
    let environment = Environment {
        partial: Some(&|_, path| {
            (path == "a.md").then(|| IncludedFile {
                path: "a.md".to_owned(),
                text: "---\ntitle: A\n---\n<!-- #region b -->\nb\n<!-- @include: none.md -->\n<!-- #endregion b -->\n"
                    .to_owned(),
            })
        }),
        ..environment()
    };
    for text in ["<!-- @include: a.md -->", "<!-- @include: a.md#b{2,} -->"] {
        let (_, remarks) = expanded(text, &VitePress, &environment);
        let expected = "1: in a.md:6: the file `none.md` is not included: the file does not exist";
        assert_eq!(remarks, [expected], "{text}");
    }
}

#[test]
fn inclusions_are_bounded() {
    hold_inclusion_bounds(&VitePress, &"<!--@include: a-->\n".repeat(1_000));
}

#[test]
fn values_of_the_front_matter_are_inserted() {
    hold(
        &VitePress,
        &[
            ("# {{$frontmatter.title}}\n", "# Night ferry\n"),
            (
                "{{ $frontmatter.author.name }}{{ $frontmatter.odd }}\n",
                "Ada\n",
            ),
            ("{{ $site.title }}, {{ 'a*b' }}\n", "Harbour, a\\*b\n"),
            (
                "`{{ a }}`\n```\n{{ a }}\n```\n",
                "`{{ a }}`\n```\n{{ a }}\n```\n",
            ),
            ("<b v-pre>{{ a }}</b>\n", "<b v-pre>{{ a }}</b>\n"),
            ("{{ a\n\nb }}\n", "{{ a\n\nb }}\n"),
        ],
    );
    hold_with_remarks(
        &VitePress,
        &[(
            "a {{ 1 + 1 }}\n",
            "a \n",
            &["1: the expression `{{ 1 + 1 }}` is not evaluated and is left out"],
        )],
    );
}
