//! Tests of shortcodes, filters and containers.

use crate::generators::{eleventy::Eleventy, tables::*};

#[test]
fn eleventy_shortcodes_and_filters_are_converted() {
    hold(
        &Eleventy,
        &[
            (
                "{{ title }} [a]({{ \"/b/\" | url }}){# c #}",
                "Night ferry [a](/b/)",
            ),
            ("# A {#id}", "# A {#id}"),
            ("{% image \"./a.png\", \"A\" %}", "![A](./a.png)"),
            ("{% set a = \"b\" %}{{ a | safe }}", "b"),
            (
                "{% callout \"info\" %}\na\n{% endcallout %}",
                "<div class=\"notice notice-info\">\n\na\n\n</div>",
            ),
            (
                "::: warning\na\n:::\nb",
                "<div class=\"warning\">\n\na\n\n</div>\n\nb",
            ),
            (
                "{% youtube \"a\" %}",
                "<iframe width=\"560\" height=\"315\" src=\"https://www.youtube.com/embed/a\" title=\"YouTube Video\" \
                 allowfullscreen></iframe>",
            ),
        ],
    );
}

#[test]
fn front_matter_can_disable_templates() {
    let environment = Environment {
        is_without_templates: true,
        ..environment()
    };
    let text = "{{ page.title }} {% x %}";
    assert_eq!(expanded(text, &Eleventy, &environment).0, text);
}
