//! Tests of Obsidian's links and of the containers of Docusaurus and Starlight.

use crate::generators::syntax::tables::*;

#[test]
fn obsidian_wikilinks_are_converted() {
    hold(
        Family::Obsidian,
        &[
            ("[[A page]]", "[A page](galley-ref:wiki/A%20page)"),
            ("[[dir/a_b.md]]", "[dir/a\\_b](galley-ref:wiki/dir/a_b.md)"),
            ("[[a#B c|d *e*]]", "[d *e*](galley-ref:wiki/a#B%20c)"),
            ("[[a#B#C]]", "[a > B > C](galley-ref:wiki/a#C)"),
            (
                "[[#B]] [[a#^c|d]]",
                "[B](galley-ref:wiki/#B) [d](galley-ref:wiki/a#%5Ec)",
            ),
            ("| [[a\\|b]] |", "| [b](galley-ref:wiki/a) |"),
            (
                "`[[a]]` \\[[a]] [[]] [[a\nb]]",
                "`[[a]]` \\[[a]] [[]] [[a\nb]]",
            ),
            ("```\n[[a]] %%b%%\n```", "```\n[[a]] %%b%%\n```"),
        ],
    );
}

#[test]
fn obsidian_embeds_are_converted() {
    hold(
        Family::Obsidian,
        &[
            ("![[a b.png]]", "![a b.png](galley-ref:embed/a%20b.png)"),
            ("![[a.png|A]]", "![A](galley-ref:embed/a.png)"),
            (
                "![[a.png|300]]",
                "<img src=\"galley-ref:embed/a.png\" alt=\"a.png\" width=\"300\">",
            ),
            (
                "![[a.png|A|300x200]]",
                "<img src=\"galley-ref:embed/a.png\" alt=\"A\" width=\"300\" height=\"200\">",
            ),
            (
                "![A|300](a.png) ![b](c.png)",
                "<img src=\"a.png\" alt=\"A\" width=\"300\"> ![b](c.png)",
            ),
            (
                "![[a.mp3]]",
                "<audio src=\"galley-ref:embed/a.mp3\" controls></audio>",
            ),
            (
                "![[a.mp4]]",
                "<video src=\"galley-ref:embed/a.mp4\" controls></video>",
            ),
            ("![[a.pdf]]", "[a.pdf](galley-ref:embed/a.pdf)"),
        ],
    );
    hold_with_remarks(
        Family::Obsidian,
        &[(
            "a\n![[Note#B]]",
            "a\n[Note > B](galley-ref:wiki/Note#B)",
            &["2: an embedded note is shown as a link to it"],
        )],
    );
}

#[test]
fn obsidian_comments_are_removed_and_block_ids_become_anchors() {
    hold(
        Family::Obsidian,
        &[
            ("a %%b%%c", "a c"),
            ("a\n%%\nb\n\nc\n%%\nd %% e", "a\n\nd %% e"),
            ("a ^b-1\n\nc^2 x ^3 y", "a<a id=\"^b-1\"></a>\n\nc^2 x ^3 y"),
            ("| a |\n\n^b\n", "| a |\n\n<a id=\"^b\"></a>\n"),
            ("a #tag", "a #tag"),
        ],
    );
}

#[test]
fn docusaurus_admonitions_are_converted() {
    let around = |kind: &str, colour: &str, title: &str, content: &str| {
        format!(
            "<div class=\"theme-admonition theme-admonition-{kind} admonition alert alert--{colour}\"><div \
             class=\"admonition-heading\">{title}</div><div class=\"admonition-content\">\n\n{content}\n\n</div></div>"
        )
    };
    hold(
        Family::Docusaurus,
        &[
            (":::note\na\n:::", &around("note", "secondary", "note", "a")),
            (
                ":::tip[A *b*]\n\nc\n\n:::",
                &around("tip", "success", "A <em>b</em>", "\nc"),
            ),
            (
                ":::info A b\nc\n:::\n",
                &(around("info", "info", "A b", "c") + "\n"),
            ),
            (
                ":::danger{title=\"A\"}\nc\n:::",
                &around("danger", "danger", "A", "c"),
            ),
            (
                "::::caution\na\n\n:::note\nb\n:::\n::::",
                &around(
                    "caution",
                    "warning",
                    "caution",
                    &format!("a\n\n{}", around("note", "secondary", "note", "b")),
                ),
            ),
            ("```\n:::note\n:::\n```\n:::", "```\n:::note\n:::\n```\n:::"),
            ("a :b[c] ::d", "a :b[c] ::d"),
        ],
    );
    hold_with_remarks(
        Family::Docusaurus,
        &[(
            ":::odd\na\n:::",
            "<div class=\"odd\">\n\na\n\n</div>",
            &["1: the directive `:::odd` is not known; its content stays"],
        )],
    );
}

#[test]
fn starlight_asides_are_converted() {
    hold(
        Family::Astro,
        &[
            (
                ":::caution[A]\nb\n:::",
                "<aside aria-label=\"Caution\" class=\"starlight-aside starlight-aside--caution\"><p \
                 class=\"starlight-aside__title\">A</p><div class=\"starlight-aside__content\">\n\nb\n\n</div></aside>",
            ),
            (":::odd\na\n:::", ":::odd\na\n:::"),
        ],
    );
}

#[test]
fn code_block_titles_are_converted() {
    let code = "```js title=\"a.js\" {1}\nb\n```";
    let titled = format!("<div class=\"code-block-title\">a.js</div>\n\n{code}");
    hold(Family::Docusaurus, &[(code, &titled)]);
    hold(
        Family::Docusaurus,
        &[(
            "- ```js title='a'\n  b\n  ```",
            "- <div class=\"code-block-title\">a</div>\n\n  ```js title='a'\n  b\n  ```",
        )],
    );
}
