//! Tests of shortcodes. The markup of figures, code and comments is that of Hugo 0.111.

use crate::generators::{hugo::Hugo, tables::*};

#[test]
fn built_in_hugo_shortcodes_are_converted() {
    hold(
        &Hugo,
        &[
            ("[a]({{< ref \"b.md\" >}})", "[a](galley-ref:ref/b.md)"),
            (
                "[a]({{% relref \"/docs/b.md#A b\" %}})",
                "[a](galley-ref:relref//docs/b.md#A%20b)",
            ),
            (
                "[a]({{< relref path=\"b c\" lang=\"en\" >}} \"t\")",
                "[a](galley-ref:relref/b%20c \"t\")",
            ),
            ("[a]({{< ref \"#here\" >}})", "[a](#here)"),
            (
                "{{< figure src=\"a.png\" alt=\"A\" caption=\"C & *d*\" link=\"/x\" title=\"T\" class=\"k\" width=\"10\" height=\"20\" \
                 attr=\"At\" attrlink=\"/at\" target=\"_blank\" rel=\"nofollow\" >}}",
                "<figure class=\"k\"><a href=\"/x\" target=\"_blank\" rel=\"nofollow\"><img src=\"a.png\" alt=\"A\" width=\"10\" \
                 height=\"20\"></a><figcaption><h4>T</h4><p>C &amp; <em>d</em> <a href=\"/at\">At</a></p></figcaption></figure>",
            ),
            (
                "{{< figure src=\"a.png\" >}}",
                "<figure><img src=\"a.png\"></figure>",
            ),
            (
                "{{< figure src=\"a.png\" caption=\"C\" />}}",
                "<figure><img src=\"a.png\" alt=\"C\"><figcaption><p>C</p></figcaption></figure>",
            ),
            (
                "{{< youtube dQw4 >}}",
                "<iframe width=\"560\" height=\"315\" src=\"https://www.youtube.com/embed/dQw4\" title=\"YouTube Video\" \
                 allowfullscreen></iframe>",
            ),
            (
                "{{< youtube id=\"dQw4\" title=\"A\" autoplay=\"true\" start=5 >}}",
                "<iframe width=\"560\" height=\"315\" src=\"https://www.youtube.com/embed/dQw4?autoplay=1&amp;start=5\" title=\"A\" \
                 allowfullscreen></iframe>",
            ),
            (
                "{{< vimeo 146022717 >}}",
                "<iframe width=\"560\" height=\"315\" src=\"https://player.vimeo.com/video/146022717\" title=\"vimeo video\" \
                 allowfullscreen></iframe>",
            ),
            (
                "{{< gist ada 123abc \"a.go\" >}}",
                "<script src=\"https://gist.github.com/ada/123abc.js?file=a.go\"></script><noscript><a \
                 href=\"https://gist.github.com/ada/123abc\">https://gist.github.com/ada/123abc</a></noscript>",
            ),
            (
                "{{< param title >}} by {{< param \"author.name\" >}} of {{< param email >}}, {{< param port >}}, {{< param count >}}",
                "Night ferry by Ada of a@example.org, Eskerry, 3",
            ),
            (
                "{{< highlight go \"linenos=table\" >}}\na := 1 <b>\n\n{{< /highlight >}}\n",
                "```go\na := 1 <b>\n```\n",
            ),
            (
                "{{< highlight md >}}\n```x\n{{< /highlight >}}",
                "````md\n```x\n````",
            ),
            (
                "In {{< highlight go \"hl_inline=true\" >}}a*b{{< /highlight >}}.",
                "In <code class=\"language-go\">a&#42;b</code>.",
            ),
            (
                "- a\n  {{< highlight go >}}\n  x\n    y\n  {{< /highlight >}}\n- b",
                "- a\n  ```go\n  x\n    y\n  ```\n- b",
            ),
            (
                "{{< details summary=\"More *x*\" open=true >}}\na\n{{< /details >}}\n",
                "<details open><summary>More <em>x</em></summary>\n\na\n\n</details>\n",
            ),
            ("a{{< comment >}}b{{< /comment >}}c", "ac"),
            (
                "{{< qr text=\"https://example.org\" />}}",
                "[https://example.org](<https://example.org>)",
            ),
        ],
    );
}

#[test]
fn social_media_shortcodes_are_converted() {
    let tweet = "<blockquote class=\"twitter-tweet\"><a href=\"https://twitter.com/ada/status/12\">https://twitter.com/ada/status/12</a>\
                 </blockquote> <script async src=\"https://platform.twitter.com/widgets.js\" charset=\"utf-8\"></script>";
    hold(
        &Hugo,
        &[
            ("{{< x user=\"ada\" id=\"12\" >}}", tweet),
            ("{{< tweet user=ada id=12 >}}", tweet),
            ("{{< twitter ada 12 >}}", tweet),
        ],
    );
    let (made, _) = expanded("{{< instagram Bx >}}", &Hugo, &environment());
    assert!(
        made.contains("<a href=\"https://www.instagram.com/p/Bx/\">"),
        "{made}"
    );
    let (made, _) = expanded("{{< tweet 12 >}}", &Hugo, &environment());
    assert!(made.contains("https://twitter.com/i/status/12"), "{made}");
}

#[test]
fn common_theme_shortcodes_are_converted() {
    hold(
        &Hugo,
        &[
            (
                "{{< notice tip \"Mind\" >}}\na *b*\n{{< /notice >}}\nc",
                "<div class=\"notice notice-tip\"><p class=\"notice-title\"><strong>Mind</strong></p>\n\na *b*\n\n</div>\n\nc",
            ),
            (
                "{{% alert color=\"warning\" %}}a{{% /alert %}}",
                "<div class=\"notice notice-warning\">\n\na\n\n</div>",
            ),
            (
                "- a\n  {{% note %}}\n  b\n  {{% /note %}}\n- c",
                "- a\n  <div class=\"notice notice-note\"><p class=\"notice-title\"><strong>Note</strong></p>\n\n  b\n\n  </div>\n\n- c",
            ),
            (
                "{{< button href=\"/x\" >}}Go *on*{{< /button >}}",
                "[Go *on*](/x)",
            ),
            (
                "{{< button relref=\"/x\" >}}Go{{< /button >}}",
                "[Go](galley-ref:relref//x)",
            ),
            (
                "{{< tabs >}}\n{{< tab \"A\" >}}one{{< /tab >}}\n{{< tab name=\"B\" >}}two{{< /tab >}}\n{{< /tabs >}}",
                "\n<section class=\"tab\"><p class=\"tab-label\"><strong>A</strong></p>\n\none\n\n</section>\n\n<section \
                 class=\"tab\"><p class=\"tab-label\"><strong>B</strong></p>\n\ntwo\n\n</section>\n\n",
            ),
            (
                "{{< mermaid >}}\na-->b\n{{< /mermaid >}}",
                "```mermaid\na-->b\n```",
            ),
            (
                "{{< img src=\"a b.png\" alt=\"A [b]\" >}}",
                "![A  b](<a b.png>)",
            ),
            (
                "{{< gallery >}}\n{{< img \"a.png\" >}}\n{{< /gallery >}}",
                "\n![](a.png)\n",
            ),
            ("| {{< note >}}a{{< /note >}} |", "| a |"),
        ],
    );
}

#[test]
fn unknown_shortcodes_are_removed_and_their_content_stays() {
    hold_with_remarks(
        &Hugo,
        &[
            (
                "a {{< odd \"b\" c=`}}` >}}*d*{{< odder >}}{{< /odd >}} e\n{{< param gone >}}",
                "a *d* e\n",
                &[
                    "1: the shortcode `odd` is not known and is left out",
                    "1: the shortcode `odder` is not known and is left out",
                    "2: the shortcode `param` is not known and is left out",
                ],
            ),
            (
                "```\n{{< odd >}}x{{< /odd >}}\n```\n`{{< figure src=\"a\" >}}`",
                "```\n{{< odd >}}x{{< /odd >}}\n```\n`{{< figure src=\"a\" >}}`",
                &[
                    "2: the shortcode `odd` is in code and is shown unchanged",
                    "4: the shortcode `figure` is in code and is shown unchanged",
                ],
            ),
        ],
    );
}

#[test]
fn documents_are_included_by_path() {
    hold_with_remarks(
        &Hugo,
        &[(
            "a\n\n{{% include \"/_common/a.md\" %}}\nb {{< include \"gone.md\" >}}",
            "a\n\n*a*\n\nb ",
            &[
                "3: in /_common/a.md:4: the shortcode `odd` is not known and is left out",
                "4: the shortcode `include` is not known and is left out",
            ],
        )],
    );
}

#[test]
fn escaped_and_malformed_shortcodes_are_text() {
    hold(
        &Hugo,
        &[
            (
                "`{{</* a \"b\" */>}}` {{%/* c */%}}",
                "`{{< a \"b\" >}}` {{% c %}}",
            ),
            (
                "{{ .Title }} {% x %} {{< open",
                "{{ .Title }} {% x %} {{< open",
            ),
            (
                "{{< youtube\n  `a`\n>}}\nb",
                "<iframe width=\"560\" height=\"315\" src=\"https://www.youtube.com/embed/a\" title=\"YouTube Video\" allowfullscreen></iframe>\n\nb",
            ),
            ("a<!--more-->b `<!-- more -->`", "ab `<!-- more -->`"),
        ],
    );
}

#[test]
fn inclusions_are_bounded() {
    hold_inclusion_bounds(&Hugo, &"{{< include a >}}".repeat(1_000));
}
