//! Tests of components in Markdown.

use crate::generators::{nuxt::Nuxt, tables::*};

#[test]
fn components_become_elements_around_their_content() {
    hold(
        &Nuxt,
        &[
            (
                "::note\n*a*\n::\n",
                "<div class=\"notice notice-note\">\n\n*a*\n\n</div>\n",
            ),
            (
                "::card{title=\"A & b\" icon=\"i\"}\nc\n::\n",
                "<div class=\"card\"><p class=\"card-title\"><strong>A &amp; b</strong></p>\n\nc\n\n</div>\n",
            ),
            (
                "::card-group\n  :::card\n  ---\n  title: A\n  to: /b\n  ---\n  c\n\n  #footer\n  d\n  :::\n::\n",
                "<div class=\"card-group\">\n\n<div class=\"card\"><p class=\"card-title\"><a href=\"/b\"><strong>A</strong></a></p>\n\n\nc\n\nd\n\n</div>\n\n</div>\n",
            ),
            (
                "`a`{lang=\"ts\"} **b**{.c} *d*{.e} [f]{.g} ![h](i){width=\"{1}\"} (j){.k} {#l}\n",
                "`a` **b** *d* f ![h](i) (j){.k} {#l}\n",
            ),
            ("a :br b :icon-c a:d\n", "a <br> b  a:d\n"),
            (
                "{{ $doc.title || 'a' }} {{ $doc.b || 'c' }} `{{ d }}`\n",
                "Night ferry c `{{ d }}`\n",
            ),
            (
                "a :icon{name=\"b\"} :badge[*c*]{.d} at 10:30 :smile:\n",
                "a  *c* at 10:30 :smile:\n",
            ),
            ("[a](b){.c} `:d[e]`\n", "[a](b) `:d[e]`\n"),
            ("[*a*]{.b} ![c]{d} [e] [f][g]\n", "*a* ![c] [e] [f][g]\n"),
            ("```\n::a\n::\n```\n", "```\n::a\n::\n```\n"),
            (
                "<!-- ```sh\na\n``` -->\n\n::a\nb\n::\n",
                "<!-- ```sh\na\n``` -->\n\n<div class=\"a\">\n\nb\n\n</div>\n",
            ),
        ],
    );
}
