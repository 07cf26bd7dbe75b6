//! Tests of Starlight's asides and of HTML in attributes.

use crate::generators::{astro::Astro, tables::*};

#[test]
fn starlight_asides_are_converted() {
    hold(
        &Astro,
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
fn html_in_attributes_becomes_the_content() {
    for (text, expected) in [
        (
            "<Fragment set:html={\"<pre><code>a &lt;b> \\\"c\\\"\\n\\n*d*</code></pre>\"} />\n",
            "<pre><code>a &lt;b> \"c\"\n<!-- -->\n*d*</code></pre>",
        ),
        (
            "<Fragment set:html=\"<em>a</em> *b*\" />\n",
            "<div><em>a</em> *b*</div>",
        ),
        (
            "<div class=\"x\" set:html={'<p>a</p>'}></div>\n",
            "<div class=\"x\"><p>a</p></div>",
        ),
        ("a <b set:text=\"c < d\" /> e\n", "a <b>c &lt; d</b> e"),
        (
            "<div dangerouslySetInnerHTML={{ __html: '<p>a</p>' }} />\n",
            "<div><p>a</p></div>",
        ),
    ] {
        let (made, reported) = expanded(text, &Astro, &in_mdx());
        assert_eq!(made.trim(), expected);
        assert_eq!(reported, Vec::<String>::new());
    }
}
