//! Tests of Liquid.

use crate::generators::{jekyll::Jekyll, tables::*};

#[test]
fn link_tags_and_site_urls_are_resolved() {
    hold(
        &Jekyll,
        &[
            (
                "[a]({% post_url 2015-03-05-b %}#c)",
                "[a](galley-ref:post_url/2015-03-05-b#c)",
            ),
            (
                "[a]({{ site.baseurl }}{% link _posts/b c.md %})",
                "[a](galley-ref:link/_posts/b%20c.md)",
            ),
            ("[a]({{ site.url }}{{ site.baseurl }}/b/)", "[a](/b/)"),
            (
                "<img src=\"{{ site.baseurl }}/b.png\">",
                "<img src=\"/b.png\">",
            ),
            (
                "![a]({{ '/b.png' | relative_url }}) [c]: {{ \"d\" | absolute_url }}",
                "![a](/b.png) [c]: /d",
            ),
            (
                "![a]({{ \"/b.png\" | prepend: site.baseurl | prepend: site.url }})",
                "![a](/b.png)",
            ),
            (
                "We are at {{ site.url }}{{ site.baseurl }}.",
                "We are at https://example.org/blog.",
            ),
            (
                "Ask {{ \"/feed.xml\" | absolute_url }}",
                "Ask https://example.org/blog/feed.xml",
            ),
        ],
    );
}

#[test]
fn raw_comment_and_highlight_tags_are_converted() {
    hold(
        &Jekyll,
        &[
            ("{% raw %}{{ a }}{% b %}{% endraw %}", "{{ a }}{% b %}"),
            (
                "a{% comment %}\nb {% c %}\n{% endcomment %}d{% # e %}",
                "ad",
            ),
            (
                "{% highlight ruby linenos %}\nputs 1\n{% raw %}{{ a }}{% endraw %}\n{% endhighlight %}\nb",
                "```ruby\nputs 1\n{{ a }}\n```\nb",
            ),
            (
                "{%- highlight sh -%}\na\n{%- endhighlight -%}\nb\n",
                "```sh\na\n```\nb\n",
            ),
            (
                "<div>\n    {% highlight sh %}\na\n\n  b\n{% endhighlight %}\n</div>\n",
                "<div>\n\n```sh\na\n\n  b\n```\n</div>\n",
            ),
            (
                "- a\n{% highlight sh %}\nb\n{% endhighlight %}\n- c\n",
                "- a\n\n```sh\nb\n```\n- c\n",
            ),
            (
                "- a\n\n  {% highlight sh %}\n  b\n  {% endhighlight %}",
                "- a\n\n  ```sh\n  b\n  ```",
            ),
            ("a \n{%- comment -%} b {%- endcomment -%}\n c", "ac"),
            ("`{% raw %}{{ a }}{% endraw %}`", "`{{ a }}`"),
        ],
    );
}

#[test]
fn known_variables_are_evaluated() {
    hold(
        &Jekyll,
        &[
            (
                "{{ page.title }}, {{ page.author.name | upcase }}: {{ page.count }} of {{ site.title }}",
                "Night ferry, ADA: 3 of Harbour",
            ),
            (
                "{{ \"{{\" }} {{ 'a & b' | escape }} {{ page.gone | default: \"c\" }}",
                "{{ a &amp; b c",
            ),
            (
                "{% assign a = \"b c\" | replace: \"b\", \"d\" %}{{ a | append: '!' | capitalize }}",
                "D c!",
            ),
            (
                "{% capture a %}*b*{{ page.count }}{% endcapture %}c {{ a }}",
                "c *b*3",
            ),
            (
                "{% include hello.html who=page.author.name %}",
                "Hello Ada, Night ferry!",
            ),
            (
                "{% include framed.html who='Ada' %}, {% include framed.html all='yes' %}, {% include framed.html %}",
                "for Ada, for all, for no one",
            ),
            (
                "{% if page.count == 3 and page.title != 'x' %}a{% if false %}b{% else %}c{% endif %}{% else %}d{% endif %}",
                "ac",
            ),
            (
                "{% unless page.title contains 'ferry' %}a{% endunless %}b",
                "b",
            ),
            ("`{{ a.b }}` ${{ '{{' }} x }}", "`{{ a.b }}` ${{ x }}"),
        ],
    );
}

#[test]
fn common_includes_are_converted() {
    hold(
        &Jekyll,
        &[
            (
                "{% include youtube.html id=\"a\" %}",
                "<iframe width=\"560\" height=\"315\" src=\"https://www.youtube.com/embed/a\" title=\"YouTube Video\" \
                 allowfullscreen></iframe>",
            ),
            (
                "{% include figure image_path=\"/a.png\" alt=\"A\" caption=\"C\" %}",
                "<figure><img src=\"/a.png\" alt=\"A\"><figcaption><p>C</p></figcaption></figure>",
            ),
            (
                "{% include image.html url=\"/a.png\" description=\"A\" %}",
                "![A](/a.png)",
            ),
            ("{% include toc.html %}a", "a"),
        ],
    );
}

#[test]
fn unsupported_tags_are_removed_and_reported() {
    hold_with_remarks(
        &Jekyll,
        &[
            (
                "{% if page.x %}\na\n{% elsif y %}\nb\n{% else %}\nc\n{% endif %}\nd",
                "\na\n\nd",
                &["1: the condition `page.x` cannot be evaluated; its first branch is used"],
            ),
            (
                "{% case x %}{% when 1 %}a{% when 2 %}b{% endcase %}",
                "a",
                &["1: the condition `x` cannot be evaluated; its first branch is used"],
            ),
            (
                "a\n{% for post in site.posts %}\n{{ post.title }}\n{% endfor %}\nb",
                "a\n\nb",
                &["2: `for post in site.posts` is not evaluated and is left out with its content"],
            ),
            (
                "{{ \"a\" | odd: 1 | upcase }}",
                "A",
                &["1: the filter `odd` is not known and is ignored"],
            ),
            (
                "{% include map.html %}{{ page.gone }}{% odd a %}b{% endodd %}",
                "b",
                &[
                    "1: the include `map.html` is not known and is left out",
                    "1: the value `page.gone` is not known and is left out",
                    "1: the tag `odd` is not known and is left out",
                ],
            ),
            (
                "```\n{% odd %}x{% endodd %} {{ matrix.os }}\n```",
                "```\n{% odd %}x{% endodd %} {{ matrix.os }}\n```",
                &["2: the tag `odd` is in code and is shown unchanged"],
            ),
            ("{% open {{ open", "{% open {{ open", &[]),
        ],
    );
}

#[test]
fn recursive_includes_are_bounded() {
    let (made, reported) = expanded("{% include self.html %}", &Jekyll, &environment());
    assert_eq!(made, "again ");
    assert_eq!(
        reported,
        [
            "1: in _includes/self.html:1: the include `self.html` is left out: it includes itself (_includes/self.html → _includes/self.html)"
        ]
    );
}

#[test]
fn inclusions_are_bounded() {
    hold_inclusion_bounds(&Jekyll, &"{% include a %}".repeat(1_000));
}
