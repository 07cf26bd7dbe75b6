//! Tests of links, embeds and comments.

use crate::generators::{obsidian::Obsidian, tables::*};

#[test]
fn obsidian_wikilinks_are_converted() {
    hold(
        &Obsidian,
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
        &Obsidian,
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
            (
                "![[a.mp4]]\n## B\n",
                "<span><video src=\"galley-ref:embed/a.mp4\" controls></video></span>\n## B\n",
            ),
            (
                "- ![A|30](a.png)\n  *b*\n",
                "- <span><img src=\"a.png\" alt=\"A\" width=\"30\"></span>\n  *b*\n",
            ),
        ],
    );
    hold_with_remarks(
        &Obsidian,
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
        &Obsidian,
        &[
            ("a %%b%%c", "a c"),
            ("a\n%%\nb\n\nc\n%%\nd %% e", "a\n\nd %% e"),
            ("a ^b-1\n\nc^2 x ^3 y", "a<a id=\"^b-1\"></a>\n\nc^2 x ^3 y"),
            ("| a |\n\n^b\n", "| a |\n\n<a id=\"^b\"></a>\n"),
            ("a #tag", "a #tag"),
        ],
    );
}
