//! Tests of shortcodes.

use crate::generators::{tables::*, zola::Zola};

#[test]
fn zola_shortcodes_are_converted() {
    hold_with_remarks(
        &Zola,
        &[
            (
                "{{ youtube(id=\"a\", playlist=\"p\") }}",
                "<iframe width=\"560\" height=\"315\" src=\"https://www.youtube.com/embed/a?list=p\" title=\"YouTube Video\" \
                 allowfullscreen></iframe>",
                &[],
            ),
            (
                "{% note(title=\"A)\", n=[1, 2]) %}\nb\n{% end %}\n",
                "<div class=\"notice notice-note\"><p class=\"notice-title\"><strong>A)</strong></p>\n\nb\n\n</div>\n",
                &[],
            ),
            (
                "{{ resize_image(path=\"a.png\", width=5) }}",
                "![](a.png)",
                &[],
            ),
            (
                "`{{/* a(b=1) */}}` {%/* a() */%} {%/* end */%} {{ title }} {% if x %}",
                "`{{ a(b=1) }}` {% a() %} {% end %} {{ title }} {% if x %}",
                &[],
            ),
            (
                "a {{ odd(x=1) }}b\n{% odder() %}c{% end %}\n`{{ odd() }}`",
                "a b\nc\n`{{ odd() }}`",
                &[
                    "1: the shortcode `odd` is not known and is left out",
                    "2: the shortcode `odder` is not known and is left out",
                    "3: the shortcode `odd` is in code and is shown unchanged",
                ],
            ),
            ("[a](@/b.md#c)<!-- more -->", "[a](@/b.md#c)", &[]),
        ],
    );
}
