//! Tests of Starlight's asides, of HTML in attributes, and of the paths of documents in collections.

use crate::generators::{
    astro::Astro, document::Document, generator::Generator, profile::POST,
    settings::ProjectSettings, tables::*,
};

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

/// Returns the paths at which the documents are published by a project with this configuration.
fn published_paths(configuration: &str, documents: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("astro.config.mjs"), configuration).unwrap();
    let settings = ProjectSettings::read(&Astro, folder.path());
    let path = |document: &&str| {
        Astro.published_path(&Document {
            in_project: document,
            below_root: document,
            settings: &settings,
            role: POST,
            page: &serde_json::Map::new(),
            title: "Fog",
            date_of_path: None,
            date: None,
        })
    };
    documents.iter().filter_map(path).collect()
}

#[test]
fn ids_of_collections_lose_only_an_index_at_the_end_below_a_folder() {
    let documents = [
        "src/content/blog/fog/index.md",
        "src/content/blog/fog/Index.md",
        "src/content/blog/index/fog.md",
        "src/content/blog/index/index.md",
        "src/content/blog/index.md",
    ];
    assert_eq!(
        published_paths("export default {}", &documents),
        [
            "blog/fog",
            "blog/fog",
            "blog/index/fog",
            "blog/index",
            "blog/index"
        ]
    );
}

#[test]
fn index_of_starlight_is_the_front_page() {
    let documents = [
        "src/content/docs/index.mdx",
        "src/content/docs/knots/index.md",
        "src/content/blog/index.md",
    ];
    assert_eq!(
        published_paths("integrations: [starlight({})]", &documents),
        ["", "/knots", "blog/index"]
    );
}
